"""What may go into a header of a request: checked where somebody sets one up, and once more before it is sent."""

import re
from collections.abc import Mapping

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_VALUE = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]*")
LONGEST = 8_000
OURS = frozenset({"connection", "content-length", "expect", "host", "te", "trailer", "transfer-encoding", "upgrade"})
"""They say how a request is sent. Whoever sends it knows that better."""


def wrong_value(value: str) -> str | None:
    """Why a header cannot hold this, if it cannot."""
    if _VALUE.fullmatch(value) is None:
        return "must not hold line breaks or other control characters"
    return f"must have at most {LONGEST} bytes" if len(value.encode()) > LONGEST else None


def wrong_headers(headers: Mapping[str, str]) -> str | None:
    """Why headers of somebody's own cannot be sent, if they cannot."""
    for name, value in headers.items():
        if _NAME.fullmatch(name) is None:
            return f"{name[:100]!r} is not the name of a header"
        if name.lower() in OURS:
            return f"{name} is set by the server itself"
        if wrong := wrong_value(value):
            return f"{name} {wrong}"
    return None
