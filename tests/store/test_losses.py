"""What a replica remembers, compared with a database that went back in time."""

from uuid import uuid4

import pytest

from perdure.core.chat import Fence, OpenCall, Status
from perdure.core.ids import ChatId, MessageNumber, ReplicaId, RunnerId
from perdure.core.timing import SystemClock
from perdure.observe.measures.service import DatabaseMeasures
from perdure.observe.metrics import Metrics
from perdure.store.journal import Journal
from perdure.store.losses import Losses, Started
from perdure.store.pool import Pool
from perdure.store.rows import encoded
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
