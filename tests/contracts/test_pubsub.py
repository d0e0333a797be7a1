"""What every pubsub does, whatever carries its notices."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random
from typing import TypeVar
from uuid import UUID

import pytest

from perdure.core.ids import ChatId
from perdure.core.notice import Notice, Topic
from perdure.observe.measures.service import DatabaseMeasures
from perdure.observe.metrics import Metrics
from perdure.proof.proxy import Proxy
from perdure.store.fleet_pubsub import PAYLOAD_LIMIT, FleetPubsub, payloads
from perdure.store.nats_pubsub import NatsPubsub
from perdure.store.pool import Pool, open_pool
from perdure.store.postgres_pubsub import PostgresPubsub
from perdure.store.pubsub import Listener, LocalBus, Pubsub
from perdure.testing.metric_reader import MetricReader
from perdure.testing.nats import nats_server
from perdure.testing.polling import seen

Ends = tuple[Pubsub, Pubsub]
P = TypeVar("P", bound=FleetPubsub)


@asynccontextmanager
async def listening(url: str, pool: Pool) -> AsyncGenerator[PostgresPubsub]:
    async with running(PostgresPubsub(url, pool)) as pubsub:
        yield pubsub


@asynccontextmanager
async def running(pubsub: P) -> AsyncGenerator[P]:
    task = asyncio.ensure_future(pubsub.run())
    try:
        await pubsub.listening.wait()
        yield pubsub
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await pubsub.flush()


@pytest.fixture(params=["local", "postgres", "nats"])
async def ends(request: pytest.FixtureRequest, database_url: str, pool: Pool) -> AsyncIterator[Ends]:
    """Where somebody publishes, and where somebody listens."""
    if request.param == "local":
        bus = LocalBus()
        yield bus, bus
        return
    async with AsyncExitStack() as stack:
        if request.param == "postgres":
            made = [PostgresPubsub(database_url, pool) for _ in range(2)]
        else:
            server = await stack.enter_async_context(nats_server())
            made = [NatsPubsub(server.url, "test") for _ in range(2)]
        here, there = [await stack.enter_async_context(running(pubsub)) for pubsub in made]
        yield here, there


class Heard:
    """What a listener heard, and a way to wait for more."""

    def __init__(self, pubsub: Pubsub) -> None:
        self.notices: list[Notice] = []
        self._more = asyncio.Event()
        self.stop = pubsub.listen(self._hear)

    def _hear(self, notice: Notice) -> None:
        self.notices.append(notice)
        self._more.set()

    async def until(self, enough: Callable[[list[Notice]], bool]) -> list[Notice]:
        async with asyncio.timeout(60):
            while not enough(self.notices):
                self._more.clear()
                await self._more.wait()
        return self.notices


def moved(number: int, version: int = 1) -> Notice:
    return Notice(Topic.CHAT, ChatId(UUID(int=number)), version)


async def test_a_notice_reaches_listeners_here_at_once_and_elsewhere_soon(ends: Ends) -> None:
    here, there = ends
    near, far = Heard(here), Heard(there)
    here.publish([moved(1), moved(2)])
    assert near.notices == [moved(1), moved(2)]
    assert await far.until(lambda heard: len(heard) == 2) == [moved(1), moved(2)]


async def test_a_notice_says_all_that_it_said_where_it_was_published(ends: Ends) -> None:
    here, there = ends
    far = Heard(there)
    notices = [
        Notice(Topic.CONFIG, name="organisation:ä€😀"),
        Notice(Topic.WAKE, ChatId(UUID(int=7)), 2**40, 2**41),
        Notice(Topic.INBOX),
    ]
    here.publish(notices)
    assert await far.until(lambda heard: len(heard) == 3) == notices


async def test_who_stops_listening_hears_no_more(ends: Ends) -> None:
    here, there = ends
    gone, stays = Heard(there), Heard(there)
    here.publish([moved(1)])
    await gone.until(lambda heard: moved(1) in heard)
    gone.stop()
    here.publish([moved(2)])
    await stays.until(lambda heard: moved(2) in heard)
    assert moved(2) not in gone.notices


async def test_a_flood_arrives_with_the_newest_word_on_every_chat(ends: Ends) -> None:
    here, there = ends
    far = Heard(there)
    for version in range(1, 21):
        here.publish([moved(number, version) for number in range(300)])
    await far.until(lambda heard: {moved(number, 20) for number in range(300)} <= set(heard))


class Unreliable:
    """Loses, doubles and reorders what it carries, as far as a pubsub may."""

    def __init__(self, pubsub: Pubsub, random: Random) -> None:
        self._pubsub = pubsub
        self._random = random

    def publish(self, notices: Iterable[Notice]) -> None:
        batch = [notice for notice in notices for _ in range(self._random.choice((0, 1, 1, 2)))]
        self._random.shuffle(batch)
        self._pubsub.publish(batch)

    def listen(self, listener: Listener) -> Callable[[], None]:
        return self._pubsub.listen(listener)


class Follower:
    """Takes a notice as a hint: it reads the rows, and reads them again now and then."""

    def __init__(self, rows: dict[int, int], pubsub: Pubsub) -> None:
        self._rows = rows
        self.seen: dict[int, list[int]] = {number: [] for number in rows}
        pubsub.listen(self._hear)

    def _hear(self, notice: Notice) -> None:
        if notice.topic is Topic.GAP:
            self.look()
        elif notice.chat_id is not None:
            self._read(notice.chat_id.int)

    def look(self) -> None:
        for number in self._rows:
            self._read(number)

    def _read(self, number: int) -> None:
        version = self._rows[number]
        if not self.seen[number] or self.seen[number][-1] < version:
            self.seen[number].append(version)


@pytest.mark.parametrize("seed", range(3))
async def test_lost_doubled_and_reordered_notices_cost_time_and_nothing_else(ends: Ends, seed: int) -> None:
    here, there = ends
    random = Random(seed)
    rows = dict.fromkeys(range(20), 0)
    follower, last = Follower(rows, there), Heard(there)
    unreliable = Unreliable(here, random)
    for _ in range(500):
        number = random.randrange(20)
        rows[number] += 1
        unreliable.publish([moved(number, rows[number]), moved(random.randrange(20), 1)])
    here.publish([Notice(Topic.INBOX)])
    await last.until(lambda heard: Notice(Topic.INBOX) in heard)
    follower.look()
    assert {number: seen[-1] for number, seen in follower.seen.items()} == rows
    assert all(seen == sorted(set(seen)) for seen in follower.seen.values())


# What only Postgres can get wrong.


async def listener_pids(pool: Pool) -> list[int]:
    rows = await pool.fetch(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'LISTEN%'"
    )
    return [row["pid"] for row in rows]


async def test_a_lost_connection_is_a_gap_that_everyone_hears_of(database_url: str, pool: Pool) -> None:
    async with listening(database_url, pool) as here, listening(database_url, pool) as there:
        heard, metrics = Heard(there), Metrics()
        there.measure(DatabaseMeasures(metrics))
        for pid in await listener_pids(pool):
            await pool.execute("SELECT pg_terminate_backend($1)", pid)
        await heard.until(lambda notices: [Notice(Topic.DEAF), Notice(Topic.GAP)] == notices[:2])
        assert MetricReader(metrics)("perdure_pubsub_gaps_total") == 1
        here.publish([moved(5)])
        await heard.until(lambda notices: moved(5) in notices)


async def test_a_connection_that_died_silently_is_noticed_by_its_own_ping(database_url: str, pool: Pool) -> None:
    proxy = Proxy(database_url)
    async with proxy.running(), listening(proxy.url, pool) as there:
        heard = Heard(there)
        proxy.freeze()
        await heard.until(lambda notices: [Notice(Topic.DEAF), Notice(Topic.GAP)] == notices[:2])
        here = PostgresPubsub(database_url, pool)
        here.publish([moved(5)])
        await heard.until(lambda notices: moved(5) in notices)
        await here.flush()


async def test_whoever_is_alone_sends_nothing(database_url: str, pool: Pool) -> None:
    async with listening(database_url, pool) as here, listening(database_url, pool) as there:
        near, far = Heard(here), Heard(there)
        here.alone = True
        here.publish([moved(1)])
        here.alone = False
        here.publish([moved(2)])
        await far.until(lambda notices: moved(2) in notices)
        assert (near.notices, far.notices) == ([moved(1), moved(2)], [moved(2)])


async def test_commits_that_come_together_share_a_statement(database_url: str) -> None:
    proxy = Proxy(database_url)
    async with proxy.running(), open_pool(proxy.url, size=2) as pool:
        await pool.fetchval("SELECT 1")
        pubsub = PostgresPubsub(database_url, pool)
        pubsub.publish([moved(0)])
        await pubsub.flush()
        before = proxy.requests
        for number in range(1000):
            pubsub.publish([moved(number % 50, number)])
        await pubsub.flush()
        assert proxy.requests - before == 2


def test_no_payload_is_too_long_for_postgres() -> None:
    notices = [Notice(Topic.CONFIG, name=f"{number}" + "x" * 500) for number in range(200)]
    made = payloads("sender", notices)
    assert max(len(payload.encode()) for payload in made) <= PAYLOAD_LIMIT + 10
    assert len(made) < 20


async def test_what_another_version_says_is_passed_over(database_url: str, pool: Pool) -> None:
    async with listening(database_url, pool) as there:
        heard = Heard(there)
        await pool.execute("SELECT pg_notify('perdure', 'no json')")
        await pool.execute("""SELECT pg_notify('perdure', '["x",[["a topic of tomorrow"]]]')""")
        other = PostgresPubsub(database_url, pool)
        other.publish([moved(1)])
        await heard.until(lambda notices: moved(1) in notices)
        await other.flush()
        assert heard.notices == [moved(1)]


# What only NATS can get wrong.


async def test_a_nats_server_that_dies_and_comes_back_is_a_gap() -> None:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(nats_server())
        here = await stack.enter_async_context(running(NatsPubsub(server.url, "test")))
        there = await stack.enter_async_context(running(NatsPubsub(server.url, "test")))
        near, far = Heard(here), Heard(there)
        await server.dies()
        await far.until(lambda notices: Notice(Topic.DEAF) in notices)
        here.publish([moved(1)])
        await here.flush()
        assert moved(1) in near.notices
        await server.comes_back()
        await far.until(lambda notices: Notice(Topic.GAP) in notices)
        await asyncio.wait_for(here.listening.wait(), 60)
        here.publish([moved(2)])
        await far.until(lambda notices: moved(2) in notices)
        assert moved(1) not in far.notices


async def test_a_nats_server_that_hangs_is_noticed() -> None:
    async with nats_server() as server, running(NatsPubsub(server.url, "test")) as there:
        heard = Heard(there)
        server.hangs()

        async def noticed() -> bool:
            return not there.listening.is_set()

        assert await seen(noticed)
        server.goes_on()
        await heard.until(lambda notices: [Notice(Topic.DEAF), Notice(Topic.GAP)] == notices[:2])


async def test_deployments_that_share_a_nats_server_do_not_hear_each_other() -> None:
    async with (
        nats_server() as server,
        running(NatsPubsub(server.url, "one")) as one,
        running(NatsPubsub(server.url, "two")) as two,
        running(NatsPubsub(server.url, "one")) as friend,
    ):
        stranger, near = Heard(two), Heard(friend)
        one.publish([moved(1)])
        await near.until(lambda notices: moved(1) in notices)
        two.publish([moved(2)])
        await two.flush()
        assert (stranger.notices, near.notices) == ([moved(2)], [moved(1)])
