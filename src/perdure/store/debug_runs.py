"""Calls to models as they are kept for a while: the rows, one statement at a time."""

import zlib
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import msgspec

from perdure.core.ids import ChatId
from perdure.core.usage import Usage
from perdure.store.pool import Pool
from perdure.store.tables import debug_runs
from perdure.store.tables.debug_runs import NewDebugRun


@dataclass(frozen=True, slots=True, kw_only=True)
class DebugRun:
    """One call, redacted and cut to size."""

    chat_id: ChatId
    turn: int
    attempt: int
    purpose: str
    provider: str
    model: str
    started_at: datetime
    first_event_ms: int | None
    duration_ms: int
    outcome: str
    status: int | None
    error: str | None
    usage: Usage | None
    cost: int | None
    blocks: tuple[str, ...]
    request: bytes = field(repr=False)
    response: bytes = field(repr=False)


async def write(pool: Pool, run: DebugRun, *, kept: timedelta, most: int) -> None:
    """Keep a call, if its chat is still there, and only the newest of a chat."""
    usage = None if run.usage is None else msgspec.json.encode(run.usage).decode()
    row = NewDebugRun(
        *(run.chat_id, run.turn, run.attempt, run.purpose, run.provider, run.model),
        *(run.started_at, run.first_event_ms, run.duration_ms, run.outcome, run.status, run.error),
        *(usage, run.cost, run.blocks, zlib.compress(run.request), zlib.compress(run.response)),
        *(kept, most - 1),
    )
    await debug_runs.write(pool, row)


async def sweep(pool: Pool) -> None:
    await debug_runs.sweep(pool)


def opened(stored: bytes) -> bytes:
    """What was said, as it was before it was stored."""
    return zlib.decompress(stored)
