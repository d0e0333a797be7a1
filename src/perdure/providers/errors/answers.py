"""Answers that are not streams: what they say, as errors."""

import re
from collections.abc import Mapping

from perdure.providers.errors.failures import ApiError, Failure, Malformed, NotStreamed, StreamEnded
from perdure.providers.errors.signals import is_page
from perdure.providers.errors.words import structured_code, structured_message

STREAM_TYPES = frozenset({"text/event-stream", "application/vnd.amazon.eventstream", "application/octet-stream"})
SEEN = 4_096
_WHOLE = re.compile(r'"(?:choices|candidates|output|content)"\s{0,8}:\s{0,8}\[')
"""What an answer has that was not streamed, in any of the dialects."""
KEPT_HEADERS = ("retry-after", "retry-after-ms", "content-type", "request-id", "x-request-id")


def refusal(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """What an answer that is no stream means."""
    text = body.decode("utf-8", "replace").removeprefix("\ufeff")
    kept = {name: headers[name] for name in KEPT_HEADERS if name in headers}
    answer = ApiError(f"status {status}", status=None if status == 200 else status, body=text, headers=kept)
    code, message = ("", None) if is_page(answer) else (structured_code(text), structured_message(text))
    if status == 200 and message is None and _WHOLE.search(text[:SEEN]):
        return NotStreamed("an answer in one piece")
    if status == 200 and not (code or message):
        return Malformed("an answer that is no stream of events") if text.strip() else StreamEnded()
    answer.text = " ".join(filter(None, (code, message))) or answer.text
    return answer
