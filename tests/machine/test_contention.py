"""Many writers on one chat: order, gapless versions, nobody starves, all or nothing."""

import asyncio
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.machine.cells import MARKED_AT
from tests.machine.place import Place

from perdure.core.chat import Busy, Chat, State
from perdure.core.commit import Commit
from perdure.core.errors import QueuedMessageNotFound, QueueFull, TransitionNotAllowed
from perdure.core.failure import ErrorKind, RetryState
from perdure.core.ids import ChatId
from perdure.core.message import Text
from perdure.machine.committer import Request
from perdure.machine.machine import Machine
from perdure.machine.transitions import (
    CommitStep,
    DeleteQueuedMessage,
    FinishInterruption,
    FinishTurn,
    Interrupt,
    RecordRetryState,
    SendMessage,
    Transition,
)
from perdure.proof.proxy import Fate, Proxy
from perdure.store.pool import Pool, open_pool
from perdure.testing.chats import answered, said
from perdure.testing.postgres import Databases

DONE = CommitStep(messages=(answered(Text("done")),), continues=False)


async def texts(pool: Pool, chat: Chat) -> tuple[list[str], list[str]]:
    """What users said, in the history and in the queue."""
    history = await pool.fetch(
        "SELECT parts::jsonb -> 0 ->> 'text' FROM messages WHERE chat_id = $1 AND role = 'user' ORDER BY number",
        chat.id,
    )
    queue = await pool.fetch(
        "SELECT parts::jsonb -> 0 ->> 'text' FROM queued_messages q "
        "WHERE chat_id = $1 AND removed_in IS NULL ORDER BY array_position($2::integer[], number)",
        chat.id,
        [entry.number for entry in chat.queue],
    )
    return [row[0] for row in history], [row[0] for row in queue]


class Client:
    """Somebody who does things to one chat through a machine of their own, as another process would."""

    def __init__(self, place: Place, chat: Chat, name: str) -> None:
        self._machine, self._chat, self._place, self._name = place.another_machine(), chat, place, name
        self.told: list[Commit] = []
        self.admitted: list[tuple[int, str]] = []
        self.withdrawn: list[str] = []

    async def act(self, actions: Sequence[str]) -> None:
        for number, action in enumerate(actions):
            try:
                await getattr(self, action)(f"{self._name} {number}")
            except (TransitionNotAllowed, QueueFull, QueuedMessageNotFound):
                # Refused is an answer, too. What matters is that it left nothing behind.
                continue

    async def _change(self, *transitions: Transition) -> Commit:
        committed = await self._machine.change(self._chat.id, *transitions)
        if not committed.empty:
            self.told.append(committed)
        return committed

    async def _send(self, text: str, busy: Busy) -> None:
        committed = await self._change(SendMessage(said(text, self._place.user_id), busy))
        self.admitted.append((committed.chat.snapshot_version, text))

    async def queue(self, text: str) -> None:
        await self._send(text, Busy.QUEUE)

    async def interrupt(self, text: str) -> None:
        await self._send(text, Busy.INTERRUPT)

    async def withdraw(self, text: str) -> None:
        committed = await self._change(SendMessage(said(text, self._place.user_id)))
        if not committed.enqueued:
            self.admitted.append((committed.chat.snapshot_version, text))
            return
        ((number, _),) = committed.enqueued
        try:
            await self._change(DeleteQueuedMessage(number))
        except (QueuedMessageNotFound, TransitionNotAllowed):
            self.admitted.append((committed.chat.snapshot_version, text))
            raise

    async def stop(self, _: str) -> None:
        await self._change(Interrupt())

    async def drive(self, _: str) -> None:
        chat = await self._machine.load(self._chat.id)
        stopping = chat.state in (State.I0, State.I1)
        await self._change(*([FinishInterruption()] if stopping else [DONE, FinishTurn()]))


ACTIONS = st.sampled_from(["queue", "queue", "interrupt", "withdraw", "stop", "drive", "drive"])
SCRIPTS = st.lists(st.lists(ACTIONS, min_size=3, max_size=10), min_size=8, max_size=8)


@given(scripts=SCRIPTS)
@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_eight_clients_at_once_keep_order_and_count(databases: Databases, scripts: list[list[str]]) -> None:
    asyncio.run(eight_clients(databases, scripts))


