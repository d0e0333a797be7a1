"""A client's view of one chat over all its connections, which notices at once what no view may show."""

import time
from collections.abc import Iterable
from uuid import UUID

from perdure.client.transcript import Gap, Transcript
from perdure.core.chat import Status
from perdure.core.events import ActionRequired, AnyEvent, HistoryReset, MessageEvent, MessagePart, StatusEvent
from perdure.core.message import AnyPart, FinishReason, Kind, Message, Role, Text
from perdure.proof.run_log import ReceivedMessage, RunLog
from perdure.sim.script import counting

_END = "end"


def counted(text: str) -> str | None:
    """What is wrong with a text that should count, or None.

    It holds one count or several, all of one attempt, each from its first word on; the last one may be cut off.
    """
    attempt = text.partition(".")[0]
    if not attempt.isdigit():
        return f"is not a count: {text[:40]!r}" if text else None
    *whole, last = text.split(_END)
    for number, piece in enumerate(whole):
        if piece + _END != counting(int(attempt), piece.count(" ")):
            return f"breaks in count {number}: {_around(piece, int(attempt))!r}"
    if not (counting(int(attempt), last.count(" ") + 1).startswith(last) or _nearly_ended(last, int(attempt))):
        return f"breaks: {_around(last, int(attempt))!r}"
    return None


def _nearly_ended(piece: str, attempt: int) -> bool:
    return counting(attempt, piece.count(" ")).startswith(piece)


def _around(piece: str, attempt: int) -> str:
    expected = counting(attempt, piece.count(" ") + 1)
    at = next((place for place, (a, b) in enumerate(zip(piece, expected, strict=False)) if a != b), len(expected))
    return piece[max(0, at - 20) : at + 20]


def complete(text: str) -> bool:
    return text.endswith(_END)


def spoken(parts: Iterable[AnyPart]) -> str:
    return "".join(part.text for part in parts if isinstance(part, Text))


def misheard(message: Message) -> str | None:
    """What is wrong with a committed answer, or None."""
    if message.role is not Role.ASSISTANT or message.kind is not Kind.ORDINARY:
        return None
    text = spoken(message.parts)
    if (fault := counted(text)) is not None:
        return fault
    whole = message.finish_reason in (FinishReason.STOP, FinishReason.TOOL_CALLS)
    return f"ends early: {text[-20:]!r}" if whole and text and not complete(text) else None


class CheckedTranscript(Transcript):
    """A transcript that writes down what it was told and when."""

    def __init__(self, chat_id: UUID, name: str, log: RunLog) -> None:
        super().__init__()
        self.chat_id = chat_id
        self.name = name
        self.heard_at: list[float] = []
        """When it showed that somebody drives the chat."""
        self.shown: dict[tuple[int, int], list[tuple[float, int, int]]] = {}
        """How much of each answer in flight was seen at which part, by history version and attempt."""
        self._log = log

    def add(self, event: AnyEvent) -> bool:
        try:
            new = super().add(event)
        except Gap:
            self._log.gaps += 1
            self._log.note(self.chat_id, self.name, f"gap before {_described(event)}, after {self.cursor}")
            raise
        if new:
            self._look(event)
        return new

    def _look(self, event: AnyEvent) -> None:
        match event:
            case MessagePart():
                self._log.parts += 1
                self.heard_at.append(time.time())
                self._check_preview(event)
            case MessageEvent(message=message):
                now = time.time()
                if message.role is not Role.USER:
                    self.heard_at.append(now)
                self._log.told.append(ReceivedMessage(now, self.chat_id, message.number, message.revision))
                self._log.note(self.chat_id, self.name, f"heard {_described(event)}")
                if (fault := misheard(message)) is not None:
                    self._log.violated(3, self.chat_id, f"message {message.number} {fault}")
            case StatusEvent() | HistoryReset() | ActionRequired():
                if _moved_on(event):
                    self.heard_at.append(time.time())
                self._log.note(self.chat_id, self.name, f"heard {_described(event)}")
            case _:
                pass

    def _check_preview(self, event: MessagePart) -> None:
        shown = self.preview
        if shown is None or shown[0] is not Role.ASSISTANT:
            return
        text = spoken(shown[1])
        self.shown.setdefault((event.history_version, event.attempt), []).append((time.time(), event.seq, len(text)))
        fault = counted(text)
        if fault is not None:
            self._log.violated(3, self.chat_id, f"{self.name}: the answer in flight {fault} ({_described(event)})")


def _moved_on(event: AnyEvent) -> bool:
    """Whether this shows that somebody drives the chat: clients bring about neither rest nor a question."""
    match event:
        case StatusEvent(status=status):
            return status in (Status.WAITING, Status.ERROR)
        case ActionRequired(action=action):
            return action is not None
        case _:
            return False


def _described(event: AnyEvent) -> str:
    match event:
        case MessagePart():
            first = event.seq if event.seq_from is None else event.seq_from
            return f"part {event.history_version}.{event.attempt} {first}-{event.seq}"
        case MessageEvent(message=message):
            return f"message {message.number} ({message.role}, revision {message.revision})"
        case StatusEvent():
            return f"status {event.status}"
        case HistoryReset():
            return f"history_reset after {event.after}"
        case ActionRequired():
            return f"action_required {event.action.kind if event.action else 'none'}"
        case _:
            return type(event).__name__
