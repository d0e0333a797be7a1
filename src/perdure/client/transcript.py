"""A chat as its stream tells it: events folded into messages, the answer in flight, and where things stand."""

from typing import Self

from perdure.core.chat import Status
from perdure.core.cursor import Cursor
from perdure.core.deltas import Accumulator
from perdure.core.errors import InvalidInput
from perdure.core.events import (
    ActionRequired,
    AnyEvent,
    ChatCard,
    ChatEvent,
    ErrorEvent,
    HistoryReset,
    MessageEvent,
    MessagePart,
    PendingAction,
    PreviewReset,
    QueuedMessage,
    QueueUpdate,
    RetryEvent,
    StatusEvent,
)
from perdure.core.failure import ChatError, RetryState
from perdure.core.ids import MessageNumber
from perdure.core.message import AnyPart, Message, Role


class Gap(Exception):
    """Parts are missing before the one that came. Connect again from the cursor."""


class Transcript:
    """What a client knows of a chat. Feed it every event, in order, over any number of connections.

    With a cursor it goes on where another left off, which may be in the middle of an answer.
    """

    def __init__(self, cursor: str | None = None) -> None:
        self.cursor = cursor
        self.card: ChatCard | None = None
        self.status: Status | None = None
        self.queue: tuple[QueuedMessage, ...] = ()
        self.error: ChatError | None = None
        self.action: PendingAction | None = None
        self.retry: RetryState | None = None
        self._messages: dict[MessageNumber, Message] = {}
        self._preview = _Preview.after(cursor)

    @property
    def messages(self) -> list[Message]:
        """The committed messages in order of number."""
        return [self._messages[number] for number in sorted(self._messages)]

    @property
    def preview(self) -> tuple[Role, tuple[AnyPart, ...]] | None:
        """The answer in flight, as far as it is known."""
        return self._preview.shown

    def add(self, event: AnyEvent) -> bool:
        """Take in one event. False where it was known already. Raises `Gap` where something is missing before it."""
        if isinstance(event, MessagePart):
            if not self._preview.add(event):
                return False
        elif isinstance(event, MessageEvent):
            self._commit(event.message)
        else:
            self._learn(event)
        self.cursor = event.cursor
        return True

    def _commit(self, message: Message) -> None:
        known = self._messages.get(message.number)
        if known is not None and known.revision >= message.revision:
            return
        self._messages[message.number] = message
        if known is None and message.revision > self._preview.history_version:
            self._preview = _Preview(message.revision)

    def _learn(self, event: AnyEvent) -> None:
        match event:
            case StatusEvent():
                self.status = event.status
            case QueueUpdate():
                self.queue = event.queue
            case RetryEvent():
                self.retry = event.retry
            case ErrorEvent():
                self.error = event.error
            case ActionRequired():
                self.action = event.action
            case ChatEvent():
                self.card = event.chat
            case PreviewReset():
                self._preview.forget()
            case HistoryReset():
                self._cut(event.after)
            case _:
                pass

    def _cut(self, after: int) -> None:
        self._messages = {number: message for number, message in self._messages.items() if number <= after}
        newest = max((message.revision for message in self._messages.values()), default=0)
        self._preview = _Preview(newest)


class _Preview:
    """The parts of one episode. An empty one remembers which episodes are over."""

    def __init__(self, history_version: int = 0, attempt: int = 0, seq: int = 0) -> None:
        self.history_version = history_version
        self._attempt = attempt
        self._seq = seq
        self._role = Role.ASSISTANT
        self._folding = Accumulator()

    @classmethod
    def after(cls, cursor: str | None) -> Self:
        """What comes after a cursor. Of one that is none, the server will say so."""
        try:
            seen = Cursor.parse(cursor) if cursor else Cursor()
        except InvalidInput:
            seen = Cursor()
        return cls(seen.history, seen.attempt, seen.seq)

    @property
    def shown(self) -> tuple[Role, tuple[AnyPart, ...]] | None:
        return (self._role, self._folding.parts()) if self._folding else None

    def forget(self) -> None:
        self._seq = 0
        self._folding = Accumulator()

    def add(self, event: MessagePart) -> bool:
        """Take the part that comes next, drop one that is not newer."""
        episode, mine = (event.history_version, event.attempt), (self.history_version, self._attempt)
        if episode < mine or (episode == mine and event.seq <= self._seq):
            return False
        last = self._seq if episode == mine else 0
        if (event.seq if event.seq_from is None else event.seq_from) != last + 1:
            raise Gap
        if episode != mine:
            self.forget()
        self.history_version, self._attempt, self._seq = *episode, event.seq
        self._role = event.role
        self._folding.add(event.part)
        return True
