"""What a replica remembers, compared with a database that went back in time."""

from uuid import uuid4

import pytest

from perdure.core.action import OpenCall
from perdure.core.chat import Status
from perdure.core.fence import Fence
from perdure.core.ids import ChatId, MessageNumber, ReplicaId, RunnerId
from perdure.core.notice import DELETED, Notice, Topic
from perdure.core.timing import SystemClock
from perdure.observe.measures.service import DatabaseMeasures
from perdure.observe.metrics import Metrics
from perdure.store.journal import Journal
from perdure.store.losses import Losses, Started
from perdure.store.pool import Pool
from perdure.store.rows import encoded
from perdure.store.tables import replicas
from perdure.store.tables.journal import CallRun
from perdure.testing.metric_reader import MetricReader
from perdure.testing.scripted import ScriptedChats


class World:
    """A replica that remembers, and a chat that it made."""

    def __init__(self, pool: Pool) -> None:
        metrics = Metrics()
        self.pool = pool
        self.losses = Losses(pool, DatabaseMeasures(metrics))
        self.numbers = MetricReader(metrics)

    async def chat(self) -> ChatId:
        scripted = await ScriptedChats.set_up(self.pool)
        scripted.announcer.follow(self.losses.committed)
        chat = await scripted.create("hello")
        await chat.send("again")
        return chat.id

    async def said(self) -> list[str]:
        rows = await self.pool.fetch("SELECT detail FROM audit WHERE action = 'database.lost_changes'")
        assert self.numbers("perdure_lost_histories_total") == len(rows)
        return [row["detail"] for row in rows]


async def test_a_loss_is_said_once_although_nobody_follows_the_chat(pool: Pool) -> None:
    world = World(pool)
    chat_id = await world.chat()
    await world.losses.look(1)
    assert await world.said() == []
    await pool.execute("UPDATE chats SET snapshot_version = 1 WHERE id = $1", chat_id)
    await world.losses.look(2)
    await world.losses.look(2)
    await world.losses.say(chat_id, remembered=2, found=1, on=1)
    gone = "version 2 was committed and is gone; the database has version 1 of another past"
    assert await world.said() == [gone]


async def test_a_loss_is_said_although_the_chat_has_gone_on_since(pool: Pool) -> None:
    world = World(pool)
    chat_id = await world.chat()
    await pool.execute("UPDATE chats SET snapshot_version = 7 WHERE id = $1", chat_id)
    await pool.execute(
        "UPDATE chats SET line = 2, earlier_lines = '{1}', last_snapshots = '{1}' WHERE id = $1", chat_id
    )
    world.losses.remember(chat_id, 7, 2)
    await world.losses.look(2)
    assert len(await world.said()) == 1


async def test_a_chat_that_is_gone_with_all_that_was_said_in_it_is_a_loss_unless_somebody_deleted_it(
    pool: Pool,
) -> None:
    world = World(pool)
    lost, deleted = await world.chat(), await world.chat()
    await world.losses.look(1)
    for chat_id in (lost, deleted):
        await pool.execute("DELETE FROM chat_cards WHERE id = $1", chat_id)
        await pool.execute("DELETE FROM chats WHERE id = $1", chat_id)
    world.losses.heard(Notice(Topic.CHAT, deleted, name=DELETED))
    await world.losses.look(2)
    await world.losses.look(3)
    assert await world.said() == ["it was made and is gone, with all that was said in it"]
    assert await pool.fetchval("SELECT subject FROM audit WHERE action = 'database.lost_changes'") == str(lost)


async def test_a_failover_that_lost_nothing_is_not_a_loss(pool: Pool) -> None:
    world = World(pool)
    await world.chat()
    await world.losses.look(2)
    assert await world.said() == []


