"""A turn as a list of events that depends on its messages alone, however they arrived.

What a reader saw of a turn can be counted, and told again from anywhere: while the answer is given, after it was
committed, on another replica. So text is cut at places that depend on the text, not on how a model sent it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from perdure.core.deltas import AnyDelta, ReasoningDelta, TextDelta, ToolCallDelta, ToolResultDelta
from perdure.core.failure import ChatError
from perdure.core.message import AnyPart, FinishReason, Message, Reasoning, Role, Text, ToolCall, ToolResult
from perdure.faces.pieces import Growing, certain, pieces


class TextKind(StrEnum):
    TEXT = "text"
    REASONING = "reasoning"


@dataclass(frozen=True, slots=True)
class Opened:
    """Text begins."""

    kind: TextKind


class Piece(Struct, frozen=True, gc=False):
    """More of it. A struct, because there is one for every word."""

    kind: TextKind
    text: str


@dataclass(frozen=True, slots=True)
class Closed:
    """All of it. What was begun and then written differently, by another attempt, is not whole."""

    kind: TextKind
    text: str
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Called:
    """A call, with all of its arguments."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class Returned:
    """What a call came to."""

    result: ToolResult


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer of the model is committed."""

    message: Message


class Outcome(StrEnum):
    COMPLETED = "completed"
    CALLS = "calls"
    """It waits for results of the client's own tools."""
    ASKS = "asks"
    """It waits for its owner's decision; only for those who would rather be asked than wait."""
    LENGTH = "length"
    FILTERED = "filtered"
    STOPPED = "stopped"
    FAILED = "failed"
    REPLACED = "replaced"
    """What was asked was edited, and so nobody answers it any more."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The turn is over."""

    outcome: Outcome
    error: ChatError | None = None


TurnEvent: TypeAlias = Opened | Piece | Closed | Called | Returned | Answered | Ended

_TURNED: dict[FinishReason | None, Outcome] = {
    FinishReason.LENGTH: Outcome.LENGTH,
    FinishReason.CONTENT_FILTER: Outcome.FILTERED,
    FinishReason.INTERRUPTED: Outcome.STOPPED,
}


def outcome_after(message: Message | None) -> Outcome:
    """How a turn went whose chat rests after this answer. Without any, it was stopped before there was one."""
    return Outcome.STOPPED if message is None else _TURNED.get(message.finish_reason, Outcome.COMPLETED)


@dataclass(slots=True)
class _Known(Growing):
    """A text as far as it is known."""

    kind: TextKind


@dataclass(slots=True)
class _Told(Growing):
    """What was told of a part of the answer."""

    kind: TextKind | None
    """None where it is no text."""
    open: bool = True

    def agrees(self, part: _Known, *, over: bool) -> bool:
        """Whether a part is the one that was told. One that is still being written may not have come as far again."""
        if part.kind is not self.kind:
            return False
        if self.open:
            return part.text.startswith(self.text) or (not over and self.text.startswith(part.text))
        return part.text == self.text if over else self.text.startswith(part.text)


@dataclass(slots=True)
class _Growing:
    """A part that is told while it grows. Most of what comes of an answer is more of it, and is not compared again."""

    known: _Known
    told: _Told
    rest: str
    """What is known of it and not told."""

    def news(self, text: str) -> list[TurnEvent]:
        rest = self.rest + text
        found = certain(rest)
        self.told.add(found)
        self.rest = rest[sum(map(len, found)) :]
        return [Piece(self.known.kind, piece) for piece in found]


