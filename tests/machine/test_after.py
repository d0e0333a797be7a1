"""What a commit means, worked out from what was known before it, is what a fresh read of the database says."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from tests.machine.place import Place

from perdure.agent.history import History
from perdure.core.action import ActionKind, CallKind, Decision, Verdict
from perdure.core.card import CardChange
from perdure.core.chat import Busy, Chat, Status
from perdure.core.commit import Commit, asked_parts, card_after, history_after, pending, queue_after, settings_after
from perdure.core.errors import PerdureError
from perdure.core.failure import ErrorKind, RetryState
from perdure.core.ids import ChatId, MessageNumber
from perdure.core.message import Kind, Message, NewMessage, Role, Text, ToolCall, ToolResult, Visibility
from perdure.machine.transitions import (
    Abandon,
    Acquire,
    CancelRequiresAction,
    CommitStep,
    CompleteRequiresAction,
    DeleteQueuedMessage,
    EditMessage,
    EditQueuedMessage,
    EnterRequiresAction,
    FinishError,
    FinishInterruption,
    FinishTurn,
    Interrupt,
    Outcome,
    PromoteQueuedMessage,
    RecordGenerationAttempt,
    RecordRetryState,
    ReorderQueue,
    RequestCompaction,
    Retry,
    SendMessage,
    SetArchived,
    Target,
    Transition,
)
from perdure.store import following
from perdure.store.following import Reading
from perdure.store.histories import load_history
from perdure.store.rows import message_of
from perdure.stream.view import moved_on, view_of
from perdure.testing.chats import FAILURE, answered, said, somebody

WALKS = 24
COMMITS = 40
ALL_KINDS = {
    "ask_user_question": CallKind.LOCAL,
    "propose_plan": CallKind.LOCAL,
    "ledger": CallKind.LOCAL,
    "page": CallKind.CLIENT,
    "agents": CallKind.CHILDREN,
}
VERDICTS = {
    ActionKind.APPROVAL: (Verdict.APPROVE, Verdict.DENY),
    ActionKind.OUTCOME_UNKNOWN: (Verdict.HAPPENED, Verdict.REPEAT, Verdict.SKIP),
    ActionKind.ELICITATION: (Verdict.ANSWER,),
}


@dataclass(frozen=True, slots=True)
class Known:
    """Everything that the database says of a chat."""

    reading: Reading
    messages: tuple[Message, ...]
    history: History


async def read(place: Place, chat_id: ChatId) -> Known:
    reading = await following.read(place.pool, chat_id, None)
    assert reading is not None
    rows = await place.pool.fetch(
        "SELECT * FROM messages WHERE chat_id = $1 AND hidden_in IS NULL ORDER BY number", chat_id
    )
    news = await load_history(place.pool, chat_id)
    history = History.of(news.card, reading.chat.history_version, news.messages)
    return Known(reading, tuple(message_of(row) for row in rows), history)


class Walk:
    """Transitions that a chat may follow next, drawn at random. The machine refuses some."""

    def __init__(self, place: Place, seed: int) -> None:
        self.random = Random(seed)
        self._user = place.user_id
        self._count = 0
        self._covered = 1

    def bundle(self, known: Known) -> Sequence[Transition]:
        """One to three transitions for one commit."""
        chat = known.reading.chat
        # Whose turn it is comes first, so that what few may do happens as often as what many may.
        groups = [candidates for group in self._groups(chat, known.messages) if (candidates := list(group))]
        first = self.random.choice(self.random.choice(groups))
        if isinstance(first, SendMessage) and self.random.random() < 0.5:
            return first, Acquire(somebody(), chat.worker_id), RecordGenerationAttempt(7)
        if isinstance(first, CommitStep) and self.random.random() < 0.5:
            return first, FinishTurn()
        return (first,)

    def _groups(self, chat: Chat, messages: Sequence[Message]) -> Iterator[Iterable[Transition]]:
        yield self._sends()
        yield self._of_the_queue(chat)
        yield self._of_a_runner(chat)
        yield self._of_a_runner(chat)
        yield self._of_a_parked(chat)
        yield (Interrupt(), Retry(), RequestCompaction(), SetArchived(not chat.archived))
        if self.random.random() < 0.3:
            yield (self._edit(messages),)

    def _sends(self) -> Iterator[Transition]:
        for busy in Busy:
            mode = CardChange(plan_mode=self.random.random() < 0.7) if self.random.random() < 0.5 else CardChange()
            yield SendMessage(self._said(), busy, card=mode)

    def _of_the_queue(self, chat: Chat) -> Iterator[Transition]:
        if not chat.queue:
            return
        numbers = [entry.number for entry in chat.queue]
        number = self.random.choice(numbers)
        yield DeleteQueuedMessage(number)
        yield EditQueuedMessage(number, self._said().parts)
        yield PromoteQueuedMessage(number)
        yield ReorderQueue(tuple(self.random.sample(numbers, len(numbers))))

    def _of_a_runner(self, chat: Chat) -> Iterator[Transition]:
        yield Abandon() if chat.owned else Acquire(somebody())
        if chat.status is Status.INTERRUPTING:
            yield FinishInterruption(self._results(chat), spend=3)
        if chat.status is not Status.RUNNING:
            return
        at = datetime(2030, 1, 1, tzinfo=UTC)
        yield RecordGenerationAttempt()
        yield RecordRetryState(RetryState(1, 1000, "busy", ErrorKind.OVERLOADED, at))
        yield FinishError(FAILURE, spend=2)
        for kind in ActionKind:
            deadline = timedelta(minutes=1) if self.random.random() < 0.5 else None
            yield EnterRequiresAction(kind, deadline=deadline)
        for _ in range(4):
            yield self._step(chat)

    def _step(self, chat: Chat) -> CommitStep:
        if chat.open_calls:
            return CommitStep(messages=self._results(chat), continues=self.random.random() < 0.5)
        if self.random.random() < 0.15:
            return CommitStep(messages=self._compaction(chat), consume_compaction=True)
        tools = self.random.sample(sorted(ALL_KINDS), self.random.randrange(3))
        parts = [ToolCall(self._name(), tool, '{"n":1}') for tool in tools]
        cost = CardChange(cost=5, unpriced_calls=1, context_tokens=self.random.randrange(100), context_limit=1000)
        return CommitStep(
            messages=(answered(Text(self._name()), *parts),),
            continues=bool(parts),
            call_kinds=ALL_KINDS,
            spend=5,
            card=cost if self.random.random() < 0.7 else None,
        )

    def _of_a_parked(self, chat: Chat) -> Iterator[Transition]:
        if chat.action is None:
            return
        yield CancelRequiresAction()
        asked = [call.call_id for call in chat.open_calls if call.index in chat.action.calls]
        always = self.random.random() < 0.5
        for verdict in VERDICTS.get(chat.action.kind, ()):
            yield CompleteRequiresAction(decisions=[Decision(call, verdict, "1", always=always) for call in asked])
            one = self.random.choice(asked)
            yield CompleteRequiresAction(decisions=[Decision(one, verdict, "1", always=always)])
        if chat.action.kind is ActionKind.BUDGET:
            yield CompleteRequiresAction(limit=1_000_000, declined=self.random.random() < 0.5)
        yield CompleteRequiresAction(outcomes=[Outcome(call, "1") for call in asked])

    def _edit(self, messages: Sequence[Message]) -> EditMessage:
        # One of the newest, so that summaries of what came before stay.
        number = self.random.choice(
            [m.number for m in messages if m.role is Role.USER and m.kind is Kind.ORDINARY][-4:]
        )
        target = Target(number=number, visibility=Visibility.BOTH, model=None, effort=None)
        return EditMessage(target, self._said())

    def _compaction(self, chat: Chat) -> tuple[NewMessage, ...]:
        # A summary covers at least what the one before it did.
        self._covered = covers = MessageNumber(self.random.randrange(self._covered, chat.next_message))
        summary = NewMessage(
            role=Role.USER, kind=Kind.BOUNDARY, visibility=Visibility.MODEL, parts=(Text("so far"),), covers=covers
        )
        return summary, NewMessage(role=Role.ASSISTANT, kind=Kind.NOTICE, parts=(Text("compacted"),))

    def _results(self, chat: Chat) -> tuple[NewMessage, ...]:
        return tuple(
            NewMessage(role=Role.TOOL, parts=(ToolResult(call.call_id, call.tool, "1"),)) for call in chat.open_calls
        )

    def _said(self) -> NewMessage:
        return said(self._name(), self._user)

    def _name(self) -> str:
        self._count += 1
        return f"number {self._count}"


def check(before: Known, commit: Commit, now: Known) -> None:
    seen, read = before.reading, now.reading
    assert commit.chat == read.chat
    assert card_after(seen.card, commit) == read.card
    assert queue_after(seen.queue, commit) == read.queue
    assert pending(commit.chat, asked_parts(seen.asked, commit)) == pending(read.chat, read.asked)
    assert history_after(before.messages, commit) == now.messages
    assert settings_after(before.history.card, commit) == now.history.card
    moved = moved_on(view_of(seen), commit)
    assert moved is not None
    assert moved[0] == view_of(read)
    check_prompt(before, commit, now)


def check_prompt(before: Known, commit: Commit, now: Known) -> None:
    after = before.history.after(commit)
    if after is None:
        assert commit.hidden_from is not None
    else:
        assert (after.version, after.card, after.prompt()) == (
            now.history.version,
            now.history.card,
            now.history.prompt(),
        )


@pytest.mark.parametrize("seed", range(WALKS))
async def test_after_every_commit_of_a_random_walk(place: Place, seed: int) -> None:
    walk, committed = Walk(place, seed), 0
    chat_id = (await place.chats.created()).id
    known = await read(place, chat_id)
    while committed < COMMITS:
        try:
            commit = await place.machine.change(chat_id, *walk.bundle(known))
        except PerdureError:
            continue
        if commit.empty:
            continue
        committed += 1
        now = await read(place, chat_id)
        check(known, commit, now)
        known = now


async def test_a_card_that_somebody_else_changed_is_not_worked_out(place: Place) -> None:
    chat = await place.chats.quiet((await place.chats.at_rest()).state)
    known = await read(place, chat.id)
    await place.pool.execute(
        "UPDATE chat_cards SET title = 'Another', metadata_version = metadata_version + 1 WHERE id = $1", chat.id
    )
    card = CardChange(plan_mode=True)
    commit = await place.machine.change(chat.id, SendMessage(said("hi", place.user_id), card=card))
    assert commit.metadata_version == known.reading.metadata_version + 2
    assert moved_on(view_of(known.reading), commit) is None