class StandingClock(SystemClock):
    """Time passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.passed = 0.0

    def monotonic(self) -> float:
        return self.passed

    async def sleep(self, seconds: float) -> None:
        self.passed += seconds


async def test_a_call_waits_after_a_failover_until_others_have_said_what_they_started(pool: Pool) -> None:
    clock = StandingClock()
    losses = Losses(pool, clock=clock)
    fence = Fence(ReplicaId(uuid4()), RunnerId(uuid4()), Status.RUNNING, 1)
    for effect, moved, waited in (("once", False, 0.0), ("keyed", True, 0.0), ("once", True, 5.0)):
        if moved:
            losses.moved()
        call = CallRun(ChatId(uuid4()), MessageNumber(1), 0)
        assert not await Journal(pool, losses).start(call, fence, tool="pay", effect=effect)
        assert clock.passed == waited


async def test_a_call_waits_longer_for_a_replica_that_has_not_said_yet_what_it_started(pool: Pool) -> None:
    clock, slow = StandingClock(), ReplicaId(uuid4())
    losses, others = Losses(pool, clock=clock), Losses(pool)
    await replicas.register(pool, slow, None, "", 1)
    losses.moved()
    await losses.settled()
    # It was heard of a moment ago, and is not waited for without end.
    assert 30 <= clock.passed < 31
    before = clock.passed
    losses.moved()
    await others.said_again(1, slow)
    await losses.settled()
    assert clock.passed == before + 5


async def test_a_replica_that_was_not_heard_of_for_long_is_not_waited_for(pool: Pool) -> None:
    clock, dead = StandingClock(), ReplicaId(uuid4())
    losses = Losses(pool, clock=clock)
    await replicas.register(pool, dead, None, "", 1)
    await pool.execute("UPDATE replicas SET seen_at = now() - interval '31 seconds'")
    losses.moved()
    await losses.settled()
    assert clock.passed == pytest.approx(5.0)


async def test_others_are_told_again_under_a_new_id_and_on_a_new_line(pool: Pool) -> None:
    losses, ids = Losses(pool), [ReplicaId(uuid4()), ReplicaId(uuid4())]
    # Before it is registered nobody can be told.
    await losses.said_again(1, ids[0])
    for each in ids:
        await replicas.register(pool, each, None, "", 1)
        await losses.said_again(1, each)
    assert await pool.fetchval("SELECT count(*) FROM replicas WHERE line = current_line()") == 2
    await pool.execute("UPDATE replicas SET line = NULL")
    await losses.said_again(1, ids[1])
    assert await pool.fetchval("SELECT count(line) FROM replicas") == 0
    await losses.said_again(2, ids[1])
    assert await pool.fetchval("SELECT count(line) FROM replicas") == 1


async def test_calls_whose_line_in_the_journal_is_lost_get_it_again(pool: Pool) -> None:
    world = World(pool)
    chat_id, runner = await world.chat(), RunnerId(uuid4())
    await world.losses.look(1)
    for message, left_behind in ((1, True), (5, False)):
        call = CallRun(chat_id, MessageNumber(message), 0)
        world.losses.started(Started(call, runner, "pay"))
        await pool.execute("UPDATE chats SET last_assistant = 2 WHERE id = $1", chat_id)
        await world.losses.look(1 + message)
        found = await Journal(pool).load(chat_id, call.message)
        assert [(entry.effect, entry.state, entry.runner_id) for entry in found] == (
            [] if left_behind else [("once", "started", runner)]
        )


@pytest.mark.parametrize(
    ("last_assistant", "next_message", "still_open", "done"),
    [
        (3, 5, (), True),
        (3, 5, (1,), True),
        (3, 5, (0, 1), False),
        # The history went on, or the message was edited away.
        (7, 9, (0,), True),
        (0, 9, (), True),
        # A failover lost the message that asks for the call.
        (0, 3, (), False),
        (1, 3, (0,), False),
    ],
)
async def test_what_is_known_of_a_call_is_dropped_only_while_its_result_is_in_the_history(
    pool: Pool, last_assistant: int, next_message: int, still_open: tuple[int, ...], done: bool
) -> None:
    world = World(pool)
    chat_id = await world.chat()
    run = CallRun(chat_id, MessageNumber(3), 0, 2)
    world.losses.started(Started(run, RunnerId(uuid4()), "pay"))
    await world.losses.restore_calls()
    await pool.execute(
        "UPDATE chats SET last_assistant = $2, next_message = $3, open_calls = $4 WHERE id = $1",
        chat_id,
        last_assistant,
        next_message,
        encoded([OpenCall(index, f"call-{index}", "pay") for index in still_open]),
    )
    journal = Journal(pool)
    assert await journal.forget([run]) == ([run] if done else [])
    assert bool(await journal.load(chat_id, run.message)) is not done
