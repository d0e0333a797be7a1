"""What a replica that shuts down does with the chats it drives."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from perdure.core.chat import State, Status
from perdure.core.ids import ChatId
from perdure.machine.transitions import Interrupt
from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.testing.replica import InProcessReplica, open_replica
from perdure.tools.tool import Effect, Tool, ToolContext, tool
from perdure.worker.draining import Limits

PATIENT = Limits(timedelta(minutes=1), timedelta(minutes=1))
ONLY_FOR_PAYMENTS = Limits(timedelta(milliseconds=50), timedelta(minutes=1))


class Till:
    """A tool that must not run twice and takes its time."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()

    @property
    def tool(self) -> Tool:
        @tool(Effect.ONCE)
        async def pay(_: ToolContext) -> str:
            """Pay somebody, for good."""
            self.begun.set()
            await self.go_on.wait()
            return "paid"

        return pay


@pytest.fixture
async def replica(
    database_url: str, pool: Pool, sim: Simulator, request: pytest.FixtureRequest
) -> AsyncIterator[InProcessReplica]:
    async with open_replica(database_url, pool, sim.url, limits=getattr(request, "param", PATIENT)) as replica:
        yield replica


async def journaled(replica: InProcessReplica, chat: ChatId) -> list[str]:
    rows = await replica.pool.fetch("SELECT state FROM journal WHERE chat_id = $1 ORDER BY index", chat)
    return [row["state"] for row in rows]


async def test_an_answer_that_ends_in_time_is_kept(replica: InProcessReplica, sim: Simulator) -> None:
    chat = await replica.someone_asks("[[say:5 tokens]] [[gate:open]] [[say:5 tokens]]")
    await sim.gates["open"].reached()
    leaving = asyncio.create_task(replica.worker.drain())
    await sim.gates["open"].set(open=True)
    await leaving
    rested = await replica.machine.load(chat)
    assert (rested.state, rested.owned, len(sim.requests)) == (State.W, False, 1)


async def test_a_step_that_is_not_the_last_is_committed_as_the_chat_is_let_go(
    replica: InProcessReplica, sim: Simulator
) -> None:
    replica.tools.tools = (Till().tool,)
    chat = await replica.someone_asks("[[say:5 tokens]] [[gate:open]] [[call:pay]] [[say:5 tokens]]")
    await sim.gates["open"].reached()
    leaving = asyncio.create_task(replica.worker.drain())
    await sim.gates["open"].set(open=True)
    await leaving
    left = await replica.machine.load(chat)
    assert (left.status, left.owned, [call.tool for call in left.open_calls]) == (Status.RUNNING, False, ["pay"])
    # Created, and the step together with letting go: nobody waited in between.
    assert left.snapshot_version == 2


@pytest.mark.parametrize("replica", [ONLY_FOR_PAYMENTS], indirect=True)
async def test_a_call_that_must_not_be_repeated_holds_the_shutdown_up(replica: InProcessReplica) -> None:
    till = Till()
    replica.tools.tools = (till.tool,)
    chat = await replica.someone_asks("[[call:pay]] [[say:5 tokens]]")
    await till.begun.wait()
    leaving = asyncio.create_task(replica.worker.drain())
    done, _ = await asyncio.wait({leaving}, timeout=4 * ONLY_FOR_PAYMENTS.step.total_seconds())
    assert not done
    till.go_on.set()
    await leaving
    left = await replica.machine.load(chat)
    assert (left.status, left.owned) == (Status.RUNNING, False)
    # Whether or not the step was committed as well: what was paid is known.
    assert await journaled(replica, chat) == ["finished"] or "pay: paid" in await replica.said(chat)


@pytest.mark.parametrize("replica", [ONLY_FOR_PAYMENTS], indirect=True)
async def test_an_answer_that_takes_too_long_is_left_to_another_replica(
    replica: InProcessReplica, sim: Simulator
) -> None:
    chat = await replica.someone_asks("[[say:5 tokens]] [[gate:never]]")
    await sim.gates["never"].reached()
    await replica.shows(chat)
    await replica.worker.drain()
    left = await replica.machine.load(chat)
    assert (left.status, left.owned) == (Status.RUNNING, False)
    assert await replica.pool.fetchval("SELECT count(*) FROM segments WHERE chat_id = $1", chat) == 1


async def test_a_wait_for_a_retry_is_handed_over_at_once(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("[[fault:429 retry_after=60]] [[say:3 tokens]]")
    waiting = await replica.until(chat, lambda row: row.retry_state is not None)
    async with asyncio.timeout(PATIENT.step.total_seconds() / 2):
        await replica.worker.drain()
    left = await replica.machine.load(chat)
    assert (left.status, left.owned, left.retry_state) == (Status.RUNNING, False, waiting.retry_state)


async def test_an_interruption_is_finished_and_not_handed_over(replica: InProcessReplica, sim: Simulator) -> None:
    chat = await replica.someone_asks("[[say:5 tokens]] [[gate:never]]")
    await sim.gates["never"].reached()
    leaving = asyncio.create_task(replica.worker.drain())
    await replica.machine.change(chat, Interrupt())
    await leaving
    rested = await replica.machine.load(chat)
    assert (rested.state, rested.owned) == (State.W, False)