class TurnLog:
    """Takes what a stream tells of one turn, in order, and gives the turn's events."""

    def __init__(self, after: int) -> None:
        self._number = after
        self._preview: dict[int, _Known | None] = {}
        """What is known of the answer in flight, by the index of its parts. None where it is no text."""
        self._told: list[_Told] = []
        """What was told of this answer."""
        self._certain = 0
        """How many of its parts the attempt that is under way has given, too."""
        self._growing: _Growing | None = None
        """The part that is told while it grows, where all that was told of it is known to agree."""
        self.last: Message | None = None
        """The newest answer."""

    def arrived(self, delta: AnyDelta) -> list[TurnEvent]:
        """A piece of the answer in flight."""
        if isinstance(delta, TextDelta | ReasoningDelta):
            known = self._preview.get(delta.index)
            if known is None:
                kind = TextKind.TEXT if isinstance(delta, TextDelta) else TextKind.REASONING
                known = self._preview[delta.index] = _Known(kind)
            known.add([delta.text])
            if self._growing is not None and self._growing.known is known:
                return self._growing.news(delta.text)
        elif isinstance(delta, ToolCallDelta | ToolResultDelta):
            self._preview.setdefault(delta.index, None)
        self._growing = None
        parts = (self._preview[index] for index in sorted(self._preview))
        return list(self._news([part for part in parts if part is None or part.text]))

    def forget(self) -> None:
        """The answer in flight is given up: another attempt begins it anew."""
        self._preview.clear()
        self._growing = None
        self._certain = 0

    def committed(self, message: Message) -> list[TurnEvent]:
        """A message of the turn. What was told before is not told again."""
        if message.number <= self._number:
            return []
        self._number = message.number
        match message.role:
            case Role.ASSISTANT:
                return list(self._answered(message))
            case Role.TOOL:
                return [Returned(part) for part in message.parts if isinstance(part, ToolResult)]
            case _:
                return []

    def begins_another(self, message: Message) -> bool:
        """Whether a message is what the next turn is about. One that steers comes between a call and an answer."""
        if message.role is not Role.USER or message.number <= self._number:
            return False
        return self.last is None or self.last.finish_reason is not FinishReason.TOOL_CALLS

    def _answered(self, message: Message) -> Iterator[TurnEvent]:
        self.forget()
        shown = [part for part in message.parts if shows(part)]
        yield from self._news([_known(part) for part in shown], shown)
        # An attempt before had more to say.
        yield from self._taken_back(len(shown))
        self._told.clear()
        self._certain = 0
        self.last = message
        yield Answered(message)

    def _news(self, parts: Sequence[_Known | None], final: Sequence[AnyPart] | None = None) -> Iterator[TurnEvent]:
        """What is to be told of the answer, of which so much is known."""
        while self._certain < len(parts):
            place = self._certain
            part, over = parts[place], final is not None or place < len(parts) - 1
            if part is not None:
                yield from self._grown(part, place, over=over)
            elif final is not None:
                yield from self._taken_back(place)
                self._told.append(_Told(None, open=False))
                yield _told_whole(final[place])
            if not over or (part is None and final is None):
                # Calls are told when they are certain, and what follows them after them.
                return
            self._certain += 1

    def _grown(self, part: _Known, place: int, *, over: bool) -> Iterator[TurnEvent]:
        if place < len(self._told) and not self._told[place].agrees(part, over=over):
            yield from self._taken_back(place)
        if place == len(self._told):
            self._told.append(_Told(part.kind))
            yield Opened(part.kind)
        told = self._told[place]
        if not told.open:
            return
        known, start = part.text, len(told.text)
        for piece in pieces(known, start, whole=over):
            told.add([piece])
            start += len(piece)
            yield Piece(part.kind, piece)
        if over:
            told.open = False
            yield Closed(part.kind, told.text)
        elif start <= len(known):
            self._growing = _Growing(part, told, known[start:])

    def _taken_back(self, place: int) -> Iterator[TurnEvent]:
        """What was told from a place on is not what the answer says."""
        for told in self._told[place:]:
            if told.open and told.kind is not None:
                yield Closed(told.kind, told.text, whole=False)
        del self._told[place:]


def shows(part: AnyPart) -> bool:
    """Whether a part of an answer has events of its own."""
    match part:
        case Text() | Reasoning():
            return bool(part.text)
        case ToolCall() | ToolResult():
            return True
        case _:
            return False


def _known(part: AnyPart) -> _Known | None:
    if not isinstance(part, Text | Reasoning):
        return None
    known = _Known(TextKind.TEXT if isinstance(part, Text) else TextKind.REASONING)
    known.add([part.text])
    return known


def _told_whole(part: AnyPart) -> TurnEvent:
    if isinstance(part, ToolCall):
        return Called(part)
    assert isinstance(part, ToolResult)
    return Returned(part)


def events_of(messages: Iterable[Message], after: int) -> list[TurnEvent]:
    """The events of messages that are committed."""
    log = TurnLog(after)
    return [event for message in messages for event in log.committed(message)]