async def eight_clients(databases: Databases, scripts: list[list[str]]) -> None:
    async with databases.fresh() as url, open_pool(url) as pool:
        place = Place(url, pool)
        await place.furnish()
        chat = await place.chats.at_rest()
        clients = [Client(place, chat, f"client {number}") for number in range(len(scripts))]
        await asyncio.gather(*(client.act(script) for client, script in zip(clients, scripts, strict=True)))
        end = await place.machine.load(chat.id)
        versions = sorted(committed.chat.snapshot_version for client in clients for committed in client.told)
        assert versions == list(range(chat.snapshot_version + 1, end.snapshot_version + 1))
        history, queue = await texts(pool, end)
        admitted = sorted(admission for client in clients for admission in client.admitted)
        assert [*history, *queue] == ["hello", *(text for _, text in admitted)]


async def test_thirty_two_writers_and_a_large_answer_all_get_through(database_url: str) -> None:
    async with open_pool(database_url, size=20) as pool:
        place = Place(database_url, pool)
        await place.furnish()
        chat = await place.chats.created()
        large = CommitStep(messages=(answered(Text("x" * 400_000)),))
        scripts: list[Sequence[Transition]] = [[large] * 5]
        scripts += [[retrying(writer, n) for n in range(5)] for writer in range(15)]
        writers = [asyncio.ensure_future(all_of(place.another_machine(), chat.id, script)) for script in scripts]
        writers += [asyncio.ensure_future(in_and_out(place, chat.id)) for _ in range(16)]
        assert len(writers) == 32
        await asyncio.gather(*writers)
        end = await place.machine.load(chat.id)
    assert (end.state, end.queue) == (State.R0, ())
    # Five answers, five of each retry, five messages in and out again: every one of them a snapshot of its own.
    assert end.snapshot_version == chat.snapshot_version + 5 + 15 * 5 + 16 * 5 * 2
    assert end.next_message == chat.next_message + 5


def retrying(writer: int, attempt: int) -> RecordRetryState:
    return RecordRetryState(RetryState(writer, attempt, "", ErrorKind.TIMEOUT, MARKED_AT))


async def all_of(machine: Machine, chat_id: ChatId, transitions: Sequence[Transition]) -> None:
    for transition in transitions:
        await machine.change(chat_id, transition)


async def in_and_out(place: Place, chat_id: ChatId) -> None:
    machine = place.another_machine()
    for _ in range(5):
        committed = await machine.change(chat_id, SendMessage(said("in", place.user_id)))
        ((number, _message),) = committed.enqueued
        await machine.change(chat_id, DeleteQueuedMessage(number))


# A process that is killed in the middle of a commit.

WRITER = """
import asyncio, sys
from uuid import UUID
from perdure.core.ids import ChatId, UserId
from perdure.core.message import Text
from perdure.machine.machine import Machine
from perdure.machine.transitions import CommitStep, FinishTurn, SendMessage
from perdure.store.execution import Execution
from perdure.store.pool import open_pool
from perdure.testing.chats import answered, said

async def main(url, chat_id, user_id):
    async with open_pool(url, size=2) as pool:
        machine = Machine(Execution(pool), lambda committed: None)
        done = CommitStep(messages=(answered(Text("done")),), continues=False)
        print("ready", flush=True)
        while True:
            await machine.change(chat_id, SendMessage(said("one", user_id)))
            await machine.change(chat_id, SendMessage(said("two", user_id)))
            await machine.change(chat_id, done, FinishTurn())
            await machine.change(chat_id, done, FinishTurn())

asyncio.run(main(sys.argv[1], ChatId(UUID(sys.argv[2])), UserId(UUID(sys.argv[3]))))
"""


async def test_a_killed_process_leaves_whole_changes_only(place: Place, tmp_path: Path) -> None:
    script = tmp_path / "writer.py"
    script.write_text(WRITER, encoding="utf8")
    chats = [await place.chats.at_rest() for _ in range(12)]
    random = Random(7)
    await asyncio.gather(*(killed(place, script, chat, random.randint(1, 60)) for chat in chats))
    for chat in chats:
        end = await place.machine.load(chat.id)
        assert end.snapshot_version > chat.snapshot_version
        await check_whole(place, end)


