"""Answers as Gemini sends them: chunks of candidates in a stream, or one response."""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from perdure.sim.ask import Ask
from perdure.sim.document import Json
from perdure.sim.event_writer import Action
from perdure.sim.faults import IN_STREAM
from perdure.sim.gemini.errors import document, fault
from perdure.sim.gemini.parts import THOUGHT
from perdure.sim.script import (
    Call,
    Fault,
    GatePart,
    Pause,
    Reasoning,
    Search,
    Step,
    Text,
    flow,
    output_tokens,
    reasoning_tokens,
)
from perdure.sim.signatures import seal

_encode = msgspec.json.encode


@dataclass(frozen=True, slots=True)
class GeminiAnswer:
    """One step on its way to one caller."""

    ask: Ask
    step: Step

    def stream(self) -> Iterator[Action]:
        """The chunks, one to an action; lines end as Google ends them."""
        signed = False
        for index, part in enumerate(self.step.parts):
            match part:
                case Fault() if part.kind.startswith(IN_STREAM):
                    yield b"data: %s\r\n\r\n" % document(fault(part.kind.removeprefix(IN_STREAM)))
                    return
                case Pause() | GatePart() | Fault():
                    yield part
                case Call():
                    yield self._chunk([self._call(part, index, signed=not signed)])
                    signed = True
                case Text() | Reasoning():
                    yield from self._words(part)
                case Search():
                    pass
        closing: list[Json] = [] if self.step.calls else [{"text": "", "thoughtSignature": self._signature("end")}]
        yield self._chunk(closing, last=True)

    def whole(self) -> bytes:
        """The response in one piece."""
        parts, signed = list[Json](), False
        for index, part in enumerate(self.step.parts):
            match part:
                case Call():
                    parts.append(self._call(part, index, signed=not signed))
                    signed = True
                case Text():
                    parts.append({"text": part.text})
                case Reasoning() if self._shown(part):
                    parts.append({"text": part.text, "thought": True})
                case _:
                    pass
        return _encode(self._response(parts, last=True))

    @property
    def finish_reason(self) -> str:
        """Why the model stopped."""
        return {"length": "MAX_TOKENS", "refusal": "SAFETY"}.get(self.step.finish, "STOP")

    def usage(self) -> dict[str, Json]:
        """The token figures, counted or scripted."""
        said, figures = self.step.usage, self.ask.figures
        prompt = figures.prompt if said.input is None else said.input
        thoughts = reasoning_tokens(self.step) if said.reasoning is None else said.reasoning
        output = output_tokens(self.step) - thoughts if said.output is None else said.output
        cached = figures.cache_read if said.cache_read is None else said.cache_read
        usage: dict[str, Json] = {
            "promptTokenCount": prompt,
            "candidatesTokenCount": output,
            "totalTokenCount": prompt + output + thoughts,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": prompt}],
        }
        if thoughts:
            usage["thoughtsTokenCount"] = thoughts
        if cached:
            usage["cachedContentTokenCount"] = cached
        return usage

    def _words(self, part: Text | Reasoning) -> Iterator[Action]:
        if isinstance(part, Reasoning) and not self._shown(part):
            return
        marker: dict[str, Json] = {"text": "\0"} if isinstance(part, Text) else {"text": "\0", "thought": True}
        before, _, after = self._chunk([marker]).partition(b'"\\u0000"')
        for piece in flow(part, self.step):
            yield b"%s%s%s" % (before, _encode(piece), after) if isinstance(piece, str) else piece

    def _shown(self, part: Reasoning) -> bool:
        return self.ask.options["thoughts"] is True and not part.redacted

    def _call(self, call: Call, index: int, *, signed: bool) -> dict[str, Json]:
        function: dict[str, Json] = {"name": call.name, "args": call.input}
        if not self.ask.model.startswith(("gemini-1", "gemini-2")):
            function["id"] = call.id or f"call_{self.ask.id}{index:02d}"
        part: dict[str, Json] = {"functionCall": function}
        return part | {"thoughtSignature": self._signature(call.name)} if signed else part

    def _signature(self, text: str) -> str:
        return seal(THOUGHT, f"{self.ask.id} {text}")

    def _chunk(self, parts: list[Json], *, last: bool = False) -> bytes:
        return b"data: %s\r\n\r\n" % _encode(self._response(parts, last=last))

    def _response(self, parts: list[Json], *, last: bool) -> dict[str, Json]:
        candidate: dict[str, Json] = {"content": {"parts": parts, "role": "model"}, "index": 0}
        if last:
            candidate["finishReason"] = self.finish_reason
            if grounding := self._grounding():
                candidate["groundingMetadata"] = grounding
        usage: dict[str, Json] = self.usage() if last else {"promptTokenCount": self.ask.figures.prompt}
        return {
            "candidates": [candidate],
            "usageMetadata": usage,
            "modelVersion": self.ask.model,
            "responseId": self.ask.id,
        }

    def _grounding(self) -> dict[str, Json] | None:
        searches = [part for part in self.step.parts if isinstance(part, Search)]
        if not searches:
            return None
        sources = [source for search in searches for source in search.sources]
        cited = [part for part in self.step.parts if isinstance(part, Text) and part.cited]
        indices: list[Json] = list(range(len(sources)))
        return {
            "webSearchQueries": [search.query for search in searches],
            "searchEntryPoint": {"renderedContent": "<div>Search suggestions</div>"},
            "groundingChunks": [{"web": {"uri": source.url, "title": source.title}} for source in sources],
            "groundingSupports": [
                {
                    "segment": {"startIndex": 0, "endIndex": len(part.text.encode()), "text": part.text},
                    "groundingChunkIndices": indices,
                }
                for part in cited
            ],
        }
