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
from perdure.providers.errors.failures import ApiError, Foreign, StreamEnded
from perdure.providers.model import Model
from perdure.providers.projection.step import fresh_call_id

DONE = b"[DONE]"
REASONS = {
    "stop": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,
    "tool_calls": FinishReason.TOOL_CALLS,
    "function_call": FinishReason.TOOL_CALLS,
    "content_filter": FinishReason.CONTENT_FILTER,
}

BROKEN_OFF = {"error": 500, "insufficient_system_resource": 503}
"""Reasons to finish that are none: with the status that the API would have answered, had it known before."""

_CHUNKS = msgspec.json.Decoder(CompletionChunk)


class _Call:
    """A call while its pieces come: its names, where its part stands, and whether it may be complete."""

    __slots__ = ("ended", "given", "index", "tool")

    def __init__(self, given: str, tool: str, index: int) -> None:
        self.given = given
        """The id as the server has it, which may be none."""
        self.tool = tool
        self.index = index
        self.ended = False
        """Whether the arguments may be complete."""

    def goes_on(self, piece: ToolCallChunk, args: str) -> bool:
        """Whether a piece at its position is more of it. Some servers give every call the first position, and no id."""
        if piece.id:
            return piece.id == self.given
        tool = piece.function.name if piece.function is not None else None
        if not tool or not self.tool:
            return True
        return tool == self.tool and not (self.ended and args.lstrip().startswith("{"))

    def wrote(self, args: str) -> None:
        if args:
            self.ended = args.rstrip().endswith("}")


class ChatDecoder:
    """Understands one answer of Chat Completions."""

    def __init__(self, model: Model) -> None:
        self.done = False
        self._model = model.id
        self._count = 0
        self._open: str | None = None
        self._thought: int | None = None
        self._details = ThoughtDetails()
        self._calls: dict[int, _Call] = {}
        self._ids: set[str] = set()
        self._reason: str | None = None
        self._filters: object = None
        self._limit: int | None = None
        self._refused = False
        self._usage: Usage | None = None

    def feed(self, data: bytes) -> Meaning:
        if data == DONE or (data[-1:] != b"}" and data.strip() == DONE):
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
            newest = max(call.index for call in self._calls.values())
            return ToolCallDelta(newest, provider_metadata=metadata)
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

    def _call(self, piece: ToolCallChunk) -> ToolCallDelta:
        """A piece of a call."""
        function = piece.function or Function()
        written = function.arguments
        args = written if isinstance(written, str) else msgspec.json.encode(written).decode() if written else ""
        position = self._position(piece)
        call = self._calls.get(position)
        if call is not None and call.goes_on(piece, args):
            call.wrote(args)
            named = "" if call.tool else function.name or ""
            call.tool = call.tool or named
            return ToolCallDelta(call.index, tool=named, args_delta=args)
        call = self._calls[position] = _Call(piece.id or "", function.name or "", self._next())
        call.wrote(args)
        return ToolCallDelta(call.index, call_id=self._own_id(piece.id), tool=call.tool, args_delta=args)

    def _position(self, piece: ToolCallChunk) -> int:
        """Where a piece says that it belongs; by its id, or else to the newest, where it does not say."""
        if piece.index is not None:
            return piece.index
        newest = max(self._calls, default=-1)
        if not piece.id:
            return newest
        return next((at for at, call in self._calls.items() if call.given == piece.id), newest + 1)

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
        if self._reason in BROKEN_OFF:
            raise ApiError(f"the answer ended with {self._reason}", status=BROKEN_OFF[self._reason])
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
