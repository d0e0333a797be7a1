"""Calls to models as they are kept for a while."""

import zlib
from datetime import datetime, timedelta

from msgspec import Struct

from perdure.core.ids import ChatId
from perdure.store.query import query
from perdure.store.scopes import Database, PersonScope


class DebugRunRow(Struct, frozen=True):
    id: int
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
    usage: str | None
    cost: int | None
    blocks: tuple[str, ...]
    request: bytes
    response: bytes


class NewDebugRun(Struct, frozen=True):
    """A call to keep, of a chat of which only so many are."""

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
    usage: str | None
    cost: int | None
    blocks: tuple[str, ...]
    request: bytes
    response: bytes
    kept: timedelta
    others: int


def packed(said: bytes) -> bytes:
    """What was said, as it is stored."""
    return zlib.compress(said)


def unpacked(stored: bytes) -> bytes:
    """What was said, as it was before it was stored."""
    return zlib.decompress(stored)


@query
async def page(scope: PersonScope, chat_id: ChatId, before: int | None, limit: int) -> list[DebugRunRow]: ...


@query
async def write(db: Database, run: NewDebugRun) -> None: ...


@query
async def sweep(db: Database) -> None: ...
