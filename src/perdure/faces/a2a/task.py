"""A task: a turn as other agents see it, whole or as updates."""

from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

import msgspec

from perdure.core.message import ToolCall
from perdure.faces.agents import Question, Questions
from perdure.faces.asked import TurnId
from perdure.faces.following import TurnFeed
from perdure.faces.turn import Called, Closed, Ended, Opened, Outcome, Piece, TextKind, TurnEvent

_STATES = {
    Outcome.COMPLETED: "TASK_STATE_COMPLETED",
    Outcome.LENGTH: "TASK_STATE_COMPLETED",
    Outcome.CALLS: "TASK_STATE_INPUT_REQUIRED",
    Outcome.ASKS: "TASK_STATE_INPUT_REQUIRED",
    Outcome.FILTERED: "TASK_STATE_REJECTED",
    Outcome.STOPPED: "TASK_STATE_CANCELED",
    Outcome.REPLACED: "TASK_STATE_CANCELED",
    Outcome.FAILED: "TASK_STATE_FAILED",
}
_encoder = msgspec.json.Encoder()


def task_id(turn: TurnId) -> str:
    """It says what it names, so nothing needs to be remembered."""
    return f"{turn.chat_id.hex}{turn.number:08x}"


class GivenTask:
    """Takes the events of a turn, and is the task so far. Every text of the agent's is an artifact."""

    def __init__(self, turn: TurnId) -> None:
        self._ids = {"taskId": task_id(turn), "contextId": str(turn.chat_id)}
        self._texts: list[str] = []
        self._asked: list[dict[str, Any]] = []
        self.ended: Ended | None = None

    @property
    def over(self) -> bool:
        """Whether nothing more comes of it."""
        return self.ended is not None and self.ended.outcome not in (Outcome.ASKS, Outcome.CALLS)

    @property
    def at_work(self) -> bool:
        return self.ended is None

    @property
    def asks(self) -> bool:
        return self.ended is not None and self.ended.outcome is Outcome.ASKS

    @property
    def has_said(self) -> bool:
        return bool(self._texts)

    def take(self, events: Iterable[TurnEvent]) -> None:
        """The same for somebody who only looks at the task as a whole."""
        for _ in self.add(events):
            pass

    def asking(self, questions: Iterable[Question]) -> dict[str, Any]:
        """What a person is to decide, which is not among the turn's events: a text, and a form by its key."""
        self._asked = [
            part
            for question in questions
            for part in (
                {"text": question.form["message"]},
                {"data": {"question": question.key, "schema": question.form["requestedSchema"]}},
            )
        ]
        return {"statusUpdate": {**self._ids, "status": self._status}}

    def add(self, events: Iterable[TurnEvent]) -> Iterator[dict[str, Any]]:
        """What each event means to somebody who follows."""
        for event in events:
            match event:
                case Opened(kind=TextKind.TEXT):
                    self._texts.append("")
                case Piece(kind=TextKind.TEXT, text=text):
                    begins = not self._texts[-1]
                    self._texts[-1] += text
                    yield self._artifact(text, append=not begins)
                case Closed(kind=TextKind.TEXT):
                    yield self._artifact("", append=True, last=True)
                case Called(call=call):
                    yield self._works(call)
                case Ended(outcome=Outcome.ASKS):
                    self.ended = event
                case Ended():
                    self.ended = event
                    yield {"statusUpdate": {**self._ids, "status": self._status}}
                case _:
                    pass

    @property
    def object(self) -> dict[str, Any]:
        """The task as it is now."""
        artifacts = [_text(index, text) for index, text in enumerate(self._texts)]
        ids = {"id": self._ids["taskId"], "contextId": self._ids["contextId"]}
        return {**ids, "status": self._status, "artifacts": artifacts}

    @property
    def _status(self) -> dict[str, Any]:
        if self.ended is None:
            return {"state": "TASK_STATE_WORKING"}
        status: dict[str, Any] = {"state": _STATES[self.ended.outcome]}
        if self._asked:
            status["message"] = self._message(self._asked, "asked")
        if self.ended.error is not None:
            status["message"] = self._message([{"text": self.ended.error.message}], "error")
        return status

    def _artifact(self, text: str, *, append: bool, last: bool = False) -> dict[str, Any]:
        artifact = _text(len(self._texts) - 1, text)
        return {"artifactUpdate": {**self._ids, "artifact": artifact, "append": append, "lastChunk": last}}

    def _works(self, call: ToolCall) -> dict[str, Any]:
        said = self._message([{"data": {"tool": call.tool, "arguments": call.args}}], call.call_id)
        return {"statusUpdate": {**self._ids, "status": {"state": "TASK_STATE_WORKING", "message": said}}}

    def _message(self, parts: list[dict[str, Any]], name: str) -> dict[str, Any]:
        return {"messageId": f"{self._ids['taskId']}-{name}", "role": "ROLE_AGENT", "parts": parts, **self._ids}


def _text(index: int, text: str) -> dict[str, Any]:
    return {"artifactId": f"text-{index}", "parts": [{"text": text}]}


async def updates(
    task: GivenTask, feed: TurnFeed, rpc_id: str | int | None, questions: Questions
) -> AsyncIterator[bytes]:
    """The task as it begins, then every update of it, until it is over or asks something."""
    yield _frame(rpc_id, {"task": task.object})
    async for events in feed.pausing().batches():
        if told := b"".join(_frame(rpc_id, update) for update in task.add(events)):
            yield told
    if task.asks:
        yield _frame(rpc_id, task.asking(await questions()))


def _frame(rpc_id: str | int | None, result: dict[str, Any]) -> bytes:
    return b"data: %b\n\n" % _encoder.encode({"jsonrpc": "2.0", "id": rpc_id, "result": result})
