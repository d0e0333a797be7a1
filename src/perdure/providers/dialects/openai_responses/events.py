"""The events of a Responses stream: the few fields of them that matter."""

from typing import Any

from msgspec import Raw, Struct

from perdure.providers.dialects.openai_wire import OpenAIError, TokenDetails


class ResponseEvent(Struct):
    """One event. What only few events need stays unparsed until one of them asks."""

    type: str = ""
    sequence_number: int | None = None
    output_index: int | None = None
    item_id: str | None = None
    summary_index: int = 0
    delta: Any = None
    arguments: str | None = None
    item: Raw = Raw()
    annotation: Raw = Raw()
    response: Raw = Raw()
    code: str | None = None
    message: str | None = None
    error: OpenAIError | str | None = None


class Item(Struct):
    type: str = ""
    id: str | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    status: str | None = None
    phase: str | None = None
    encrypted_content: str | None = None
    action: dict[str, Any] | None = None
    actions: list[dict[str, Any]] | None = None
    pending_safety_checks: list[dict[str, Any]] | None = None


class Annotation(Struct):
    type: str = ""
    url: str | None = None
    title: str | None = None


class ResponseUsage(Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    input_tokens_details: TokenDetails | None = None
    output_tokens_details: TokenDetails | None = None


class Incomplete(Struct):
    reason: str | None = None


class Response(Struct):
    id: str | None = None
    store: bool | None = None
    status: str | None = None
    usage: ResponseUsage | None = None
    error: OpenAIError | str | None = None
    incomplete_details: Incomplete | None = None
    context_window: Any = None
    content_filters: Any = None
    """Azure's."""
