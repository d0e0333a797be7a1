"""The events of a Messages stream, understood."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from perdure.core.deltas import AnyDelta, Finish, ReasoningDelta, SourceDelta, TextDelta, ToolCallDelta, ToolResultDelta
from perdure.core.message import FinishReason, ProviderMetadata, Usage
from perdure.providers.dialects.anthropic_messages.encode import NAME
from perdure.providers.dialects.anthropic_messages.events import (
    AnthropicError,
    AnthropicEvent,
    AnthropicUsage,
    WebSearchResult,
)
from perdure.providers.dialects.anthropic_messages.screen import SCREEN, as_one_tool
from perdure.providers.dialects.dialect import Json, Meaning
from perdure.providers.dialects.wire import UNREADABLE, excerpt, explained, limit_of, parse_slowly, words
from perdure.providers.errors.failures import ApiError, Foreign, StreamEnded
from perdure.providers.model import Model

REASONS = {
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "tool_use": FinishReason.TOOL_CALLS,
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "pause_turn": FinishReason.PAUSED,
    "refusal": FinishReason.CONTENT_FILTER,
}

STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""What the API would have answered, had it known before the stream began."""


class _Block:
    """A content block while it is open: where it stands in our message, and what is known only at its end."""

    __slots__ = ("citations", "index", "member", "signature", "written")

    def __init__(self, index: int) -> None:
        self.index = index
        self.signature = ""
        self.citations: list[dict[str, Any]] = []
        self.member = ""
        """The action that is called, of the set of tools for a screen; what is written of its arguments waits."""
        self.written = ""


_EVENTS = msgspec.json.Decoder(AnthropicEvent)
_read = _EVENTS.decode
_read_burst = msgspec.json.Decoder(list[AnthropicEvent]).decode


