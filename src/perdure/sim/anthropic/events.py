"""Answers as Anthropic sends them: message events in a stream, or one message."""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from perdure.sim.anthropic.blocks import REDACTED, SEARCH, THINKING
from perdure.sim.anthropic.voice import document, fault
from perdure.sim.ask import Ask
from perdure.sim.document import Json
from perdure.sim.faults import IN_STREAM
from perdure.sim.player import Action
from perdure.sim.script import (
    Call,
    Fault,
    Gate,
    Pause,
    Reasoning,
    Search,
    Source,
    Step,
    Text,
    arguments,
    flow,
    output_tokens,
    reasoning_tokens,
)
from perdure.sim.signatures import seal, sign

_encode = msgspec.json.encode

PING = b'event: ping\ndata: {"type": "ping"}\n\n'
STOP = b'event: message_stop\ndata: {"type":"message_stop"}\n\n'


def event(name: str, data: dict[str, Json]) -> bytes:
    """One server-sent event."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), _encode({"type": name, **data}))


@dataclass(frozen=True, slots=True)
class Answer:
    """One step on its way to one caller."""

    ask: Ask
    step: Step

    def stream(self) -> Iterator[Action]:
        """The events, one to an action."""
        yield event("message_start", {"message": self._message([], None, started=True)})
        yield PING
        index = 0
        for part in self.step.parts:
            match part:
                case Pause() | Gate():
                    yield part
                case Fault() if part.kind.startswith(IN_STREAM):
                    yield b"event: error\ndata: %s\n\n" % document(fault(part.kind.removeprefix(IN_STREAM)))
                    return
                case Fault():
                    yield part
                case _:
                    for block in self.blocks(part, index):
                        yield from self._block(index, block)
                        index += 1
        ending: dict[str, Json] = {"stop_reason": self.stop_reason, "stop_sequence": None}
        if self.step.finish == "refusal":
            ending["stop_details"] = _REFUSED
        yield event("message_delta", {"delta": ending, "usage": self.usage()})
        yield STOP

    def whole(self) -> bytes:
        """The message in one piece."""
        content: list[Json] = []
        for part in self.step.parts:
            if not isinstance(part, Pause | Gate | Fault):
                content.extend(block.final for block in self.blocks(part, len(content)))
        message = self._message(content, self.stop_reason)
        if self.step.finish == "refusal":
            message["stop_details"] = _REFUSED
        return _encode(message)

    @property
    def stop_reason(self) -> str:
        """Why the model stopped."""
        finish = self.step.finish
        if finish == "stop":
            return "tool_use" if self.step.calls else "end_turn"
        return {"length": "max_tokens", "paused": "pause_turn", "refusal": "refusal"}[finish]

    def usage(self) -> dict[str, Json]:
        """The token figures, counted or scripted."""
        said, figures = self.step.usage, self.ask.figures
        read = figures.cache_read if said.cache_read is None else said.cache_read
        write = figures.cache_write if said.cache_write is None else said.cache_write
        thought = reasoning_tokens(self.step) if said.reasoning is None else said.reasoning
        usage: dict[str, Json] = {
            "input_tokens": figures.prompt - figures.cache_read - figures.cache_write
            if said.input is None
            else said.input,
            "cache_creation_input_tokens": write,
            "cache_read_input_tokens": read,
            "output_tokens": output_tokens(self.step) if said.output is None else said.output,
        }
        if thought:
            usage["output_tokens_details"] = {"thinking_tokens": thought}
        searches = sum(isinstance(part, Search) for part in self.step.parts)
        if searches:
            usage["server_tool_use"] = {"web_search_requests": searches, "web_fetch_requests": 0}
        return usage

    def blocks(self, part: Text | Reasoning | Call | Search, index: int) -> "Iterator[ContentBlock]":
        """The content blocks that a part becomes."""
        match part:
            case Text():
                yield _text_block(part, self.step)
            case Reasoning(text, redacted=True):
                data = seal(REDACTED, text)
                yield ContentBlock(
                    {"type": "redacted_thinking", "data": data}, {"type": "redacted_thinking", "data": data}
                )
            case Reasoning(text):
                signature = sign(THINKING, text)
                yield ContentBlock(
                    {"type": "thinking", "thinking": "", "signature": ""},
                    {"type": "thinking", "thinking": text, "signature": signature},
                    ("thinking_delta", "thinking", part),
                    ({"type": "signature_delta", "signature": signature},),
                )
            case Call():
                yield self._call_block(part, index)
            case Search():
                yield from self._search_blocks(part, index)

    def _call_block(self, call: Call, index: int) -> "ContentBlock":
        head: dict[str, Json] = {
            "type": "tool_use",
            "id": call.id or f"toolu_{self.ask.id}{index:02d}",
            "name": call.name,
        }
        return ContentBlock(
            {**head, "input": {}}, {**head, "input": call.input}, ("input_json_delta", "partial_json", arguments(call))
        )

    def _search_blocks(self, search: Search, index: int) -> "Iterator[ContentBlock]":
        id_ = f"srvtoolu_{self.ask.id}{index:02d}"
        head: dict[str, Json] = {"type": "server_tool_use", "id": id_, "name": "web_search"}
        query: dict[str, Json] = {"query": search.query}
        written = _encode(query).decode()
        yield ContentBlock(
            {**head, "input": {}}, {**head, "input": query}, ("input_json_delta", "partial_json", written)
        )
        if self.step.finish == "paused" and self.step.parts[-1] is search:
            return
        content: Json = (
            {"type": "web_search_tool_result_error", "error_code": search.error}
            if search.error
            else [_result(source) for source in search.sources]
        )
        result: dict[str, Json] = {"type": "web_search_tool_result", "tool_use_id": id_, "content": content}
        yield ContentBlock(result, result)

    def _block(self, index: int, block: "ContentBlock") -> Iterator[Action]:
        yield event("content_block_start", {"index": index, "content_block": block.start})
        if block.flowing is not None:
            kind, field, text = block.flowing
            head = (
                b'event: content_block_delta\ndata: {"type":"content_block_delta","index":%d,"delta":{"type":"%s","%s":'
                % (
                    index,
                    kind.encode(),
                    field.encode(),
                )
            )
            for piece in flow(text, self.step):
                yield b"%s%s}}\n\n" % (head, _encode(piece)) if isinstance(piece, str) else piece
        for delta in block.closing:
            yield event("content_block_delta", {"index": index, "delta": delta})
        yield event("content_block_stop", {"index": index})

    def _message(self, content: list[Json], stop_reason: str | None, *, started: bool = False) -> dict[str, Json]:
        usage = self.usage()
        if started:
            usage["output_tokens"] = 1
        return {
            "id": f"msg_{self.ask.id}",
            "type": "message",
            "role": "assistant",
            "model": self.ask.model,
            "content": content,
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": usage,
        }


@dataclass(frozen=True, slots=True)
class ContentBlock:
    """A block as it starts, as it ends, and what flows in between."""

    start: dict[str, Json]
    final: dict[str, Json]
    flowing: tuple[str, str, Text | Reasoning | str] | None = None
    closing: tuple[dict[str, Json], ...] = ()


_REFUSED: dict[str, Json] = {
    "type": "refusal",
    "category": "general_harms",
    "explanation": "This request was declined by the simulator.",
}


def _text_block(part: Text, step: Step) -> ContentBlock:
    sources = (
        [source for other in step.parts if isinstance(other, Search) for source in other.sources] if part.cited else []
    )
    citations = [_citation(source) for source in sources]
    start: dict[str, Json] = {"type": "text", "text": ""}
    final: dict[str, Json] = {"type": "text", "text": part.text}
    if citations:
        start["citations"] = []
        final["citations"] = list[Json](citations)
    closing = tuple[dict[str, Json], ...]({"type": "citations_delta", "citation": one} for one in citations)
    return ContentBlock(start, final, ("text_delta", "text", part), closing)


def _citation(source: Source) -> dict[str, Json]:
    return {
        "type": "web_search_result_location",
        "cited_text": source.text[:150],
        "encrypted_index": seal(SEARCH, source.url),
        "title": source.title,
        "url": source.url,
    }


def _result(source: Source) -> dict[str, Json]:
    return {
        "type": "web_search_result",
        "url": source.url,
        "title": source.title,
        "encrypted_content": seal(SEARCH, source.text),
        "page_age": None,
    }
