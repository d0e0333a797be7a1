"""The chunks of a Gemini stream, understood."""

from collections.abc import Iterator
from typing import Any

import msgspec

from perdure.core.deltas import (
    AnyDelta,
    Finish,
    ReasoningDelta,
    SourceDelta,
    TextDelta,
    ToolCallDelta,
    ToolResultDelta,
)
from perdure.core.message import FinishReason, ProviderMetadata, Usage
from perdure.providers.dialects.dialect import Json, Meaning
from perdure.providers.dialects.gemini.encode import NAME
from perdure.providers.dialects.gemini.events import (
    Candidate,
    FunctionCall,
    GeminiChunk,
    Grounding,
    Part,
    UsageMetadata,
)
from perdure.providers.dialects.wire import excerpt, explained, limit_of, objects, parse
from perdure.providers.errors.failures import ApiError, Filtered, Foreign, StreamEnded
from perdure.providers.model import Model
from perdure.providers.projection.step import fresh_call_id

REASONS = {
    "MAX_TOKENS": FinishReason.LENGTH,
    "CONTINUATION": FinishReason.PAUSED,
    "SAFETY": FinishReason.CONTENT_FILTER,
    "RECITATION": FinishReason.CONTENT_FILTER,
    "LANGUAGE": FinishReason.CONTENT_FILTER,
    "BLOCKLIST": FinishReason.CONTENT_FILTER,
    "PROHIBITED_CONTENT": FinishReason.CONTENT_FILTER,
    "SPII": FinishReason.CONTENT_FILTER,
    "IMAGE_SAFETY": FinishReason.CONTENT_FILTER,
    "IMAGE_PROHIBITED_CONTENT": FinishReason.CONTENT_FILTER,
}
SLIPS = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"})
"""The model wrote something that its own API could not read. Another attempt usually succeeds."""


_CHUNKS = msgspec.json.Decoder(GeminiChunk)


