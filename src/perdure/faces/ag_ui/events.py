"""From a turn's events to events of AG-UI."""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from perdure.faces.agents import Question, Questions
from perdure.faces.asked import TurnId
from perdure.faces.delta import DeltaFrame, delta_frame
from perdure.faces.following import TurnFeed
from perdure.faces.turn import Called, Closed, Ended, Opened, Outcome, Piece, Returned, TextKind, TurnEvent

_encoder = msgspec.json.Encoder()
_STARTS = {TextKind.TEXT: "TEXT_MESSAGE_START", TextKind.REASONING: "REASONING_MESSAGE_START"}
_CONTENTS = {TextKind.TEXT: "TEXT_MESSAGE_CONTENT", TextKind.REASONING: "REASONING_MESSAGE_CONTENT"}
_ENDS = {TextKind.TEXT: "TEXT_MESSAGE_END", TextKind.REASONING: "REASONING_MESSAGE_END"}


class Run:
    """Takes the events of a turn, and gives the events of the run that answers."""

    def __init__(self, thread_id: str, run_id: str, turn: TurnId) -> None:
        self._ids = {"threadId": thread_id, "runId": run_id}
        self._name = f"{turn.chat_id}-{turn.number}"
        self._texts = 0
        self._more: DeltaFrame | None = None
        """Makes the events of the text that is open."""

    def begun(self) -> bytes:
        return event("RUN_STARTED", **self._ids)

    def add(self, events: Iterable[TurnEvent]) -> bytes:
        told: list[bytes] = []
        for each in events:
            if isinstance(each, Piece):
                told.append(self._piece(each))
            else:
                told += self._frames(each)
        return b"".join(told)

    def _piece(self, piece: Piece) -> bytes:
        if self._more is None:
            kind, name = _CONTENTS[piece.kind], self._text
            self._more = delta_frame(lambda text: event(kind, messageId=name, delta=text))
        return self._more(piece.text)

    def _frames(self, told: TurnEvent) -> Iterator[bytes]:
        match told:
            case Opened(kind=kind):
                self._texts += 1
                self._more = None
                if kind is TextKind.REASONING:
                    yield event("REASONING_START", messageId=self._text)
                yield event(_STARTS[kind], messageId=self._text, role=_role(kind))
            case Closed(kind=kind):
                yield event(_ENDS[kind], messageId=self._text)
                if kind is TextKind.REASONING:
                    yield event("REASONING_END", messageId=self._text)
            case Called(call=call):
                yield event("TOOL_CALL_START", toolCallId=call.call_id, toolCallName=call.tool)
                yield event("TOOL_CALL_ARGS", toolCallId=call.call_id, delta=call.args or "{}")
                yield event("TOOL_CALL_END", toolCallId=call.call_id)
            case Returned(result=result):
                name = f"{self._name}-{result.call_id}"
                yield event("TOOL_CALL_RESULT", messageId=name, toolCallId=result.call_id, content=result.result)
            case Ended(outcome=Outcome.ASKS):
                # What is asked is not among the turn's events.
                pass
            case Ended():
                yield self._ended(told)
            case _:
                pass

    @property
    def _text(self) -> str:
        return f"{self._name}-{self._texts}"

    def interrupted(self, asked: Sequence[Question]) -> bytes:
        """The run ends with questions; the run that answers them goes on with the turn."""
        interrupts = [_interrupt(question) for question in asked]
        outcome = {"type": "interrupt", "interrupts": interrupts} if interrupts else None
        return event("RUN_FINISHED", **self._ids, **({"outcome": outcome} if outcome else {}))

    def _ended(self, ended: Ended) -> bytes:
        if ended.outcome is not Outcome.FAILED:
            return event("RUN_FINISHED", **self._ids)
        error = ended.error
        return event(
            "RUN_ERROR", message=error.message if error else "The turn failed.", code=error.kind if error else None
        )


def _interrupt(question: Question) -> dict[str, Any]:
    return {
        "id": question.key,
        "reason": question.kind,
        "message": question.form["message"],
        "responseSchema": question.form["requestedSchema"],
        **({"toolCallId": question.call_id} if question.call_id else {}),
    }


def _role(kind: TextKind) -> str:
    return "assistant" if kind is TextKind.TEXT else "reasoning"


def event(kind: str, **fields: Any) -> bytes:
    return b"data: %b\n\n" % _encoder.encode({"type": kind, **fields})


async def frames(run: Run, feed: TurnFeed, asked: Questions, *, before: bytes = b"") -> AsyncIterator[bytes]:
    """The run, piece by piece, after what is said before it."""
    yield run.begun() + before
    async for events in feed.pausing().batches():
        if told := run.add(events):
            yield told
        if events and isinstance(events[-1], Ended) and events[-1].outcome is Outcome.ASKS:
            yield run.interrupted(await asked())


async def finished(run: Run, before: bytes) -> AsyncIterator[bytes]:
    """A run that only shows what is there."""
    yield run.begun() + before + run.add([Ended(Outcome.COMPLETED)])
