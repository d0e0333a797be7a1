"""What a dead replica left is taken when its lease ends, and survivors do not get in each other's way."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from msgspec import structs

from perdure.core.action import ActionKind
from perdure.core.card import NewCard
from perdure.core.ids import ChatId, ReplicaId, RunnerId, UserId
from perdure.core.message import NewMessage, Role, Text, ToolCall
from perdure.core.timing import LEASE, RENEWAL_LATE, SEVERED_LEASE, SHARE_PATIENCE
from perdure.machine.change import Owner
from perdure.machine.following import follow
from perdure.machine.transitions import Acquire, CancelRequiresAction, CommitStep, Create, EnterRequiresAction
from perdure.sim.server import Simulator
from perdure.store.connection import connect
from perdure.store.hosts import ServerConnection
from perdure.store.pool import Pool, open_pool
from perdure.store.replicas import Candidate, Renewal, end_severed, renew
from perdure.testing.pgbouncer import direct
from perdure.testing.replica import open_replica
from perdure.worker import acquirer
from perdure.worker.acquirer import ended_wait, orphaned, share

SEEN = "INSERT INTO replicas (id, version, seen_at) VALUES ($1, '', now() - $2::interval)"
DEAD, SOMEBODY = ReplicaId(uuid4()), UserId(uuid4())


def _orphans(count: int, orphaned: timedelta = timedelta()) -> list[Candidate]:
    return [Candidate(ChatId(uuid4()), DEAD, "running", SOMEBODY, LEASE, orphaned) for _ in range(count)]


def test_survivors_that_sweep_at_once_take_everything_and_nothing_twice() -> None:
    orphans = _orphans(7)
    shares = [share(orphans, position, 3) for position in range(3)]
    assert sorted(len(each) for each in shares) == [2, 2, 3]
    assert {c.chat_id for each in shares for c in each} == {c.chat_id for c in orphans}


def test_what_another_survivor_did_not_take_in_its_time_is_everybodys() -> None:
    orphans = _orphans(4, 2 * SHARE_PATIENCE)
    assert share(orphans, 1, 3) == orphans


def test_a_replica_that_missed_a_renewal_takes_nothing_from_the_dead() -> None:
    orphans, free = _orphans(2), [Candidate(ChatId(uuid4()), None, "running", SOMEBODY, LEASE, timedelta())]
    assert orphaned([*orphans, *free], steady=True) == orphans
    assert orphaned([*orphans, *free], steady=False) == []


def test_a_wait_ends_by_its_own_deadline_only() -> None:
    said, asked = NewMessage(role=Role.USER, parts=(Text("hi"),)), ToolCall("c1", "pay", "{}")
    step = CommitStep(messages=(NewMessage(role=Role.ASSISTANT, parts=(asked,)),))
    owner = Owner(DEAD, RunnerId(uuid4()))
    parks = EnterRequiresAction(ActionKind.APPROVAL)
    chat = follow(None, [Create((said,)), Acquire(owner), step, parks], chat_id=ChatId(uuid4())).chat
    deadline = datetime(2026, 11, 16, tzinfo=UTC)
    parked = structs.replace(chat, action_deadline_at=deadline)
    assert [type(each) for each in ended_wait(parked, deadline)] == [CancelRequiresAction]
    assert ended_wait(parked, deadline - timedelta(seconds=1)) == ()


async def test_a_renewal_says_when_the_lease_of_a_silent_replica_ends(database_url: str) -> None:
    late, fresh, dead = (ReplicaId(uuid4()) for _ in range(3))
    silent = {late: RENEWAL_LATE + timedelta(milliseconds=500), fresh: timedelta(), dead: LEASE}
    # In one transaction it is always the same moment.
    connection = await connect(database_url)
    async with connection.transaction():
        for replica, ago in silent.items():
            await connection.execute(SEEN, replica, ago)
        renewal = await renew(connection, fresh, timeout=10)
    await connection.close()
    assert renewal is not None
    assert (renewal.alive, renewal.ends) == (2, (LEASE - silent[late],))


@pytest.fixture
async def sessions(database_url: str) -> AsyncIterator[Pool]:
    """Connections whose sessions are the server's own: a pooler keeps those for somebody else."""
    async with open_pool(direct(database_url)) as sessions:
        yield sessions


@pytest.mark.parametrize("living", [True, False])
async def test_the_lease_of_a_silent_replica_ends_sooner_where_its_session_has_ended(
    database_url: str, sessions: Pool, *, living: bool
) -> None:
    pool, silent, watching = sessions, ReplicaId(uuid4()), ReplicaId(uuid4())
    session = await connect(direct(database_url))
    for replica in (silent, watching):
        await pool.execute(SEEN, replica, timedelta())
    await renew(session, silent, timeout=10)
    if not living:
        await ended(session, pool)
    ago = SEVERED_LEASE + timedelta(milliseconds=1)
    await pool.execute("UPDATE replicas SET seen_at = now() - $2::interval WHERE id = $1", silent, ago)
    ends = await _ends(pool, watching)
    await end_severed(pool)
    assert (ends[0] > timedelta()) is living
    renewal = await renew(session if living else pool, silent, timeout=10)
    assert (renewal is not None) is living
    await session.close()


async def test_a_replica_is_not_given_up_before_its_time_nor_one_whose_session_nobody_knows(
    database_url: str, sessions: Pool
) -> None:
    pool, early, unknown = sessions, ReplicaId(uuid4()), ReplicaId(uuid4())
    session = await connect(direct(database_url))
    await pool.execute(SEEN, early, timedelta())
    await renew(session, early, timeout=10)
    await ended(session, pool)
    await pool.execute(SEEN, unknown, SEVERED_LEASE * 2)
    await end_severed(pool)
    assert await renew(pool, early, timeout=10) is not None
    assert await renew(pool, unknown, timeout=10) is not None


async def ended(session: ServerConnection, pool: Pool) -> None:
    """Close a session, and wait until the server has noticed."""
    process = await session.fetchval("SELECT pg_backend_pid()")
    session.terminate()
    while await pool.fetchval("SELECT count(*) FROM pg_stat_get_activity($1)", process):
        pass


async def _ends(pool: Pool, watching: ReplicaId) -> tuple[timedelta, ...]:
    renewal = await renew(pool, watching, timeout=10)
    assert renewal is not None
    return renewal.ends


async def test_a_chat_is_taken_when_the_lease_of_its_driver_ends(
    database_url: str, pool: Pool, sim: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The next sweep is so far away that only the end of the lease can be the reason.
    monkeypatch.setattr(acquirer, "SWEEP_PERIOD", timedelta(hours=1))
    async with open_replica(database_url, pool, sim.url) as replica:
        await replica.comes_to_rest(await replica.someone_waits("[[say:Swept.]]"))
        assert replica.numbers("perdure_acquisition_seconds_count") == 1
        owner = Owner(DEAD, RunnerId(uuid4()))
        await pool.execute(SEEN, DEAD, LEASE)
        card = NewCard(organisation_id=replica.organisation, owner_id=replica.user, title="left")
        said = Create((replica.says("[[say:Taken.]]"),))
        await replica.machine.create(chat := ChatId(uuid4()), card, [said, Acquire(owner)])
        replica.worker.renewed(Renewal(1, (), (timedelta(),)), replica.clock.monotonic())
        await replica.comes_to_rest(chat)
        assert (await replica.said(chat))[-1] == "Taken."
        taken = [replica.numbers("perdure_acquisitions_total", how=how) for how in ("sweep", "failover")]
        assert taken == [1, 1]
