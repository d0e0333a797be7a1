"""The database goes away for a while: nothing is lost, and nothing is asked twice."""

from perdure.core.chat import State
from perdure.core.errors import Unavailable
from perdure.core.timing import ATTEMPT_LIMIT, LEASE
from perdure.proof.proxy import Fate, Proxy
from perdure.sim.server import Simulator
from perdure.store.pool import Pool, open_pool
from perdure.testing.clock import HurriedClock
from perdure.testing.replica import open_replica
from perdure.tools.tool import Effect, Tool, ToolContext, tool

CHATS = 5
AWAY = LEASE + LEASE / 2


async def silent(pool: Pool) -> bool:
    """Whether the database has heard from no replica for long enough."""
    return await pool.fetchval("SELECT bool_and(now() - seen_at > $1) FROM replicas", AWAY)


async def test_answers_survive_a_database_that_is_away_for_longer_than_the_lease(
    database_url: str, pool: Pool, sim: Simulator
) -> None:
    async with (
        Proxy(database_url).running() as proxy,
        open_pool(proxy.url) as through,
        open_replica(proxy.url, through, sim.url) as replica,
    ):
        chats = [await replica.someone_asks("[[say:5 tokens]] [[gate:open]] [[say:5 tokens]]") for _ in range(CHATS)]
        await sim.gates["open"].reached(CHATS)
        proxy.decide = lambda _: Fate.LOSE_REQUEST
        await sim.gates["open"].set(open=True)
        while not await silent(pool):
            pass
        proxy.decide = lambda _: Fate.CARRY
        rested = [await replica.comes_to_rest(chat) for chat in chats]
        assert [(chat.state, chat.last_error) for chat in rested] == [(State.W, None)] * CHATS
        # Every model was asked once: what it said while nobody could write it down was kept.
        assert len(sim.requests) == CHATS


def database_tool(failures: int) -> Tool:
    left = iter(range(failures))

    @tool(Effect.READS)
    async def count(_: ToolContext) -> str:
        """Counts what is in the database."""
        if next(left, None) is not None:
            raise Unavailable("The database is away.")
        return "counted"

    return count


async def test_a_database_that_is_away_stands_against_no_chat(database_url: str, pool: Pool, sim: Simulator) -> None:
    async with open_replica(database_url, pool, sim.url, clock=HurriedClock()) as replica:
        replica.tools.tools = (database_tool(ATTEMPT_LIMIT + 5),)
        chat = await replica.someone_asks("[[call:count]] [[say:3 tokens]]")
        rested = await replica.comes_to_rest(chat)
        assert (rested.state, rested.last_error) == (State.W, None)
        assert "count: counted" in await replica.said(chat)
