"""The chunks of a Gemini stream: the few fields of them that matter."""

from typing import Any

from msgspec import Raw, Struct


class Call(Struct):
    name: str = ""
    id: str | None = None
    args: Raw = Raw()


class Part(Struct, rename="camel"):
    text: str | None = None
    thought: bool = False
    thought_signature: str | None = None
    function_call: Call | None = None
    tool_call: dict[str, Any] | None = None
    tool_response: dict[str, Any] | None = None


class Content(Struct):
    parts: list[Part] | None = None


class Page(Struct):
    uri: str = ""
    title: str | None = None


class Ground(Struct):
    web: Page | None = None


class Grounding(Struct, rename="camel"):
    web_search_queries: list[str] | None = None
    grounding_chunks: list[Ground] | None = None


class Candidate(Struct, rename="camel"):
    content: Content | None = None
    finish_reason: str | None = None
    finish_message: str | None = None
    grounding_metadata: Grounding | None = None
    safety_ratings: Any = None


class Tokens(Struct, rename="camel"):
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


class Error(Struct):
    code: int | None = None
    message: str = ""
    status: str = ""


class Chunk(Struct, rename="camel"):
    candidates: list[Candidate] | None = None
    usage_metadata: Tokens | None = None
    prompt_feedback: Feedback | None = None
    error: Error | None = None
