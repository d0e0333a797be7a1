"""Answers as Anthropic sends them: message events in a stream, or one message."""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from perdure.sim.anthropic.content import Blocks, ContentBlock
from perdure.sim.anthropic.errors import document, fault
from perdure.sim.ask import Ask
from perdure.sim.document import Json
from perdure.sim.event_writer import Action
from perdure.sim.faults import IN_STREAM
from perdure.sim.script import (
    Fault,
    GatePart,
    Pause,
    Search,
    Step,
    flow,
    output_tokens,
    reasoning_tokens,
)

_encode = msgspec.json.encode

PING = b'event: ping\ndata: {"type": "ping"}\n\n'
STOP = b'event: message_stop\ndata: {"type":"message_stop"}\n\n'


def event(name: str, data: dict[str, Json]) -> bytes:
    """One server-sent event."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), _encode({"type": name, **data}))


@dataclass(frozen=True, slots=True)
class AnthropicAnswer:
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
                case Pause() | GatePart():
                    yield part
                case Fault() if part.kind.startswith(IN_STREAM):
                    yield b"event: error\ndata: %s\n\n" % document(fault(part.kind.removeprefix(IN_STREAM)))
                    return
                case Fault():
                    yield part
                case _:
                    for block in self._blocks.of(part, index):
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
            if not isinstance(part, Pause | GatePart | Fault):
                content.extend(block.final for block in self._blocks.of(part, len(content)))
        message = self._message(content, self.stop_reason)
        if self.step.finish == "refusal":
            message["stop_details"] = _REFUSED
        return _encode(message)

    @property
    def _blocks(self) -> Blocks:
        return Blocks(self.ask.id, self.step, screen_set=self.ask.options.get("screen_set") is True)

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

    def _block(self, index: int, block: ContentBlock) -> Iterator[Action]:
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


_REFUSED: dict[str, Json] = {
    "type": "refusal",
    "category": "general_harms",
    "explanation": "This request was declined by the simulator.",
}
