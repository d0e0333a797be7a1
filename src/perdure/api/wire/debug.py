"""Debug runs on the wire."""

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct

from perdure.core.usage import Usage


class DebugQuery(Struct, frozen=True, forbid_unknown_fields=True):
    cursor: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    """The `next_cursor` of the page before."""
    limit: Annotated[int, Meta(ge=1, le=100)] = 20


class Blocks(Struct, frozen=True):
    """The blocks of a prompt (tools, system, messages) in the provider's order."""

    count: int
    kept: int
    """How many begin it as they began the call before: from the next one on, the provider's cache was of no use."""


class DebugRun(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call to a model: what was sent, without what proves who pays, and what came back."""

    id: int
    turn: int
    attempt: int
    purpose: str
    """`answer`, `compaction`, `title` or another reason to ask."""
    provider: str
    model: str
    started_at: datetime
    first_event_ms: int | None = None
    duration_ms: int
    outcome: str
    """`ok`, `cancelled`, or the kind of the error."""
    status: int | None = None
    error: str | None = None
    usage: Usage | None = None
    cost: int | None = None
    blocks: Blocks
    request: Any
    """Method, URL, headers and body; a text where it was too long to be kept whole."""
    response: str
    """The answer as it came."""


class DebugRuns(Struct, frozen=True, omit_defaults=True):
    items: tuple[DebugRun, ...]
    next_cursor: str | None = None
