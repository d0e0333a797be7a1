"""Answers that are not streams: what they say, as errors."""

from collections.abc import Mapping

from perdure.providers.errors.failures import ApiError, Malformed
from perdure.providers.errors.words import structured_code, structured_message

STREAM_TYPES = frozenset({"text/event-stream", "application/vnd.amazon.eventstream", "application/octet-stream"})
KEPT_HEADERS = ("retry-after", "retry-after-ms", "content-type", "request-id", "x-request-id")


def api_error(status: int, headers: Mapping[str, str], body: bytes) -> ApiError:
    """The error in a response with a status other than 200."""
    text = body.decode("utf-8", "replace")
    said = " ".join(filter(None, (structured_code(text), structured_message(text))))
    kept = {name: headers[name] for name in KEPT_HEADERS if name in headers}
    return ApiError(said or f"status {status}", status=status, body=text, headers=kept)


def check_stream(content_type: str) -> None:
    """Raise unless a stream follows."""
    if content_type not in STREAM_TYPES:
        raise Malformed(f"expected a stream of events, got {content_type}")
