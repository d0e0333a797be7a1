"""The chunks of a Chat Completions stream, understood."""

from collections.abc import Iterator
from typing import Any

import msgspec

from perdure.core.deltas import AnyDelta, Finish, ReasoningDelta, SourceDelta, TextDelta, ToolCallDelta
from perdure.core.message import FinishReason, ProviderMetadata, Usage
from perdure.providers.dialects.dialect import Meaning
from perdure.providers.dialects.openai_chat.details import DETAILS, ThoughtDetails
from perdure.providers.dialects.openai_chat.encode import NAME
from perdure.providers.dialects.openai_chat.events import (
    CompletionChunk,
    CompletionUsage,
    Delta,
    Function,
    ToolCallChunk,
)
from perdure.providers.dialects.openai_wire import OpenAIError, TokenDetails, filtered
from perdure.providers.dialects.wire import excerpt, limit_of, objects, parse
from perdure.providers.errors.failures import Foreign, StreamEnded
from perdure.providers.model import Model
from perdure.providers.projection.step import fresh_call_id

DONE = b"[DONE]"
REASONS = {
    "stop": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "tool_calls": FinishReason.TOOL_CALLS,
    "function_call": FinishReason.TOOL_CALLS,
    "content_filter": FinishReason.CONTENT_FILTER,
}

_CHUNKS = msgspec.json.Decoder(CompletionChunk)


