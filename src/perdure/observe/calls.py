"""Calls to models as whoever watches is told of them: what was sent, what came, how it ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from perdure.core.deltas import Finish
from perdure.core.failure import ChatError

OK = "ok"
CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A request as it goes out, but for what proves who pays."""

    provider: str
    model: str
    dialect: str
    vendor: str
    """What telemetry calls whoever made the API."""
    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    messages: int = 0
    blocks: tuple[str, ...] = ()
    """Hashes of the prompt's blocks: the first that differs from the last call's is where the cache broke."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """What the request proves itself with, so that it can be found wherever it is repeated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a call ended."""

    outcome: str
    """`ok`, `cancelled`, or the kind of the error."""
    status: int | None = None
    finish: Finish | None = None
    cost: int | None = None
    """Micro-dollars; None where nobody knows the price."""
    error: ChatError | None = None


class Sighting(Protocol):
    """One call, watched by somebody."""

    listens: bool
    """Whether it wants to be told every piece of the answer."""

    def heard(self, piece: bytes, /) -> None:
        """A piece of the answer as the network brought it."""
        ...

    def began(self) -> None:
        """The first piece that says something."""
        ...

    def ended(self, ended: Ended, /) -> None: ...


class Watcher(Protocol):
    """Somebody who wants to be told of calls."""

    async def sent(self, sent: Sent, /) -> Sighting | None:
        """A request is about to go out. None where this one does not matter."""
        ...
