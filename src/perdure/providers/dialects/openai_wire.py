"""What both APIs of OpenAI, and whoever is compatible with them, send alike: error objects and details of tokens."""

from typing import Any, cast

from msgspec import Struct

from perdure.providers.dialects.wire import excerpt, explained, objects
from perdure.providers.errors.failures import ApiError

STATUSES = {
    "server_error": 500,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "invalid_prompt": 400,
    "invalid_request_error": 400,
    "context_length_exceeded": 400,
    "server_is_overloaded": 503,
    "slow_down": 503,
}
"""What the API would have answered, had it known before the stream began."""


class TokenDetails(Struct):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None


class OpenAIError(Struct):
    message: str | None = None
    type: str | None = None
    code: str | int | None = None

    @staticmethod
    def raised(error: "OpenAIError | str", data: bytes) -> ApiError:
        """An error inside a stream, to be raised."""
        if isinstance(error, str):
            return ApiError(error or excerpt(data), body=excerpt(data))
        words = [str(word) for word in (error.type, error.code, error.message) if word]
        return ApiError(": ".join(words) or excerpt(data), status=_status(error), body=excerpt(data))


def filtered(results: object) -> str | None:
    """The categories that Azure's filter found something in."""
    names = [
        name
        for result in objects(results)
        for name, found in _items(result.get("content_filter_results"))
        if isinstance(found, dict) and cast(dict[str, Any], found).get("filtered") is True
    ]
    return explained({"category": ", ".join(dict.fromkeys(names))}) if names else None


def _items(value: object) -> list[tuple[str, Any]]:
    return list(cast(dict[str, Any], value).items()) if isinstance(value, dict) else []


def _status(error: OpenAIError) -> int | None:
    if isinstance(error.code, int) and 400 <= error.code < 600:
        return error.code
    return STATUSES.get(str(error.code)) or STATUSES.get(str(error.type))
