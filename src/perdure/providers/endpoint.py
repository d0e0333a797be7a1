"""Where an API is served: a base URL with its quirks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import SplitResult, urlsplit

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


VERSIONS = {
    "anthropic_messages": ("/v1/messages", "/v1"),
    "openai_responses": ("/responses",),
    "openai_chat": ("/chat/completions",),
    "gemini": ("/v1beta", "/v1"),
}
"""What people type at the end of a base URL although the dialect's path brings it."""

OPENAI_VERSION = "/v1"


def split_address(typed: str) -> SplitResult:
    """The parts of a URL that an admin typed. Raises Misconfigured where no request could be sent to it."""
    try:
        url = urlsplit(typed.strip())
        usable = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        url, usable = SplitResult("", "", "", "", ""), False
    if not usable or url.query or url.fragment:
        raise Misconfigured(f"{typed!r} is not a base URL. It must look like https://api.example.com.")
    return url


def base_url(typed: str, dialect: str) -> str:
    """The URL an admin typed, as the dialect needs it: with or without a version, with or without a slash."""
    url = split_address(typed)
    path = url.path.rstrip("/")
    for ending in VERSIONS[dialect]:
        path = path.removesuffix(ending)
    if not path and dialect.startswith("openai"):
        path = OPENAI_VERSION
    return f"{url.scheme}://{url.netloc}{path}"
