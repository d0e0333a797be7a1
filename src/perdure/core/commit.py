"""One change of one chat, planned by the machine and written by the store; and what it means for who knows the chat."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from uuid import UUID

from msgspec import Struct, json, structs

from perdure.core.action import Action, ActionKind, Asks, deciders_of
from perdure.core.card import Card, CardChange, NewCard, moved_fields
from perdure.core.chat import Chat, Status
from perdure.core.events import ChatCard, PendingAction, PendingCall, PendingQuestion, QueuedMessage
from perdure.core.fence import Fence
from perdure.core.ids import ChangeId, ChatId, FileId, MessageNumber, QueuedNumber, UserId
from perdure.core.message import AnyPart, Kind, Message, NewMessage, ToolCall


class InboxKind(StrEnum):
    """Why the owner of a chat is told something."""

    FINISHED = "finished"
    FAILED = "failed"
    NEEDS_YOU = "needs_you"


class Mentions(Struct, frozen=True):
    """Those whom a message names, and what they are told of it."""

    users: tuple[UserId, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyKey:
    """The key of a request, and the answer that later requests with the same key get."""

    caller: object
    route: str
    key: str
    request_hash: bytes
    answer: str


@dataclass(frozen=True, slots=True)
class Guard:
    """Another chat whose fence must still hold: a parent that creates or addresses a child."""

    chat_id: ChatId
    fence: Fence


@dataclass(frozen=True, slots=True)
class Sight:
    """What a change takes for granted of the chat's card, which its own row does not say; and that it has no agents."""

    metadata_version: int
    reader: UserId
    read_number: int
    """Up to which message the reader has read it."""


class Commit(Struct, frozen=True, kw_only=True):
    """The chat before and after, and every row that makes the difference. No row appears twice.

    A plan has everything but what only the database knows. Writing it returns the same record with that filled in: the
    moments on the chat's row, the messages that left the queue, and the version of the card.
    """

    base: Chat | None
    """The chat as it was; None for one that is created."""
    chat: Chat
    """The chat as it is afterwards."""

    appended: tuple[tuple[MessageNumber, NewMessage], ...] = ()
    hidden_from: MessageNumber | None = None
    """Messages from this number on leave the history."""
    enqueued: tuple[tuple[QueuedNumber, NewMessage], ...] = ()
    removed: tuple[QueuedNumber, ...] = ()
    rewritten: tuple[tuple[QueuedNumber, tuple[AnyPart, ...]], ...] = ()
    promoted: tuple[tuple[QueuedNumber, MessageNumber], ...] = ()
    """Queued messages that enter the history, each with the number that it gets there."""
    files: tuple[FileId, ...] = ()
    inbox: tuple[InboxKind, ...] = ()
    mentions: Mentions | None = None
    card: CardChange | None = None

    action_deadline: timedelta | None = None
    """How long after the commit the action's deadline is."""
    compaction_requested: bool = False
    """Whether a compaction is requested at the moment of the commit."""
    turn_began: bool = False
    """Whether a turn begins at the moment of the commit."""
    asker_queued: QueuedNumber | None = None
    """The queued message whose author the chat works for now. Who that is, only the database knows."""

    change_id: ChangeId | None = None
    """The name that all tries to write this share."""
    new_card: NewCard | None = None
    key: IdempotencyKey | None = None
    guard: Guard | None = None
    sight: Sight | None = None

    promoted_messages: tuple[Message, ...] = ()
    """The promoted messages, once they are in the history."""
    line: int | None = None
    """The line of the database's history that it was written on, where the answer of the database was heard."""
    waited: tuple[timedelta, ...] = ()
    """How long each of them was in the queue."""
    metadata_version: int | None = None
    """The version that the card got, where `card` changed it and the answer of the database was heard."""

    @property
    def empty(self) -> bool:
        """Nothing is to be written: what was asked for is already so."""
        return self.chat is self.base

    @property
    def begins_attempt(self) -> bool:
        """Whether it records the attempt that the chat is at. One that was there before is somebody else's."""
        base, chat = self.base, self.chat
        before = None if base is None else (base.history_version, base.generation_attempt)
        return chat.generation_attempt > 0 and before != (chat.history_version, chat.generation_attempt)

    @property
    def traceable(self) -> bool:
        """Whether a row that this inserts carries the change's name, so that it can be found again."""
        return bool(self.appended or self.enqueued)

    @property
    def messages(self) -> tuple[Message, ...]:
        """What the change brings into the history, by number."""
        chat = self.chat
        assert chat.updated_at is not None
        messages = [
            Message(
                **structs.asdict(message),
                number=number,
                revision=chat.snapshot_version,
                created_at=message.said_at or chat.updated_at,
            )
            for number, message in self.appended
        ]
        if self.promoted_messages:
            messages = sorted((*messages, *self.promoted_messages), key=lambda message: message.number)
        return tuple(messages)

    @property
    def queued(self) -> tuple[QueuedMessage, ...]:
        """What the change brings into the queue."""
        chat = self.chat
        assert chat.updated_at is not None
        steering = {entry.number for entry in chat.queue if entry.steer}
        return tuple(
            QueuedMessage(
                number=number,
                parts=message.parts,
                steer=number in steering,
                model=message.model,
                effort=message.effort,
                created_by=message.created_by,
                author=message.author,
                created_at=chat.updated_at,
                client_id=message.client_id,
            )
            for number, message in self.enqueued
        )


