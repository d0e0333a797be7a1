"""The events of a Messages stream: the few fields of them that matter."""

from typing import Any

from msgspec import Struct


class AnthropicUsage(Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    output_tokens_details: dict[str, Any] | None = None


class Piece(Struct, gc=False):
    type: str = ""
    text: str = ""
    thinking: str = ""
    partial_json: str = ""
    signature: str = ""
    citation: dict[str, Any] | None = None
    stop_reason: str | None = None
    stop_details: Any = None


class Message(Struct):
    usage: AnthropicUsage | None = None
    context_window: Any = None


class WebSearchResult(Struct):
    url: str
    title: str | None = None


class AnthropicError(Struct):
    type: str = ""
    message: str = ""


class AnthropicEvent(Struct, gc=False):
    type: str = ""
    index: int = 0
    delta: Piece | None = None
    content_block: dict[str, Any] | None = None
    message: Message | None = None
    usage: AnthropicUsage | None = None
    error: AnthropicError | None = None