class ChatDecoder:
    """Understands one answer of Chat Completions."""

    def __init__(self, model: Model) -> None:
        self.done = False
        self._model = model.id
        self._count = 0
        self._open: str | None = None
        self._thought: int | None = None
        self._details = ThoughtDetails()
        self._calls: dict[int, tuple[str, int]] = {}
        self._ids: set[str] = set()
        self._reason: str | None = None
        self._filters: object = None
        self._limit: int | None = None
        self._refused = False
        self._usage: Usage | None = None

    def feed(self, data: bytes) -> Meaning:
        if data == DONE:
            return self._finish()
        chunk = parse(_CHUNKS, data)
        if chunk.usage is not None:
            self._used(chunk, chunk.usage)
        choices = chunk.choices
        if choices:
            choice = choices[0]
            if choice.finish_reason:
                self._reason = choice.finish_reason
                self._filters = choice.content_filter_results
            delta = choice.delta
            if delta is not None and chunk.error is None:
                content = delta.content
                if content and isinstance(content, str) and self._open == "text" and not _says_more(delta):
                    return (TextDelta(self._count - 1, content),)
                return tuple(self._more(delta))
        if chunk.error is not None:
            raise OpenAIError.raised(chunk.error, data)
        if choices is None and chunk.usage is None:
            raise Foreign(f"not a chunk of a chat completion: {excerpt(data)}")
        return ()

    def close(self) -> Meaning:
        """Some servers forget the last line; a finish reason is as good."""
        if self.done:
            return ()
        if self._reason is None:
            raise StreamEnded
        return self._finish()

    def _used(self, chunk: CompletionChunk, tokens: CompletionUsage) -> None:
        self._usage = _usage(tokens)
        self._limit = limit_of(
            tokens.context_length, tokens.context_window, chunk.context_length, chunk.context_window, self._limit
        )

    def _more(self, delta: Delta) -> Iterator[AnyDelta]:
        thought = delta.reasoning_content or (delta.reasoning if isinstance(delta.reasoning, str) else None)
        if thought:
            yield ReasoningDelta(self._at("reasoning"), thought)
        if delta.reasoning_details and self._details.add(delta.reasoning_details):
            yield self._proven()
        if isinstance(delta.content, list):
            yield from self._pieces(delta.content)
        elif delta.content:
            yield TextDelta(self._at("text"), delta.content)
        if delta.refusal:
            self._refused = True
            yield TextDelta(self._at("text"), delta.refusal)
        for call in delta.tool_calls or ():
            yield self._call(call)
        for url, title in _cited(delta.annotations):
            yield SourceDelta(self._next(), id=url, url=url, title=title)

    def _proven(self) -> ReasoningDelta | ToolCallDelta:
        """What has to come back is kept with the first thought, or with the call it came after."""
        metadata = ProviderMetadata(NAME, self._model, {DETAILS: self._details.whole()})
        if self._thought is None and self._calls:
            return ToolCallDelta(max(index for _, index in self._calls.values()), provider_metadata=metadata)
        index = self._at("reasoning") if self._thought is None else self._thought
        return ReasoningDelta(index, provider_metadata=metadata)

    def _pieces(self, pieces: list[dict[str, Any]]) -> Iterator[AnyDelta]:
        for piece in pieces:
            match piece:
                case {"type": "thinking", "thinking": [*thoughts]}:
                    words = "".join(str(thought.get("text", "")) for thought in thoughts)
                    yield ReasoningDelta(self._at("reasoning"), words)
                case {"text": str(text)}:
                    yield TextDelta(self._at("text"), text)
                case _:
                    pass

    def _call(self, call: ToolCallChunk) -> ToolCallDelta:
        """A piece of a call. A known position with another id is another call: some servers count from 0 each time."""
        position = call.index if call.index is not None else max(self._calls, default=-1) + bool(call.id)
        known = self._calls.get(position)
        function = call.function or Function()
        written = function.arguments
        args = written if isinstance(written, str) else msgspec.json.encode(written).decode() if written else ""
        if known is not None and (not call.id or call.id == known[0]):
            return ToolCallDelta(known[1], args_delta=args)
        index = self._next()
        self._calls[position] = (call.id or "", index)
        return ToolCallDelta(index, call_id=self._own_id(call.id), tool=function.name or "", args_delta=args)

    def _own_id(self, given: str | None) -> str:
        own = given if given and given not in self._ids else fresh_call_id()
        self._ids.add(own)
        return own

    def _at(self, kind: str) -> int:
        if self._open != kind:
            index = self._next()
            self._open = kind
            if kind == "reasoning" and self._thought is None:
                self._thought = index
        return self._count - 1

    def _next(self) -> int:
        self._open = None
        self._count += 1
        return self._count - 1

    def _finish(self) -> Meaning:
        self.done = True
        reason = REASONS.get(self._reason or "stop", FinishReason.STOP)
        if self._refused:
            reason = FinishReason.CONTENT_FILTER
        elif self._calls and reason is FinishReason.STOP:
            reason = FinishReason.TOOL_CALLS
        withheld = filtered([{"content_filter_results": self._filters}]) if self._filters else None
        explanation = withheld if reason is FinishReason.CONTENT_FILTER else None
        return (Finish(reason=reason, usage=self._usage, explanation=explanation, context_limit=self._limit),)


def _says_more(delta: Delta) -> bool:
    """Whether there is anything besides the content."""
    thoughts = delta.reasoning_content or delta.reasoning or delta.reasoning_details
    return bool(thoughts or delta.tool_calls or delta.annotations or delta.refusal)


def _cited(annotations: object) -> Iterator[tuple[str, str]]:
    """The pages that a text names, with their titles."""
    for annotation in objects(annotations):
        match annotation:
            case {"url_citation": {"url": str(url), "title": str(title)}}:
                yield url, title
            case {"url_citation": {"url": str(url)}}:
                yield url, ""
            case _:
                pass


def _usage(tokens: CompletionUsage) -> Usage:
    given, made = tokens.prompt_tokens_details or TokenDetails(), tokens.completion_tokens_details or TokenDetails()
    return Usage(
        input=tokens.prompt_tokens or 0,
        output=tokens.completion_tokens or 0,
        reasoning=made.reasoning_tokens or 0,
        cache_read=given.cached_tokens or tokens.prompt_cache_hit_tokens or 0,
        cache_write=given.cache_write_tokens or 0,
    )