def card_after(card: ChatCard, commit: Commit) -> ChatCard:
    """A chat's card as lists and headers show it."""
    chat = commit.chat
    if commit.card is not None:
        card = structs.replace(card, **moved_fields(card, commit.card), updated_at=chat.updated_at)
    return structs.replace(
        card,
        asks=asked_of_owner(chat, plan_mode=card.plan_mode),
        status=chat.status,
        archived=chat.archived,
        unread=card.unread and chat.last_assistant > 0,
        last_error=chat.last_error,
        action=chat.action.kind if chat.action else None,
        waiting_for_capacity=card.waiting_for_capacity and commit.empty,
    )


def asked_of_owner(chat: Chat, *, plan_mode: bool) -> Asks | None:
    """What the last answer asks, while nobody has answered it."""
    return chat.asks_owner if plan_mode and chat.status is Status.WAITING and not chat.newest_is_user else None


def settings_after(card: Card, commit: Commit) -> Card:
    """A chat's card as a turn reads it."""
    if card.asked_by != commit.chat.asked_by:
        # Of others than the owner, who is never shut out, only the database knows it.
        card = structs.replace(card, asked_by=commit.chat.asked_by, excluded=False)
    change = commit.card
    if change is None:
        return card
    moved = moved_fields(card, change)
    if change.approvals:
        moved["settings"] = structs.replace(card.settings, approvals=card.settings.approvals | change.approvals)
    return structs.replace(card, **moved) if moved else card


def queue_after(queue: Iterable[QueuedMessage], commit: Commit) -> tuple[QueuedMessage, ...]:
    """The messages that wait, in order."""
    contents = {queued.number: queued for queued in (*queue, *commit.queued)}
    for number, parts in commit.rewritten:
        contents[number] = structs.replace(contents[number], parts=parts)
    return tuple(structs.replace(contents[entry.number], steer=entry.steer) for entry in commit.chat.queue)


def hides(commit: Commit, message: Message) -> bool:
    """Whether the commit takes the message out of the history. A summary of only what stays, stays."""
    if commit.hidden_from is None or message.number < commit.hidden_from:
        return False
    return message.kind is not Kind.BOUNDARY or message.covers is None or message.covers >= commit.hidden_from


def history_after(messages: Sequence[Message], commit: Commit) -> tuple[Message, ...]:
    """The messages of the history, by number."""
    if commit.hidden_from is None:
        return (*messages, *commit.messages)
    return (*(message for message in messages if not hides(commit, message)), *commit.messages)


def asked_parts(parts: Sequence[AnyPart], commit: Commit) -> Sequence[AnyPart]:
    """The parts of the message that open calls belong to."""
    newest, base = commit.chat.last_assistant, commit.base
    if base is not None and newest == base.last_assistant:
        return parts
    return next((message.parts for number, message in commit.appended if number == newest), ())


def _questions(action: Action, call: int) -> tuple[PendingQuestion, ...]:
    """What one of the calls asks."""
    return tuple(
        PendingQuestion(asked.key, asked.message, json.decode(asked.schema) if asked.schema else None, asked.url)
        for asked in action.questions
        if asked.call == call
    )


def pending(chat: Chat, asked: Sequence[AnyPart]) -> PendingAction | None:
    """What a chat asks for. `asked` are the parts of the message that its open calls belong to."""
    action = chat.action
    if action is None:
        return None
    calls = [part for part in asked if isinstance(part, ToolCall) and not part.provider_executed]
    verdicts = {decision.call_id: decision.verdict for decision in action.decided}
    deciders = {call: deciders_of(action.decided, call) for call in verdicts}
    pending_calls = [(index, calls[index]) for index in action.calls if index < len(calls)]
    return PendingAction(
        kind=action.kind,
        calls=tuple(
            PendingCall(
                c.call_id,
                c.tool,
                c.args,
                verdicts.get(c.call_id),
                deciders.get(c.call_id, ()),
                _questions(action, index),
            )
            for index, c in pending_calls
        ),
        children=tuple(ChatId(UUID(child)) for child in action.children),
        deadline_at=chat.action_deadline_at,
        limit=action.limit,
        spent=action.spent or chat.budget_spent or None,
        budget=action.budget,
        approvers=action.approvers,
        asked_by=chat.asked_by if action.kind is ActionKind.APPROVAL else None,
    )