class AnthropicDecoder:
    """Understands one answer of the Messages API."""

    def __init__(self, model: Model) -> None:
        self.done = False
        self._model = model.id
        self._count = 0
        self._blocks: dict[int, _Block] = {}
        self._server_tools: dict[str, str] = {}
        self._reason: str | None = None
        self._details: object = None
        self._limit: int | None = None
        self._tokens = AnthropicUsage()

    def feed(self, data: bytes) -> Meaning:
        try:
            event = _read(data)
        except UNREADABLE as error:
            event = parse_slowly(_EVENTS, data, error)
        piece = event.delta
        # Nearly every event is more text: it takes the short way.
        if piece is not None and piece.text and (block := self._blocks.get(event.index)) is not None:
            return (TextDelta(block.index, piece.text),)
        return self._meaning(event, data)

    def more_text(self, events: Sequence[bytes]) -> tuple[int, TextDelta] | None:
        """The text of the first events as one, and how many say only that. They are read in one go."""
        try:
            read = _read_burst(b"[%b]" % b",".join(events))
        except UNREADABLE:
            return None
        block = self._blocks.get(read[0].index)
        if block is None or len(read) != len(events):
            return None
        texts: list[str] = []
        for event in read:
            piece = event.delta
            if piece is None or not piece.text or event.index != read[0].index:
                break
            texts.append(piece.text)
        return (len(texts), TextDelta(block.index, "".join(texts))) if texts else None

    def _meaning(self, event: AnthropicEvent, data: bytes) -> Meaning:
        match event.type:
            case "content_block_delta":
                return self._more(event)
            case "content_block_start":
                return tuple(self._opened(event))
            case "content_block_stop":
                return self._closed(event.index)
            case "message_start" | "message_delta":
                return self._note(event)
            case "message_stop":
                return self._finish()
            case "error":
                raise _api_error(event.error or AnthropicError(), data)
            case "":
                if event.error is not None:
                    raise _api_error(event.error, data)
                raise Foreign(f"not an event of the Messages API: {excerpt(data)}")
            case _:
                return ()

    def close(self) -> Meaning:
        if not self.done:
            raise StreamEnded
        return ()

    def _more(self, event: AnthropicEvent) -> Meaning:
        block = self._blocks.get(event.index)
        piece = event.delta
        if block is None or piece is None:
            return ()
        match piece.type:
            case "text_delta":
                return (TextDelta(block.index, piece.text),)
            case "input_json_delta" if block.member:
                block.written += piece.partial_json
            case "input_json_delta":
                return (ToolCallDelta(block.index, args_delta=piece.partial_json),)
            case "thinking_delta":
                return (ReasoningDelta(block.index, piece.thinking),)
            case "signature_delta":
                block.signature += piece.signature
            case "citations_delta" if piece.citation is not None:
                block.citations.append(piece.citation)
            case _:
                pass
        return ()

    def _opened(self, event: AnthropicEvent) -> Iterator[AnyDelta]:
        block = event.content_block or {}
        kind = words(block.get("type"))
        match kind:
            case "text":
                yield TextDelta(self._place(event.index), words(block.get("text")))
            case "thinking":
                index = self._place(event.index)
                self._blocks[event.index].signature = words(block.get("signature"))
                yield ReasoningDelta(index, words(block.get("thinking")))
            case "redacted_thinking":
                redacted = self._metadata({"redacted": block.get("data", "")})
                yield ReasoningDelta(self._place(event.index), provider_metadata=redacted)
            case "tool_use" | "server_tool_use":
                yield self._call(event.index, block, server=kind == "server_tool_use")
            case _ if kind.endswith("_tool_result"):
                yield from self._result(event.index, block, kind)
            case _:
                pass

    def _call(self, position: int, block: Json, *, server: bool) -> ToolCallDelta:
        call_id, tool = words(block.get("id")), words(block.get("name"))
        if server:
            self._server_tools[call_id] = tool
        given = block.get("input") or None
        args = "" if given is None else msgspec.json.encode(given).decode()
        index = self._place(position)
        if block.get("toolset_name") == SCREEN:
            self._blocks[position].member, self._blocks[position].written = tool, args
            return ToolCallDelta(index, call_id, SCREEN)
        return ToolCallDelta(index, call_id, tool, args, provider_executed=server)

    def _result(self, position: int, block: Json, kind: str) -> Iterator[AnyDelta]:
        call_id = words(block.get("tool_use_id"))
        text, failed, sources = _told(block.get("content"))
        yield ToolResultDelta(
            index=self._place(position),
            call_id=call_id,
            tool=self._server_tools.get(call_id, kind.removesuffix("_tool_result")),
            result_delta=text,
            is_error=failed,
            provider_executed=True,
            done=True,
            provider_metadata=self._metadata({"block": block}),
        )
        for url, title in sources:
            yield SourceDelta(self._next(), id=url, url=url, title=title)

    def _closed(self, position: int) -> Meaning:
        block = self._blocks.pop(position, None)
        if block is None:
            return ()
        if block.member:
            return (ToolCallDelta(block.index, args_delta=as_one_tool(block.member, block.written)),)
        if block.signature:
            return (ReasoningDelta(block.index, provider_metadata=self._metadata({"signature": block.signature})),)
        if block.citations:
            return (TextDelta(block.index, provider_metadata=self._metadata({"citations": block.citations})),)
        return ()

    def _note(self, event: AnthropicEvent) -> Meaning:
        if event.message is not None:
            self._limit = limit_of(event.message.context_window)
        reported = event.usage or (event.message.usage if event.message else None)
        for field in AnthropicUsage.__struct_fields__ if reported else ():
            if (value := getattr(reported, field)) is not None:
                setattr(self._tokens, field, value)
        if event.delta is not None and event.delta.stop_reason:
            self._reason = event.delta.stop_reason
            self._details = event.delta.stop_details
        return ()

    def _finish(self) -> Meaning:
        self.done = True
        reason = REASONS.get(self._reason or "end_turn", FinishReason.STOP)
        withheld = explained(self._details) if reason is FinishReason.CONTENT_FILTER else None
        return (Finish(reason=reason, usage=_usage(self._tokens), explanation=withheld, context_limit=self._limit),)

    def _place(self, position: int) -> int:
        index = self._next()
        self._blocks[position] = _Block(index)
        return index

    def _next(self) -> int:
        self._count += 1
        return self._count - 1

    def _metadata(self, data: Json) -> ProviderMetadata:
        return ProviderMetadata(NAME, self._model, data)


def _usage(tokens: AnthropicUsage) -> Usage:
    read, written = tokens.cache_read_input_tokens or 0, tokens.cache_creation_input_tokens or 0
    thought = (tokens.output_tokens_details or {}).get("thinking_tokens")
    return Usage(
        input=(tokens.input_tokens or 0) + read + written,
        output=tokens.output_tokens or 0,
        reasoning=thought if type(thought) is int else 0,
        cache_read=read,
        cache_write=written,
    )


def _told(content: object) -> tuple[str, bool, list[tuple[str, str]]]:
    """A server tool's result in words, whether it failed, and the pages it names."""
    match content:
        case {"error_code": str(code)}:
            return f"error: {code}", True, []
        case {"type": "web_fetch_result", "url": str(url)}:
            return url, False, [(url, "")]
        case _:
            pass
    try:
        pages = [(page.url, page.title or "") for page in msgspec.convert(content, list[WebSearchResult])]
    except msgspec.ValidationError:
        return msgspec.json.encode(content).decode(), False, []
    return "\n".join(f"{title}\n{url}" for url, title in pages), False, pages


def _api_error(error: AnthropicError, data: bytes) -> ApiError:
    text = f"{error.type}: {error.message}" if error.type else error.message
    return ApiError(text or excerpt(data), status=STATUSES.get(error.type), body=excerpt(data))
