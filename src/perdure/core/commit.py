"""One change of one chat: planned by the machine, written by the store, read by everybody once it is committed."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from msgspec import Struct, structs

from perdure.core.card import CardChange, NewCard
from perdure.core.chat import Chat, Fence
from perdure.core.events import QueuedMessage
from perdure.core.ids import ChangeId, ChatId, FileId, MessageNumber, QueuedNumber
from perdure.core.message import Message, NewMessage
from perdure.core.parts import AnyPart


class InboxKind(StrEnum):
    """Why the owner of a chat is told something."""

    FINISHED = "finished"
    FAILED = "failed"
    NEEDS_YOU = "needs_you"


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
    card: CardChange | None = None

    action_deadline: timedelta | None = None
    """How long after the commit the action's deadline is."""
    compaction_requested: bool = False
    """Whether a compaction is requested at the moment of the commit."""
    turn_began: bool = False
    """Whether a turn begins at the moment of the commit."""

    change_id: ChangeId | None = None
    """The name that all tries to write this share."""
    new_card: NewCard | None = None
    key: IdempotencyKey | None = None
    guard: Guard | None = None

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
                created_at=chat.updated_at,
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
                created_at=chat.updated_at,
                client_id=message.client_id,
            )
            for number, message in self.enqueued
        )
