"""Where an API is served: a base URL with its quirks, for the places that we know and those we do not."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import urlsplit

from perdure.core.errors import Misconfigured
from perdure.providers.dialects.dialect import PLAIN, Quirks


class Framing(StrEnum):
    """How events are laid out in the body of a response."""

    SSE = "sse"
    AWS_EVENT_STREAM = "aws_event_stream"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A base URL without its trailing slash, and how it differs from the dialect's textbook."""

    base_url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    query: str = ""
    quirks: Quirks = PLAIN
    framing: Framing = Framing.SSE

    def url(self, path: str) -> str:
        whole = f"{self.base_url}{path}"
        if not self.query:
            return whole
        return f"{whole}{'&' if '?' in path else '?'}{self.query}"


def base_url(text: str, *, version: str) -> str:
    """The URL an admin typed, without the version that the dialect's path brings, if it was typed too."""
    url = urlsplit(text.strip())
    if url.scheme not in ("http", "https") or not url.hostname:
        raise Misconfigured(f"{text!r} is not a web address. It must begin with http:// or https://.")
    path = url.path.rstrip("/")
    return f"{url.scheme}://{url.netloc}{path.removesuffix(version)}"
