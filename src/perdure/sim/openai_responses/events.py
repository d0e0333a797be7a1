"""Answers as Responses sends them: typed events with sequence numbers, or one response."""

from collections.abc import Iterator
from itertools import count

import msgspec

from perdure.sim.ask import Ask
from perdure.sim.document import Json, is_object
from perdure.sim.faults import IN_STREAM
from perdure.sim.openai.voice import fault
from perdure.sim.openai_responses.items import ENCRYPTED
from perdure.sim.openai_responses.order import LINK
from perdure.sim.player import Action
from perdure.sim.problem import Problem
from perdure.sim.script import (
    Call,
    Fault,
    Gate,
    Pause,
    Reasoning,
    Search,
    Step,
    Text,
    arguments,
    flow,
    output_tokens,
    reasoning_tokens,
)
from perdure.sim.signatures import seal

_encode = msgspec.json.encode

FAILED_IN_BAND = frozenset({"overloaded", "rate_limit", "overflow"})
"""Errors that end a stream as a failed response; the others come as an error event."""


class Answer:
    """One step on its way to one caller."""

    def __init__(self, ask: Ask, step: Step, created: int) -> None:
        self.ask = ask
        self.step = step
        self.id = f"resp_{ask.id}"
        self._created = created
        self._numbers = count()

    def stream(self) -> Iterator[Action]:
        """The events, one to an action."""
        opening = self.response("queued" if self.ask.background else "in_progress")
        yield self._event("response.created", {"response": opening})
        if self.ask.background:
            yield self._event("response.queued", {"response": opening})
        yield self._event("response.in_progress", {"response": self.response("in_progress")})
        index, output = 0, list[Json]()
        for part in self.step.parts:
            match part:
                case Fault() if part.kind.startswith(IN_STREAM):
                    yield self._failed(part.kind.removeprefix(IN_STREAM), output)
                    return
                case Pause() | Gate() | Fault():
                    yield part
                case _:
                    item = self.item(part, index)
                    yield from self._item(part, item, index)
                    output.append(item)
                    index += 1
        status = self.status
        yield self._event(f"response.{status}", {"response": self.response(status, output)})

    def whole(self) -> dict[str, Json]:
        """The finished response."""
        parts = [part for part in self.step.parts if not isinstance(part, Pause | Gate | Fault)]
        return self.response(self.status, [self.item(part, index) for index, part in enumerate(parts)])

    def overflow(self, problem: Problem) -> Iterator[Action]:
        """A prompt that is too long is found out after the stream has begun."""
        yield self._event("response.created", {"response": self.response("in_progress")})
        yield self._event("response.failed", {"response": self.failure(problem, [])})

    @property
    def status(self) -> str:
        """How the response ends."""
        return "incomplete" if self.step.finish == "length" else "completed"

    def failure(self, problem: Problem, output: list[Json]) -> dict[str, Json]:
        """The response of a model that failed."""
        response = self.response("failed", output)
        response["error"] = {"code": problem.code, "message": problem.message}
        return response

    def response(self, status: str, output: list[Json] | None = None) -> dict[str, Json]:
        """The response object in one of its states."""
        options = self.ask.options
        reasoning = options.get("reasoning")
        done = status in ("completed", "incomplete")
        return {
            "id": self.id,
            "object": "response",
            "created_at": self._created,
            "status": status,
            "background": self.ask.background,
            "error": None,
            "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
            "instructions": options.get("instructions"),
            "max_output_tokens": options.get("max_output_tokens"),
            "model": self.ask.model,
            "output": output or [],
            "parallel_tool_calls": options.get("parallel_tool_calls") is not False,
            "previous_response_id": options.get("previous_response_id"),
            "prompt_cache_key": options.get("prompt_cache_key"),
            "reasoning": reasoning if is_object(reasoning) else {"effort": None, "summary": None},
            "service_tier": options.get("service_tier") or "default",
            "store": options.get("store") is not False,
            "temperature": options.get("temperature") or 1.0,
            "text": options.get("text") or {"format": {"type": "text"}},
            "tool_choice": options.get("tool_choice") or "auto",
            "tools": options.get("tools") or [],
            "top_p": options.get("top_p") or 1.0,
            "truncation": options.get("truncation") or "disabled",
            "usage": self.usage() if done else None,
            "user": options.get("user"),
            "metadata": options.get("metadata") or {},
        }

    def usage(self) -> dict[str, Json]:
        """The token figures, counted or scripted."""
        said, figures = self.step.usage, self.ask.figures
        prompt = figures.prompt if said.input is None else said.input
        output = output_tokens(self.step) if said.output is None else said.output
        return {
            "input_tokens": prompt,
            "input_tokens_details": {
                "cached_tokens": figures.cache_read if said.cache_read is None else said.cache_read,
                "cache_write_tokens": figures.cache_write if said.cache_write is None else said.cache_write,
            },
            "output_tokens": output,
            "output_tokens_details": {
                "reasoning_tokens": reasoning_tokens(self.step) if said.reasoning is None else said.reasoning
            },
            "total_tokens": prompt + output,
        }

    def item(self, part: Text | Reasoning | Call | Search, index: int) -> dict[str, Json]:
        """The finished output item that a part becomes."""
        match part:
            case Text():
                return self._message(part, index)
            case Reasoning():
                return self._reasoning(part, index)
            case Call():
                return {
                    "id": self._id("fc", index),
                    "type": "function_call",
                    "status": "completed",
                    "call_id": part.id or f"call_{self.ask.id}{index:02d}",
                    "name": part.name,
                    "arguments": arguments(part),
                }
            case Search():
                return {
                    "id": self._id("ws", index),
                    "type": "web_search_call",
                    "status": "failed" if part.error else "completed",
                    "action": self._action(part),
                }

    def _message(self, part: Text, index: int) -> dict[str, Json]:
        short = self.step.finish == "length" and part is self.step.parts[-1]
        return {
            "id": self._id("msg", index),
            "type": "message",
            "status": "incomplete" if short else "completed",
            "role": "assistant",
            "content": [self._content(part.text, self._annotations(part))],
        }

    def _content(self, text: str, annotations: list[Json]) -> dict[str, Json]:
        if self.step.finish == "refusal":
            return {"type": "refusal", "refusal": text}
        return {"type": "output_text", "text": text, "annotations": annotations, "logprobs": []}

    def _reasoning(self, part: Reasoning, index: int) -> dict[str, Json]:
        shown = self._summarized and not part.redacted
        item: dict[str, Json] = {
            "id": self._id("rs", index),
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": part.text}] if shown else [],
        }
        if self._includes("reasoning.encrypted_content"):
            item["encrypted_content"] = seal(ENCRYPTED, part.text)
        return item

    def _action(self, search: Search) -> dict[str, Json]:
        action: dict[str, Json] = {"type": "search", "query": search.query, "queries": [search.query]}
        if self._includes("web_search_call.action.sources"):
            action["sources"] = [{"type": "url", "url": source.url} for source in search.sources]
        return action

    def _annotations(self, part: Text) -> list[Json]:
        searches = [other for other in self.step.parts if isinstance(other, Search)] if part.cited else []
        return [
            {
                "type": "url_citation",
                "start_index": 0,
                "end_index": len(part.text),
                "title": source.title,
                "url": source.url,
            }
            for search in searches
            for source in search.sources
        ]

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
            case Call():
                yield from self._flow("response.function_call_arguments", arguments(part), place)
                done: dict[str, Json] = {**place, "name": part.name, "arguments": arguments(part)}
                yield self._event("response.function_call_arguments.done", done)
            case Search():
                for phase in ("in_progress", "searching", "completed"):
                    yield self._event(f"response.web_search_call.{phase}", place)
        yield self._event("response.output_item.done", {"output_index": index, "item": item})

    def _text(self, part: Text, item: dict[str, Json], place: dict[str, Json]) -> Iterator[Action]:
        refused = self.step.finish == "refusal"
        name, field = ("response.refusal", "refusal") if refused else ("response.output_text", "text")
        place = {**place, "content_index": 0}
        yield self._event("response.content_part.added", {**place, "part": self._content("", [])})
        logprobs: dict[str, Json] = {} if refused else {"logprobs": []}
        yield from self._flow(name, part, {**place, **logprobs})
        for number, annotation in enumerate(self._annotations(part)):
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
        for piece in flow(part, self.step):
            if isinstance(piece, str):
                yield b'%s%d,"delta":%s}\n\n' % (head, next(self._numbers), _encode(piece))
            else:
                yield piece

    def _failed(self, kind: str, output: list[Json]) -> bytes:
        problem = fault(kind)
        if kind in FAILED_IN_BAND:
            return self._event("response.failed", {"response": self.failure(problem, output)})
        return self._event("error", {"code": problem.code, "message": problem.message, "param": None})

    def _event(self, name: str, data: dict[str, Json]) -> bytes:
        body = _encode({"type": name, "sequence_number": next(self._numbers), **data})
        return b"event: %s\ndata: %s\n\n" % (name.encode(), body)

    def _id(self, prefix: str, index: int) -> str:
        """An item's id; after reasoning it says so, for the reasoning must come back with it."""
        own = f"{prefix}_{self.ask.id}{index:02d}"
        parts = [part for part in self.step.parts if not isinstance(part, Pause | Gate | Fault)]
        before = index - 1
        if prefix == "rs" or before < 0 or not isinstance(parts[before], Reasoning):
            return own
        return f"{own}{LINK}{before:02d}"

    @property
    def _summarized(self) -> bool:
        reasoning = self.ask.options.get("reasoning")
        return is_object(reasoning) and reasoning.get("summary") is not None

    def _includes(self, name: str) -> bool:
        include = self.ask.options.get("include")
        return isinstance(include, list) and name in include


def _begun(item: dict[str, Json]) -> dict[str, Json]:
    """An item as it is announced, before anything is in it."""
    empty: dict[str, Json] = {"status": "in_progress", "content": [], "arguments": "", "summary": []}
    return item | {name: value for name, value in empty.items() if name in item}
