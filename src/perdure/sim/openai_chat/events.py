"""Answers as Chat Completions sends them: chunks in a stream, or one completion."""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from perdure.sim.ask import Ask
from perdure.sim.document import Json
from perdure.sim.event_writer import Action
from perdure.sim.faults import IN_STREAM
from perdure.sim.openai.errors import document, fault
from perdure.sim.openai_chat.openrouter import sealed_thought
from perdure.sim.script import (
    Call,
    Fault,
    GatePart,
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

_encode = msgspec.json.encode

DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """One step on its way to one caller."""

    ask: Ask
    step: Step
    created: int

    def stream(self) -> Iterator[Action]:
        """The chunks, one to an action."""
        yield self._chunk({"role": "assistant", "content": "", "refusal": None})
        calls = 0
        for part in self.step.parts:
            match part:
                case Fault() if part.kind.startswith(IN_STREAM):
                    yield b"data: %s\n\n" % document(fault(part.kind.removeprefix(IN_STREAM)))
                    return
                case Pause() | GatePart() | Fault():
                    yield part
                case Call():
                    yield from self._call(part, calls)
                    calls += 1
                case _:
                    yield from self._words(part)
        yield self._chunk({}, self.finish_reason)
        if self.ask.options["usage"]:
            yield b"data: %s\n\n" % _encode(
                {**self._head("chat.completion.chunk"), "choices": [], "usage": self.usage()}
            )
        yield DONE

    def whole(self) -> bytes:
        """The completion in one piece."""
        texts = [part.text for part in self.step.parts if isinstance(part, Text)]
        thoughts = [part.text for part in self.step.parts if isinstance(part, Reasoning)]
        message: dict[str, Json] = {"role": "assistant", "content": "".join(texts) if texts else None, "refusal": None}
        if self.step.finish == "refusal":
            message |= {"content": None, "refusal": "".join(texts)}
        if thoughts:
            message[self.reasoning_field] = "".join(thoughts)
        if self.step.calls:
            called = [self._called(call, index) for index, call in enumerate(self.step.calls)]
            message |= {"tool_calls": list[Json](called), **sealed_thought(self.ask.model, str(called[0]["id"]))}
        if cited := self._annotations():
            message["annotations"] = cited
        choice: dict[str, Json] = {
            "index": 0,
            "message": message,
            "finish_reason": self.finish_reason,
            "logprobs": None,
        }
        return _encode({**self._head("chat.completion"), "choices": [choice], "usage": self.usage()})

    @property
    def finish_reason(self) -> str:
        """Why the model stopped."""
        if self.step.finish == "length":
            return "length"
        return "tool_calls" if self.step.calls else "content_filter" if self.step.finish == "refusal" else "stop"

    @property
    def reasoning_field(self) -> str:
        """Where compatible servers put the thinking: `reasoning` when the name has a slash or a colon."""
        return "reasoning" if "/" in self.ask.model or ":" in self.ask.model else "reasoning_content"

    def usage(self) -> dict[str, Json]:
        """The token figures, counted or scripted."""
        said, figures = self.step.usage, self.ask.figures
        prompt = figures.prompt if said.input is None else said.input
        output = output_tokens(self.step) if said.output is None else said.output
        return {
            "prompt_tokens": prompt,
            "completion_tokens": output,
            "total_tokens": prompt + output,
            "prompt_tokens_details": {
                "cached_tokens": figures.cache_read if said.cache_read is None else said.cache_read,
                "audio_tokens": 0,
            },
            "completion_tokens_details": {
                "reasoning_tokens": reasoning_tokens(self.step) if said.reasoning is None else said.reasoning,
                "audio_tokens": 0,
                "accepted_prediction_tokens": 0,
                "rejected_prediction_tokens": 0,
            },
        }

    def _words(self, part: Text | Reasoning | Search) -> Iterator[Action]:
        if isinstance(part, Search):
            return
        spoken = "refusal" if self.step.finish == "refusal" else "content"
        field = self.reasoning_field if isinstance(part, Reasoning) else spoken
        before, after = self._around(field)
        for piece in flow(part, self.step):
            yield b"%s%s%s" % (before, _encode(piece), after) if isinstance(piece, str) else piece
        if isinstance(part, Text) and part.cited and (cited := self._annotations()):
            yield self._chunk({"annotations": cited})

    def _call(self, call: Call, index: int) -> Iterator[Action]:
        called = self._called(call, index)
        opening: Json = {"index": index, **called, "function": {"name": call.name, "arguments": ""}}
        sealed = {} if index else sealed_thought(self.ask.model, str(called["id"]))
        yield self._chunk({"tool_calls": [opening], **sealed})
        before, after = _split(self._chunk({"tool_calls": [{"index": index, "function": {"arguments": "\0"}}]}))
        for piece in flow(arguments(call), self.step):
            yield b"%s%s%s" % (before, _encode(piece), after) if isinstance(piece, str) else piece

    def _called(self, call: Call, index: int) -> dict[str, Json]:
        id_ = call.id or f"call_{self.ask.id}{index:02d}"
        return {"id": id_, "type": "function", "function": {"name": call.name, "arguments": arguments(call)}}

    def _around(self, field: str) -> tuple[bytes, bytes]:
        return _split(self._chunk({field: "\0"}))

    def _chunk(self, delta: dict[str, Json], finish: str | None = None) -> bytes:
        choice: dict[str, Json] = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        chunk: dict[str, Json] = {**self._head("chat.completion.chunk"), "choices": [choice]}
        if self.ask.options["usage"]:
            chunk["usage"] = None
        return b"data: %s\n\n" % _encode(chunk)

    def _head(self, kind: str) -> dict[str, Json]:
        return {
            "id": f"chatcmpl-{self.ask.id}",
            "object": kind,
            "created": self.created,
            "model": self.ask.model,
            "service_tier": "default",
            "system_fingerprint": "fp_sim",
        }

    def _annotations(self) -> list[Json]:
        return [
            {
                "type": "url_citation",
                "url_citation": {"start_index": 0, "end_index": 1, "title": source.title, "url": source.url},
            }
            for part in self.step.parts
            if isinstance(part, Search)
            for source in part.sources
        ]


def _split(chunk: bytes) -> tuple[bytes, bytes]:
    """What stands before and after the piece; the last mark is ours, whatever the caller named its model."""
    before, _, after = chunk.rpartition(b'"\\u0000"')
    return before, after
