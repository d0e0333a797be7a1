"""Where an API is served: a base URL with its quirks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import SplitResult

from perdure.core.addresses import reachable
from perdure.core.errors import Misconfigured
from perdure.providers.dialects.dialect import PLAIN, Dialect, Quirks


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


def split_address(typed: str) -> SplitResult:
    """The parts of a URL that an admin typed. Raises Misconfigured where no request could be sent to it."""
    url = reachable(typed.strip())
    if url is None or url.query or url.fragment:
        raise Misconfigured(f"{typed!r} is not a base URL. It must look like https://api.example.com.")
    return url


def base_url(typed: str, dialect: Dialect) -> str:
    """The URL an admin typed, as the dialect needs it: with or without a version, with or without a slash."""
    url = split_address(typed)
    path = url.path.rstrip("/")
    for ending in dialect.endings:
        path = path.removesuffix(ending)
    return f"{url.scheme}://{url.netloc}{path or dialect.version}"
