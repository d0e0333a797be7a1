"""From a turn's events to chunks of a UI message stream."""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from perdure.core.action import ActionKind
from perdure.core.message import ToolCall, ToolResult
from perdure.faces.agents import Question, Questions
from perdure.faces.asked import TurnId
from perdure.faces.delta import DeltaFrame, delta_frame
from perdure.faces.following import TurnFeed
from perdure.faces.turn import Answered, Called, Closed, Ended, Opened, Outcome, Piece, Returned, TurnEvent

APPROVED = frozenset({ActionKind.APPROVAL})
"""What the SDK has a form for. Everything else waits for its decision elsewhere."""
DONE = b"data: [DONE]\n\n"
_FINISHED = {
    Outcome.COMPLETED: "stop",
    Outcome.CALLS: "tool-calls",
    Outcome.LENGTH: "length",
    Outcome.FILTERED: "content-filter",
    Outcome.FAILED: "error",
}
_encoder = msgspec.json.Encoder()


class MessageStream:
    """Takes the events of a turn, and gives the chunks of the message that answers.

    A page that approved of a call goes on with the message that it has: it is told what came after that call.
    """

    def __init__(self, turn: TurnId, own_tools: frozenset[str], approved: frozenset[str] = frozenset()) -> None:
        self._name = f"{turn.chat_id}-{turn.number}"
        self._own_tools = own_tools
        self._texts = 0
        self._more: DeltaFrame | None = None
        """Makes the chunks of the text that is open."""
        self._stepping = False
        self._known = approved
        """Calls that the page has already, with all that came before them; none where it has nothing more to skip."""

    def begun(self) -> bytes:
        return _event({"type": "start", "messageId": self._name})

    def add(self, events: Iterable[TurnEvent]) -> bytes:
        told: list[bytes] = []
        for event in events:
            if isinstance(event, Piece):
                told.append(self._piece(event))
            else:
                told += map(_event, self._news(event))
        return b"".join(told) + (DONE if _over(events) else b"")

    def _piece(self, piece: Piece) -> bytes:
        if self._known:
            return b""
        if self._more is None:
            head = {"type": f"{piece.kind}-delta", "id": self._text}
            self._more = delta_frame(lambda text: _event({**head, "delta": text}))
        return self._more(piece.text)

    def asking(self, asked: Sequence[Question]) -> bytes:
        """The message pauses with questions; the request that answers them goes on with it."""
        requests = [
            {"type": "tool-approval-request", "approvalId": question.key, "toolCallId": question.call_id}
            for question in asked
        ]
        return b"".join(map(_event, [*requests, {"type": "finish", "finishReason": "tool-calls"}])) + DONE

    def _news(self, event: TurnEvent) -> Iterator[dict[str, Any]]:
        chunks = list(self._chunks(event))
        if not self._known or isinstance(event, Ended):
            yield from chunks
        elif isinstance(event, Answered) and any(
            isinstance(part, ToolCall) and part.call_id in self._known for part in event.message.parts
        ):
            self._known = frozenset[str]()

    def _chunks(self, event: TurnEvent) -> Iterator[dict[str, Any]]:
        if not self._stepping and not isinstance(event, Ended | Returned):
            self._stepping = True
            yield {"type": "start-step"}
        match event:
            case Opened(kind=kind):
                self._texts += 1
                self._more = None
                yield {"type": f"{kind}-start", "id": self._text}
            case Closed(kind=kind):
                yield {"type": f"{kind}-end", "id": self._text}
            case Called(call=call):
                yield from self._called(call)
            case Returned(result=result):
                yield _returned(result)
            case Answered():
                self._stepping = False
                yield {"type": "finish-step"}
            case Ended(outcome=Outcome.ASKS):
                # What is asked is not among the turn's events.
                pass
            case Ended():
                yield from _ended(event)
            case Piece():
                # There is one for every word.
                pass

    @property
    def _text(self) -> str:
        return f"{self._name}-{self._texts}"

    def _called(self, call: ToolCall) -> Iterator[dict[str, Any]]:
        # Tools of ours are dynamic to a page that does not know them; its own have the names that it gave them.
        head = {"toolCallId": call.call_id, "toolName": call.tool, "dynamic": call.tool not in self._own_tools}
        yield {"type": "tool-input-start", **head}
        yield {"type": "tool-input-available", **head, "input": _json(call.args)}


def _ended(ended: Ended) -> Iterator[dict[str, Any]]:
    if ended.outcome is Outcome.FAILED:
        yield {"type": "error", "errorText": ended.error.message if ended.error else "The turn failed."}
    elif ended.outcome in (Outcome.STOPPED, Outcome.REPLACED):
        yield {"type": "abort"}
    yield {"type": "finish", "finishReason": _FINISHED.get(ended.outcome, "other")}


def _returned(result: ToolResult) -> dict[str, Any]:
    if result.is_error:
        return {"type": "tool-output-error", "toolCallId": result.call_id, "errorText": result.result}
    return {"type": "tool-output-available", "toolCallId": result.call_id, "output": _json(result.result)}


def _json(text: str) -> Any:
    """The value, or the text where it is no JSON."""
    try:
        return msgspec.json.decode(text or "{}")
    except (msgspec.DecodeError, UnicodeDecodeError):
        return text


def _over(events: Iterable[TurnEvent]) -> bool:
    return any(isinstance(event, Ended) and event.outcome is not Outcome.ASKS for event in events)


def _event(chunk: dict[str, Any]) -> bytes:
    return b"data: %b\n\n" % _encoder.encode(chunk)


async def chunks(stream: MessageStream, feed: TurnFeed, asked: Questions) -> AsyncIterator[bytes]:
    """The message, piece by piece."""
    yield stream.begun()
    async for events in feed.pausing(APPROVED).batches():
        if told := stream.add(events):
            yield told
        if events and isinstance(events[-1], Ended) and events[-1].outcome is Outcome.ASKS:
            yield stream.asking(await asked())
