"""The chunks of a Gemini stream: the few fields of them that matter."""

from typing import Any

from msgspec import Raw, Struct


class FunctionCall(Struct):
    name: str = ""
    id: str | None = None
    args: Raw = Raw()


class Part(Struct, rename="camel"):
    text: str | None = None
    thought: bool = False
    thought_signature: str | None = None
    function_call: FunctionCall | None = None
    tool_call: dict[str, Any] | None = None
    tool_response: dict[str, Any] | None = None


class Content(Struct):
    parts: list[Part] | None = None


class WebSource(Struct):
    uri: str = ""
    title: str | None = None


class GroundingChunk(Struct):
    web: WebSource | None = None


class Grounding(Struct, rename="camel"):
    web_search_queries: list[str] | None = None
    grounding_chunks: list[GroundingChunk] | None = None


class Candidate(Struct, rename="camel"):
    content: Content | None = None
    finish_reason: str | None = None
    finish_message: str | None = None
    grounding_metadata: Grounding | None = None
    safety_ratings: Any = None


class UsageMetadata(Struct, rename="camel"):
    prompt_token_count: int | None = None
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None
    cached_content_token_count: int | None = None
    tool_use_prompt_token_count: int | None = None
    input_token_limit: Any = None


class Feedback(Struct, rename="camel"):
    block_reason: str | None = None
    block_reason_message: str | None = None
    safety_ratings: Any = None


class GeminiError(Struct):
    code: int | None = None
    message: str = ""
    status: str = ""


class GeminiChunk(Struct, rename="camel"):
    candidates: list[Candidate] | None = None
    usage_metadata: UsageMetadata | None = None
    prompt_feedback: Feedback | None = None
    error: GeminiError | None = None
