"""Answers as Responses sends them: typed events with sequence numbers, or one response."""

from collections.abc import Callable, Iterator
from itertools import count

import msgspec

from perdure.sim.document import Json, Problem
from perdure.sim.event_writer import Action
from perdure.sim.faults import IN_STREAM
from perdure.sim.openai.errors import fault
from perdure.sim.openai_responses.response import Response
from perdure.sim.script import (
    Call,
    Fault,
    GatePart,
    Pause,
    Reasoning,
    Search,
    Text,
    arguments,
    flow,
)

_encode = msgspec.json.encode

FAILED_IN_BAND = frozenset({"overloaded", "rate_limit", "overflow"})
"""Errors that end a stream as a failed response; the others come as an error event."""


class Events:
    """A response as a stream."""

    def __init__(self, response: Response) -> None:
        self._response = response
        self._step = response.step
        self._numbers = count()

    def stream(self, finished: Callable[[], None] = lambda: None) -> Iterator[Action]:
        """The events, one to an action; `finished` is called just before the last of a good response."""
        opening = self._response.document("queued" if self._response.ask.background else "in_progress")
        yield self._event("response.created", {"response": opening})
        if self._response.ask.background:
            yield self._event("response.queued", {"response": opening})
        yield self._event("response.in_progress", {"response": self._response.document("in_progress")})
        index, output = 0, list[Json]()
        for part in self._step.parts:
            match part:
                case Fault() if part.kind.startswith(IN_STREAM):
                    yield self._failed(part.kind.removeprefix(IN_STREAM), output)
                    return
                case Pause() | GatePart() | Fault():
                    yield part
                case _:
                    item = self._response.item(part, index)
                    yield from self._item(part, item, index)
                    output.append(item)
                    index += 1
        finished()
        status = self._response.status
        yield self._event(f"response.{status}", {"response": self._response.document(status, output)})

    def overflow(self, problem: Problem) -> Iterator[Action]:
        """A prompt that is too long is found out after the stream has begun."""
        yield self._event("response.created", {"response": self._response.document("in_progress")})
        yield self._event("response.failed", {"response": self._response.failure(problem, [])})

    def _item(self, part: Text | Reasoning | Call | Search, item: dict[str, Json], index: int) -> Iterator[Action]:
        place: dict[str, Json] = {"output_index": index}
        yield self._event("response.output_item.added", {**place, "item": _begun(item)})
        place["item_id"] = item["id"]
        match part:
            case Text():
                yield from self._text(part, item, place)
            case Reasoning():
                if item["summary"]:
                    yield from self._summary(part, place)
            case Call() if item["type"] == "computer_call":
                pass
            case Call():
                yield from self._flow("response.function_call_arguments", arguments(part), place)
                done: dict[str, Json] = {**place, "name": part.name, "arguments": arguments(part)}
                yield self._event("response.function_call_arguments.done", done)
            case Search():
                for phase in ("in_progress", "searching", "completed"):
                    yield self._event(f"response.web_search_call.{phase}", place)
        yield self._event("response.output_item.done", {"output_index": index, "item": item})

    def _text(self, part: Text, item: dict[str, Json], place: dict[str, Json]) -> Iterator[Action]:
        refused = self._step.finish == "refusal"
        name, field = ("response.refusal", "refusal") if refused else ("response.output_text", "text")
        place = {**place, "content_index": 0}
        yield self._event("response.content_part.added", {**place, "part": self._response.content("", [])})
        logprobs: dict[str, Json] = {} if refused else {"logprobs": []}
        yield from self._flow(name, part, {**place, **logprobs})
        for number, annotation in enumerate(self._response.annotations(part)):
            note: dict[str, Json] = {**place, "annotation_index": number, "annotation": annotation}
            yield self._event("response.output_text.annotation.added", note)
        yield self._event(f"{name}.done", {**place, field: part.text, **logprobs})
        content = item["content"]
        assert isinstance(content, list)
        yield self._event("response.content_part.done", {**place, "part": content[0]})

    def _summary(self, part: Reasoning, place: dict[str, Json]) -> Iterator[Action]:
        place = {**place, "summary_index": 0}
        empty: dict[str, Json] = {"type": "summary_text", "text": ""}
        yield self._event("response.reasoning_summary_part.added", {**place, "part": empty})
        yield from self._flow("response.reasoning_summary_text", part, place)
        yield self._event("response.reasoning_summary_text.done", {**place, "text": part.text})
        whole: dict[str, Json] = {"type": "summary_text", "text": part.text}
        yield self._event("response.reasoning_summary_part.done", {**place, "part": whole})

    def _flow(self, name: str, part: Text | Reasoning | str, place: dict[str, Json]) -> Iterator[Action]:
        """Deltas: everything but the number and the piece is rendered once."""
        kind = f"{name}.delta".encode()
        head = b'event: %s\ndata: {"type":"%s",%s,"sequence_number":' % (kind, kind, _encode(place)[1:-1])
        for piece in flow(part, self._step):
            if isinstance(piece, str):
                yield b'%s%d,"delta":%s}\n\n' % (head, next(self._numbers), _encode(piece))
            else:
                yield piece

    def _failed(self, kind: str, output: list[Json]) -> bytes:
        problem = fault(kind)
        if kind in FAILED_IN_BAND:
            return self._event("response.failed", {"response": self._response.failure(problem, output)})
        return self._event("error", {"code": problem.code, "message": problem.message, "param": None})

    def _event(self, name: str, data: dict[str, Json]) -> bytes:
        body = _encode({"type": name, "sequence_number": next(self._numbers), **data})
        return b"event: %s\ndata: %s\n\n" % (name.encode(), body)


def _begun(item: dict[str, Json]) -> dict[str, Json]:
    """An item as it is announced, before anything is in it."""
    empty: dict[str, Json] = {"status": "in_progress", "content": [], "arguments": "", "summary": [], "actions": []}
    return item | {name: value for name, value in empty.items() if name in item}
