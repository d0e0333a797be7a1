"""The chunks of a Chat Completions stream: the few fields of them that matter."""

from typing import Any

from msgspec import Struct

from perdure.providers.dialects.openai_wire import OpenAIError, TokenDetails

# Most servers send text; some send a list of typed pieces.
Spoken = str | list[dict[str, Any]] | None


class Function(Struct):
    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class ToolCallChunk(Struct):
    index: int | None = None
    id: str | None = None
    function: Function | None = None


class Delta(Struct):
    """What only some servers send is taken in whatever shape it comes."""

    content: Spoken = None
    reasoning_content: str | None = None
    reasoning: str | dict[str, Any] | None = None
    reasoning_details: Any = None
    refusal: str | None = None
    tool_calls: list[ToolCallChunk] | None = None
    annotations: Any = None


class Choice(Struct):
    delta: Delta | None = None
    finish_reason: str | None = None
    content_filter_results: Any = None
    """Azure's."""


class CompletionUsage(Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: TokenDetails | None = None
    completion_tokens_details: TokenDetails | None = None
    prompt_cache_hit_tokens: int | None = None
    context_length: Any = None
    context_window: Any = None


class CompletionChunk(Struct):
    choices: list[Choice] | None = None
    usage: CompletionUsage | None = None
    context_length: Any = None
    context_window: Any = None
    """Some servers say how much fits, under one name or the other, here or with the usage."""
    error: OpenAIError | str | None = None