class GeminiDecoder:
    """Understands one answer of the Gemini API."""

    def __init__(self, model: Model) -> None:
        self.done = False
        self._model = model.id
        self._count = 0
        self._open: str | None = None
        self._ids: set[str] = set()
        self._called = False
        self._server_call: dict[str, Any] | None = None
        self._tokens: UsageMetadata | None = None

    def feed(self, data: bytes) -> Meaning:
        chunk = parse(_CHUNKS, data)
        if chunk.usage_metadata is not None:
            self._tokens = chunk.usage_metadata
        if chunk.error is not None or not chunk.candidates:
            return self._without_answer(chunk, data)
        candidate = chunk.candidates[0]
        said: list[AnyDelta | Finish] = []
        if candidate.content is not None and candidate.content.parts:
            for part in candidate.content.parts:
                said.extend(self._part(part))
        if candidate.grounding_metadata is not None:
            said.extend(self._grounded(candidate.grounding_metadata))
        if candidate.finish_reason:
            said.append(self._finish(candidate))
        return said

    def close(self) -> Meaning:
        if not self.done:
            raise StreamEnded
        return ()

    def _without_answer(self, chunk: GeminiChunk, data: bytes) -> Meaning:
        if chunk.error is not None:
            error = chunk.error
            raise ApiError(f"{error.status}: {error.message}", status=error.code, body=excerpt(data))
        if chunk.prompt_feedback is not None and chunk.prompt_feedback.block_reason:
            feedback = chunk.prompt_feedback
            reason = _blocked(feedback.safety_ratings) or feedback.block_reason
            raise Filtered(explained({"category": reason, "explanation": feedback.block_reason_message}) or "")
        if chunk.usage_metadata is None:
            raise Foreign(f"not a chunk of the Gemini API: {excerpt(data)}")
        return ()

    def _part(self, part: Part) -> Iterator[AnyDelta]:
        signature = self._metadata({"signature": part.thought_signature}) if part.thought_signature else None
        if part.function_call is not None:
            yield self._call(part.function_call, signature)
        elif part.tool_call is not None:
            self._server_call = {"toolCall": part.tool_call, **_signed(part)}
        elif part.tool_response is not None:
            yield from self._server_result(part)
        elif part.text or signature is not None:
            kind = ReasoningDelta if part.thought else TextDelta
            yield kind(self._at("reasoning" if part.thought else "text"), part.text or "", provider_metadata=signature)

    def _call(self, call: FunctionCall, signature: ProviderMetadata | None) -> ToolCallDelta:
        own = call.id if call.id and call.id not in self._ids else fresh_call_id()
        self._ids.add(own)
        self._called = True
        written = bytes(call.args).decode()
        written = "{}" if written in ("", "null") else written
        return ToolCallDelta(self._next(), own, call.name, written, provider_metadata=signature)

    def _server_result(self, part: Part) -> Iterator[AnyDelta]:
        response = part.tool_response or {}
        asked = self._server_call or {"toolCall": {}}
        tool = str(response.get("toolType", "tool")).lower()
        call_id = str(response.get("id") or fresh_call_id())
        args = msgspec.json.encode(asked["toolCall"].get("args") or {}).decode()
        yield ToolCallDelta(self._next(), call_id, tool, args, provider_executed=True)
        kept = [asked, {"toolResponse": response, **_signed(part)}]
        yield ToolResultDelta(
            index=self._next(),
            call_id=call_id,
            tool=tool,
            result_delta=msgspec.json.encode(response.get("response") or {}).decode(),
            provider_executed=True,
            done=True,
            provider_metadata=self._metadata({"parts": kept}),
        )
        self._server_call = None

    def _grounded(self, grounding: Grounding) -> Iterator[AnyDelta]:
        """A search, as it is told afterwards. The API wants none of it back."""
        pages = [ground.web for ground in grounding.grounding_chunks or () if ground.web is not None]
        if grounding.web_search_queries:
            call_id = fresh_call_id()
            asked = msgspec.json.encode({"queries": grounding.web_search_queries}).decode()
            yield ToolCallDelta(self._next(), call_id, "web_search", asked, provider_executed=True)
            yield ToolResultDelta(
                index=self._next(),
                call_id=call_id,
                tool="web_search",
                result_delta="\n".join(f"{page.title or ''}\n{page.uri}" for page in pages),
                provider_executed=True,
                done=True,
                provider_metadata=self._metadata({"parts": []}),
            )
        for page in pages:
            yield SourceDelta(self._next(), id=page.uri, url=page.uri, title=page.title or "")

    def _finish(self, candidate: Candidate) -> Finish:
        reason = candidate.finish_reason or "STOP"
        if reason in SLIPS:
            raise ApiError(f"internal error: {reason}: {candidate.finish_message or ''}", status=500)
        self.done = True
        meant = REASONS.get(reason, FinishReason.STOP)
        if self._called and meant is FinishReason.STOP:
            meant = FinishReason.TOOL_CALLS
        withheld = None
        if meant is FinishReason.CONTENT_FILTER:
            said = {"category": _blocked(candidate.safety_ratings) or reason, "explanation": candidate.finish_message}
            withheld = explained(said)
        usage = _usage(self._tokens) if self._tokens is not None else None
        limit = limit_of(self._tokens.input_token_limit) if self._tokens is not None else None
        return Finish(reason=meant, usage=usage, explanation=withheld, context_limit=limit)

    def _at(self, kind: str) -> int:
        if self._open != kind:
            self._next()
            self._open = kind
        return self._count - 1

    def _next(self) -> int:
        self._open = None
        self._count += 1
        return self._count - 1

    def _metadata(self, data: Json) -> ProviderMetadata:
        return ProviderMetadata(NAME, self._model, data)


def _blocked(ratings: object) -> str | None:
    """The categories in which an answer was found unsafe."""
    found = [str(rating.get("category")) for rating in objects(ratings) if rating.get("blocked") is True]
    return ", ".join(found) or None


def _signed(part: Part) -> Json:
    return {"thoughtSignature": part.thought_signature} if part.thought_signature else {}


def _usage(tokens: UsageMetadata) -> Usage:
    thoughts = tokens.thoughts_token_count or 0
    return Usage(
        input=(tokens.prompt_token_count or 0) + (tokens.tool_use_prompt_token_count or 0),
        output=(tokens.candidates_token_count or 0) + thoughts,
        reasoning=thoughts,
        cache_read=tokens.cached_content_token_count or 0,
    )
