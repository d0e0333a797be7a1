"""A database that answers and is not heard: nothing is doubled, nothing is taken for lost, nobody is left undriven."""

import asyncio
from collections.abc import Callable
from random import Random
from uuid import uuid4

import pytest
from msgspec import structs
from tests.machine.cells import MARKED_AT
from tests.machine.place import Place

from perdure.core.chat import Busy, Chat, State
from perdure.core.commit import Commit
from perdure.core.errors import Unavailable
from perdure.core.failure import ErrorKind, RetryState
from perdure.core.ids import ChatId
from perdure.core.message import Role, Text
from perdure.core.timing import SystemClock
from perdure.machine.committer import Committer, Request
from perdure.machine.following import follow
from perdure.machine.machine import Machine
from perdure.machine.transitions import (
    Abandon,
    Acquire,
    CommitStep,
    Create,
    DeleteQueuedMessage,
    FinishInterruption,
    FinishTurn,
    Interrupt,
    RecordGenerationAttempt,
    RecordRetryState,
    SendMessage,
    Transition,
)
from perdure.proof.proxy import Fate, Proxy
from perdure.store.execution import Execution
from perdure.store.pool import Pool, open_pool
from perdure.testing.chats import answered, said, somebody

IMPATIENT = Request(patience=0.2)
CUTS = 220
CUT = (Fate.LOSE_ANSWER, Fate.LOSE_ANSWER, Fate.RACE, Fate.LOSE_REQUEST)