async def killed(place: Place, script: Path, chat: Chat, changes: int) -> None:
    """End the writer once it has made about this many changes, wherever it is by then."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, script, place.url, str(chat.id), str(place.user_id), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    await until_moved(place, chat, changes)
    process.send_signal(signal.SIGKILL)
    await process.wait()


async def until_moved(place: Place, chat: Chat, changes: int) -> None:
    while (await place.machine.load(chat.id)).snapshot_version < chat.snapshot_version + changes:
        pass


async def check_whole(place: Place, chat: Chat) -> None:
    """Every number below the counters is there once, every row is of a snapshot that was, the queue is what it says."""
    messages = await place.pool.fetch(
        "SELECT number, revision, queued_as FROM messages WHERE chat_id = $1 ORDER BY number", chat.id
    )
    assert [row["number"] for row in messages] == list(range(1, chat.next_message))
    assert max(row["revision"] for row in messages) == chat.history_version
    queued = [row["queued_as"] for row in messages if row["queued_as"]] + [entry.number for entry in chat.queue]
    assert queued == list(range(1, chat.next_queued))
    waiting = await place.pool.fetch("SELECT number FROM queued_messages WHERE chat_id = $1", chat.id)
    assert [row["number"] for row in waiting] == [entry.number for entry in chat.queue]


# What a commit costs.


async def test_a_commit_is_one_statement_and_one_round_trip(place: Place) -> None:
    proxy = Proxy(place.url)
    async with proxy.running(), open_pool(proxy.url, size=1) as pool:
        machine = place.another_machine(pool)
        chat = await place.chats_of(machine).at_rest()

        async def turn(chat: Chat) -> Chat:
            chat = (await machine.change(chat.id, SendMessage(said("hello", place.user_id)))).chat
            return (await machine.advance(chat, DONE, FinishTurn())).chat

        for _ in range(2):
            chat = await turn(await machine.load(chat.id))
        requests, commits = proxy.requests, proxy.commits
        chat = await turn(chat)
        assert (proxy.requests - requests, proxy.commits - commits) == (2, 2)
        requests, machine = proxy.requests, place.another_machine(pool)
        await turn(chat)
        # Whoever does not know the row reads it first.
        assert proxy.requests - requests == 3


async def test_a_lost_swap_is_planned_again_from_the_row_as_it_is(place: Place) -> None:
    chat = await place.chats.quiet(State.R0)
    stale = chat
    await place.machine.change(chat.id, SendMessage(said("first", place.user_id)))
    committed = await place.machine.advance(stale, SendMessage(said("second", place.user_id)))
    assert [entry.number for entry in committed.chat.queue] == [1, 2]
    assert committed.chat.snapshot_version == stale.snapshot_version + 2


@pytest.mark.parametrize("patience", [0.0])
async def test_a_lost_request_is_tried_again(place: Place, patience: float) -> None:
    proxy = Proxy(place.url)
    fates = iter([Fate.LOSE_REQUEST])
    async with proxy.running(), open_pool(proxy.url, size=2) as pool:
        machine = place.another_machine(pool)
        chat = await place.chats_of(machine).quiet(State.R0)
        proxy.decide = lambda commit: next(fates, Fate.CARRY) if commit else Fate.CARRY
        request = Request(patience=patience)
        committed = await machine.change(chat.id, SendMessage(said("once", place.user_id)), request=request)
    assert [entry.number for entry in committed.chat.queue] == [1]


REFUSED_ONCE = """
CREATE SEQUENCE tries;
CREATE FUNCTION refused_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF nextval('tries') = 1 THEN RAISE EXCEPTION 'not now' USING ERRCODE = '{code}'; END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER refused_once BEFORE UPDATE ON chats FOR EACH ROW EXECUTE FUNCTION refused_once();
"""


@pytest.mark.parametrize("code", ["40P01", "40001", "53100", "53200", "57014", "57P05", "58030"])
async def test_what_a_server_refused_for_the_moment_is_written_once(place: Place, code: str) -> None:
    chat = await place.chats.at_rest()
    await place.pool.execute(REFUSED_ONCE.format(code=code))
    committed = await place.machine.change(chat.id, SendMessage(said("hello", place.user_id)))
    assert committed.chat.snapshot_version == chat.snapshot_version + 1
    assert (await texts(place.pool, await place.machine.load(chat.id)))[0][-1:] == ["hello"]
    assert await place.pool.fetchval("SELECT last_value FROM tries") == 2
