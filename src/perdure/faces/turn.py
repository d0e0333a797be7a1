"""A turn as a list of events that depends on its messages alone, however they arrived.

What a reader saw of a turn can be counted, and told again from anywhere: while the answer is given, after it was
committed, on another replica. So text is cut at places that depend on the text, not on how a model sent it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from perdure.core.deltas import AnyDelta, ReasoningDelta, TextDelta, ToolCallDelta, ToolResultDelta
from perdure.core.failure import ChatError
from perdure.core.message import AnyPart, FinishReason, Message, Reasoning, Role, Text, ToolCall, ToolResult

_CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_PIECE = re.compile(rf"\s{{64}}|\s{{0,63}}(?:[{_CJK}]|[^\s{_CJK}]{{16}}|[^\s{_CJK}]{{1,15}}(?=[\s{_CJK}]))")
"""Blanks and the word after them, once it is known that the word is over. A long word is cut, and so are many blanks:
what is not told yet is looked at again with every token."""


class TextKind(StrEnum):
    TEXT = "text"
    REASONING = "reasoning"


@dataclass(frozen=True, slots=True)
class Opened:
    """Text begins."""

    kind: TextKind


@dataclass(frozen=True, slots=True)
class Piece:
    """More of it."""

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


def pieces(text: str, start: int, *, whole: bool) -> Iterator[str]:
    """The pieces of a text from a place on, as far as they are certain. The first letter is a piece of its own."""
    if start == 0 and text:
        yield text[0]
        start = 1
    while (found := _PIECE.match(text, start)) is not None:
        yield found[0]
        start = found.end()
    if whole and start < len(text):
        yield text[start:]


@dataclass(slots=True)
class _Growing:
    """A text as far as it is known."""

    kind: TextKind
    text: str = ""


@dataclass(slots=True)
class _Told:
    """What was told of a part of the answer."""

    kind: TextKind | None
    """None where it is no text."""
    text: str = ""
    open: bool = True

    def agrees(self, part: _Growing, *, over: bool) -> bool:
        """Whether a part is the one that was told. One that is still being written may not have come as far again."""
        if part.kind is not self.kind:
            return False
        if self.open:
            return part.text.startswith(self.text) or (not over and self.text.startswith(part.text))
        return part.text == self.text if over else self.text.startswith(part.text)


class TurnLog:
    """Takes what a stream tells of one turn, in order, and gives the turn's events."""

    def __init__(self, after: int) -> None:
        self._number = after
        self._preview: dict[int, _Growing | None] = {}
        """What is known of the answer in flight, by the index of its parts. None where it is no text."""
        self._told: list[_Told] = []
        """What was told of this answer."""
        self._certain = 0
        """How many of its parts the attempt that is under way has given, too."""
        self.last: Message | None = None
        """The newest answer."""

    def arrived(self, delta: AnyDelta) -> list[TurnEvent]:
        """A piece of the answer in flight."""
        growing = self._preview.get(delta.index)
        if isinstance(delta, TextDelta | ReasoningDelta):
            if growing is None:
                kind = TextKind.TEXT if isinstance(delta, TextDelta) else TextKind.REASONING
                growing = self._preview[delta.index] = _Growing(kind)
            growing.text += delta.text
        elif isinstance(delta, ToolCallDelta | ToolResultDelta):
            self._preview.setdefault(delta.index, None)
        known = (self._preview[index] for index in sorted(self._preview))
        return list(self._news([part for part in known if part is None or part.text]))

    def forget(self) -> None:
        """The answer in flight is given up: another attempt begins it anew."""
        self._preview.clear()
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
        self._preview.clear()
        self._certain = 0
        shown = [part for part in message.parts if shows(part)]
        yield from self._news([_growing(part) for part in shown], shown)
        # An attempt before had more to say.
        yield from self._taken_back(len(shown))
        self._told.clear()
        self._certain = 0
        self.last = message
        yield Answered(message)

    def _news(self, parts: Sequence[_Growing | None], final: Sequence[AnyPart] | None = None) -> Iterator[TurnEvent]:
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

    def _grown(self, part: _Growing, place: int, *, over: bool) -> Iterator[TurnEvent]:
        if place < len(self._told) and not self._told[place].agrees(part, over=over):
            yield from self._taken_back(place)
        if place == len(self._told):
            self._told.append(_Told(part.kind))
            yield Opened(part.kind)
        told = self._told[place]
        if not told.open:
            return
        for piece in pieces(part.text, len(told.text), whole=over):
            told.text += piece
            yield Piece(part.kind, piece)
        if over:
            told.open = False
            yield Closed(part.kind, told.text)

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


def _growing(part: AnyPart) -> _Growing | None:
    match part:
        case Text():
            return _Growing(TextKind.TEXT, part.text)
        case Reasoning():
            return _Growing(TextKind.REASONING, part.text)
        case _:
            return None


def _told_whole(part: AnyPart) -> TurnEvent:
    if isinstance(part, ToolCall):
        return Called(part)
    assert isinstance(part, ToolResult)
    return Returned(part)


def events_of(messages: Iterable[Message], after: int) -> list[TurnEvent]:
    """The events of messages that are committed."""
    log = TurnLog(after)
    return [event for message in messages for event in log.committed(message)]
