"""Answers that are not streams: what they say, as errors."""

from collections.abc import Mapping

from perdure.providers.errors.failures import ApiError, Failure, Malformed, StreamEnded
from perdure.providers.errors.words import structured_code, structured_message

STREAM_TYPES = frozenset({"text/event-stream", "application/vnd.amazon.eventstream", "application/octet-stream"})
KEPT_HEADERS = ("retry-after", "retry-after-ms", "content-type", "request-id", "x-request-id")


def refusal(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """What an answer that is no stream means."""
    text = body.decode("utf-8", "replace")
    said = " ".join(filter(None, (structured_code(text), structured_message(text))))
    if status == 200 and not said:
        return Malformed("an answer that is no stream of events") if text.strip() else StreamEnded()
    kept = {name: headers[name] for name in KEPT_HEADERS if name in headers}
    return ApiError(said or f"status {status}", status=None if status == 200 else status, body=text, headers=kept)