class Cuts:
    """Breaks every third commit, in one way or another."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self.made = 0

    def __call__(self, commit: bool) -> Fate:
        if not commit or self._random.random() > 0.34:
            return Fate.CARRY
        self.made += 1
        return self._random.choice(CUT)


class Driven:
    """A chat that a client and a runner keep changing, each through its own machine, and all that they were told."""

    def __init__(self, place: Place, chat: Chat, client: Machine, runner: Machine) -> None:
        self._place, self.chat, self._client, self._runner = place, chat, client, runner
        self._number = 0
        self.told: list[Commit] = []
        self.sent: list[str] = []

    async def _change(self, machine: Machine, *transitions: Transition) -> Commit:
        committed = await machine.change(self.chat.id, *transitions)
        self.told.append(committed)
        return committed

    async def send(self, busy: Busy = Busy.QUEUE) -> Commit:
        self._number += 1
        self.sent.append(f"{self.chat.id} says {self._number}")
        return await self._change(self._client, SendMessage(said(self.sent[-1], self._place.user_id), busy))

    async def turn(self) -> None:
        """A turn with two messages, one of them withdrawn, a retry, an end that goes on, an interruption."""
        await self.send()
        await self._change(self._runner, Acquire(somebody()), RecordGenerationAttempt())
        withdrawn = (await self.send()).chat.queue[-1].number
        text = self.sent[-1]
        await asyncio.gather(self._retry(), self._change(self._client, DeleteQueuedMessage(withdrawn)), self.send())
        self.sent.remove(text)
        await self._change(self._runner, step("done"), FinishTurn())
        await self._change(self._client, Interrupt())
        await self._change(self._runner, FinishInterruption((answered(Text("stopped")),)))
        await self._change(self._runner, Abandon())

    async def _retry(self) -> None:
        state = RetryState(self._number, 1, "busy", ErrorKind.OVERLOADED, MARKED_AT)
        await self._change(self._runner, RecordRetryState(state))


def step(text: str) -> CommitStep:
    return CommitStep(messages=(answered(Text(text)),), continues=False)


async def said_in(pool: Pool, chat_id: ChatId) -> list[str]:
    rows = await pool.fetch(
        "SELECT parts::jsonb -> 0 ->> 'text' FROM messages WHERE chat_id = $1 AND role = 'user' ORDER BY number",
        chat_id,
    )
    return [row[0] for row in rows]


async def test_two_hundred_lost_answers_double_nothing_and_lose_nothing(place: Place) -> None:
    cuts, proxy = Cuts(1), Proxy(place.url)
    async with proxy.running(), open_pool(proxy.url, size=12) as shaky:
        client, runner = place.another_machine(shaky), place.another_machine(shaky)
        chats = [Driven(place, await place.chats.at_rest(), client, runner) for _ in range(6)]
        proxy.decide = cuts

        async def keep_on(driven: Driven) -> None:
            while cuts.made < CUTS:
                await driven.turn()

        await asyncio.gather(*(keep_on(driven) for driven in chats))
        proxy.decide = lambda _: Fate.CARRY
    assert cuts.made >= CUTS
    for driven in chats:
        chat = await place.machine.load(driven.chat.id)
        assert (chat.state, chat.owned) == (State.W, False)
        assert await said_in(place.pool, chat.id) == ["hello", *driven.sent]
        versions = sorted(committed.chat.snapshot_version for committed in driven.told)
        assert versions == list(range(driven.chat.snapshot_version + 1, chat.snapshot_version + 1))


@pytest.mark.parametrize("fate", [Fate.LOSE_ANSWER, Fate.RACE, Fate.LOSE_REQUEST], ids=lambda fate: fate.name)
async def test_a_new_chat_comes_to_be_once(place: Place, fate: Fate) -> None:
    proxy = Proxy(place.url)
    fates = iter([fate])
    async with proxy.running(), open_pool(proxy.url, size=2) as shaky:
        await place.chats_of(place.another_machine(shaky)).created()
        proxy.decide = lambda commit: next(fates, Fate.CARRY) if commit else Fate.CARRY
        begins = Create((said("once", place.user_id),))
        committed = await place.another_machine(shaky).create(ChatId(uuid4()), place.chats.card(), [begins])
    assert await said_in(place.pool, committed.chat.id) == ["once"]
    assert committed.chat == await place.machine.load(committed.chat.id)


async def test_a_stop_that_got_through_does_not_stop_the_next_turn_too(place: Place) -> None:
    chat = await place.chats.quiet(State.R1)
    proxy = Proxy(place.url)
    async with proxy.running(), open_pool(proxy.url, size=2) as shaky:
        machine = place.another_machine(shaky)
        await machine.load(chat.id)
        moved = asyncio.Event()

        def lose_answer_and_move_on(commit: bool) -> Fate:
            if commit and not moved.is_set():
                moved.set()
                return Fate.LOSE_ANSWER
            return Fate.CARRY

        proxy.decide = lose_answer_and_move_on
        stop = asyncio.ensure_future(machine.change(chat.id, Interrupt()))
        await moved.wait()
        await until(place, chat.id, lambda now: now.state is State.I1)
        await place.machine.change(chat.id, FinishInterruption())
        committed = await stop
    assert committed.chat.state is State.I1
    assert (await place.machine.load(chat.id)).state is State.R1


async def until(place: Place, chat_id: ChatId, happened: Callable[[Chat], bool]) -> None:
    async with asyncio.timeout(30):
        while not happened(await place.machine.load(chat_id)):
            pass


async def test_an_answer_that_never_comes_is_looked_for_after_the_timeout(place: Place) -> None:
    chat = await place.chats.at_rest()
    proxy = Proxy(place.url)
    fates = iter([Fate.HANG])
    async with proxy.running(), open_pool(proxy.url, size=2) as shaky:
        machine = Machine(Execution(shaky, timeout=2), place.announced.append)
        await machine.change(chat.id, SendMessage(said("one", place.user_id)))
        await machine.change(chat.id, step("done"), FinishTurn())
        proxy.decide = lambda commit: next(fates, Fate.CARRY) if commit else Fate.CARRY
        committed = await machine.change(chat.id, SendMessage(said("two", place.user_id)))
    assert await said_in(place.pool, chat.id) == ["hello", "one", "two"]
    assert [message.role for message in committed.messages] == [Role.USER]


async def test_a_database_that_stays_away_is_reported_and_the_change_can_be_found_later(place: Place) -> None:
    chat = await place.chats.at_rest()
    proxy = Proxy(place.url)
    async with proxy.running(), open_pool(proxy.url, size=2) as shaky:
        machine = place.another_machine(shaky)
        await machine.change(chat.id, SendMessage(said("one", place.user_id)))
        gone = False

        def lose_everything(commit: bool) -> Fate:
            nonlocal gone
            gone = gone or commit
            return Fate.LOSE_REQUEST if gone else Fate.CARRY

        proxy.decide = lose_everything
        with pytest.raises(Unavailable):
            await machine.change(chat.id, SendMessage(said("two", place.user_id)), request=IMPATIENT)
    assert (await place.machine.load(chat.id)).queue == ()


class CountingExecution(Execution):
    """Counts the tries to commit."""

    tries = 0

    async def commit(self, plan: Commit) -> Commit | None:
        self.tries += 1
        return await super().commit(plan)


async def test_a_database_that_takes_no_writes_is_asked_again_with_patience(place: Place) -> None:
    chat = await place.chats.at_rest()
    name = await place.pool.fetchval("SELECT current_database()")
    async with open_pool(place.url, size=2) as pool:
        execution = CountingExecution(pool)
        machine = Machine(execution, place.announced.append)
        await pool.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        pool.renew()
        with pytest.raises(Unavailable, match="takes no writes"):
            await machine.change(chat.id, SendMessage(said("one", place.user_id)), request=Request(patience=1.0))
        assert 3 <= execution.tries <= 8
        sending = asyncio.ensure_future(machine.change(chat.id, SendMessage(said("two", place.user_id))))
        async with pool.acquire() as connection:
            await connection.execute("SET default_transaction_read_only = off")
            await connection.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")
        pool.renew()
        await sending
    assert await said_in(place.pool, chat.id) == ["hello", "two"]


async def test_a_cancelled_caller_does_not_cancel_a_commit_under_way(place: Place) -> None:
    chat = await place.chats.at_rest()
    proxy = Proxy(place.url)
    async with proxy.running(), open_pool(proxy.url, size=2) as shaky:
        machine = place.another_machine(shaky)
        await machine.change(chat.id, SendMessage(said("one", place.user_id)))
        committing = asyncio.Event()

        def watch(commit: bool) -> Fate:
            if commit:
                committing.set()
            return Fate.CARRY

        proxy.decide = watch
        place.announced.clear()
        sending = asyncio.ensure_future(machine.change(chat.id, SendMessage(said("two", place.user_id))))
        await committing.wait()
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        await machine.settled()
    assert [committed.chat.state for committed in place.announced] == [State.R1]
    assert len((await place.machine.load(chat.id)).queue) == 1


async def test_who_is_cancelled_while_waiting_in_line_writes_nothing_and_blocks_nobody(place: Place) -> None:
    chat = await place.chats.quiet(State.R0)
    sends = [
        asyncio.ensure_future(place.machine.change(chat.id, SendMessage(said(str(n), place.user_id)))) for n in range(6)
    ]
    await asyncio.sleep(0)
    sends[2].cancel()
    sends[4].cancel()
    await asyncio.gather(*sends, return_exceptions=True)
    await place.machine.settled()
    assert len((await place.machine.load(chat.id)).queue) == 4


@pytest.mark.parametrize("lost", [False, True], ids=["swapping", "holding"])
async def test_a_row_that_somebody_holds_for_ever_does_not_hold_its_writers_for_ever(place: Place, lost: bool) -> None:
    chat = await place.chats.at_rest()
    execution = Execution(place.pool, timeout=0.2)
    message = SendMessage(said("hello?", place.user_id))
    # As it was before: whoever plans from this loses every swap, and then wants to hold the row.
    seen = structs.replace(chat, snapshot_version=chat.snapshot_version - 1) if lost else chat
    plan = follow(seen, [message])
    async with place.pool.acquire() as connection, connection.transaction():
        await connection.execute("SELECT FROM chats WHERE id = $1 FOR UPDATE", chat.id)
        with pytest.raises(Unavailable):
            async with asyncio.timeout(60):
                await Committer(execution, SystemClock(), lambda _: plan, IMPATIENT, IMPATIENT.patience).write(plan)


async def test_who_waits_in_line_for_a_change_that_waits_for_the_database_is_refused_when_their_patience_ends(
    place: Place,
) -> None:
    chat = await place.chats.quiet(State.R0)
    async with place.pool.acquire() as connection, connection.transaction():
        await connection.execute("SELECT FROM chats WHERE id = $1 FOR UPDATE", chat.id)
        first = asyncio.ensure_future(place.machine.change(chat.id, SendMessage(said("first", place.user_id))))
        await asyncio.sleep(0)
        second = SendMessage(said("second", place.user_id))
        with pytest.raises(Unavailable, match="an earlier change of this chat is waiting for it"):
            async with asyncio.timeout(60):
                await place.machine.change(chat.id, second, request=IMPATIENT)
    await first
    await place.machine.change(chat.id, SendMessage(said("third", place.user_id)), request=IMPATIENT)
    assert len((await place.machine.load(chat.id)).queue) == 2
