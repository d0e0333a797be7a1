"""What was said between us and models, for those who look after the deployment."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from perdure.access.actor import Permission
from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.core.ids import ChatId
from perdure.core.message import Usage
from perdure.store.tables import debug_runs
from perdure.store.tables.debug_runs import DebugRunRow, unpacked


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


routes = Routes("operation")


@routes.get("/chats/{chat_id}/debug")
async def list_debug_runs(caller: Caller, chat_id: ChatId, query: DebugQuery) -> DebugRuns:
    """The newest calls to models in a chat that you can see, while your organisation has them kept. For admins."""
    await caller.chats.read(chat_id)
    caller.actor.require(Permission.AUDIT)
    # One more than is shown: a call is compared with the one before it, and whether there is more is known.
    rows = await debug_runs.page(caller.rows, chat_id, query.cursor, query.limit + 1)
    shown = rows[: query.limit]
    more = shown[-1].id if len(rows) > query.limit else None
    return DebugRuns(
        tuple(_run(row, rows[at + 1 :]) for at, row in enumerate(shown)), None if more is None else str(more)
    )


def _run(row: DebugRunRow, older: list[DebugRunRow]) -> DebugRun:
    before = next((each for each in older if each.purpose == row.purpose), None)
    return DebugRun(
        id=row.id,
        turn=row.turn,
        attempt=row.attempt,
        purpose=row.purpose,
        provider=row.provider,
        model=row.model,
        started_at=row.started_at,
        first_event_ms=row.first_event_ms,
        duration_ms=row.duration_ms,
        outcome=row.outcome,
        status=row.status,
        error=row.error,
        usage=msgspec.json.decode(row.usage, type=Usage) if row.usage else None,
        cost=row.cost,
        blocks=_blocks(row.blocks, before.blocks if before else ()),
        request=_said(unpacked(row.request)),
        response=unpacked(row.response).decode(),
    )


def _blocks(now: Sequence[str], before: Sequence[str]) -> Blocks:
    """How far the prompt begins as the last one did."""
    same = next((at for at, pair in enumerate(zip(now, before, strict=False)) if pair[0] != pair[1]), None)
    kept = min(len(now), len(before)) if same is None else same
    return Blocks(len(now), kept)


def _said(request: bytes) -> object:
    """The request as JSON, or as text where it was cut."""
    try:
        return msgspec.json.decode(request)
    except msgspec.DecodeError:
        return request.decode()
