"""Error objects as OpenAI and everybody compatible with it sends them."""

from msgspec import Struct

from perdure.providers.dialects.wire import excerpt
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


def _status(error: OpenAIError) -> int | None:
    if isinstance(error.code, int) and 400 <= error.code < 600:
        return error.code
    return STATUSES.get(str(error.code)) or STATUSES.get(str(error.type))
