"""What people are told: finished, failed, needs you."""

import base64
import binascii
from datetime import datetime

import msgspec

from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.control import Nothing
from perdure.api.wire.inbox import InboxEntry, InboxPage, InboxQuery, Unread
from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.store.tables import inbox
from perdure.store.tables.inbox import InboxRow

routes = Routes("inbox")


@routes.get("/inbox")
async def read_inbox(caller: Caller, query: InboxQuery) -> InboxPage:
    """What happened in your chats, newest first, and how much of it you have not read."""
    after = _position(query.cursor)
    rows = await inbox.page(caller.rows, *after, query.unread, query.limit)
    return InboxPage(
        items=tuple(_entry(row) for row in rows), unread=await _unread(caller), next_cursor=_next(rows, query.limit)
    )


@routes.post("/inbox/{entry_id}/read")
async def mark_read(caller: Caller, entry_id: int, body: Nothing) -> InboxEntry:  # noqa: ARG001
    """You have read it."""
    return await _mark(caller, entry_id, read=True)


@routes.post("/inbox/{entry_id}/unread")
async def mark_unread(caller: Caller, entry_id: int, body: Nothing) -> InboxEntry:  # noqa: ARG001
    """Keep it for later."""
    return await _mark(caller, entry_id, read=False)


@routes.post("/inbox/read-all")
async def mark_all_read(caller: Caller, body: Nothing) -> Unread:  # noqa: ARG001
    """You have read everything."""
    await inbox.mark_all(caller.rows)
    caller.announcements.inbox_changed()
    return Unread(await _unread(caller))


async def _mark(caller: Caller, entry_id: int, *, read: bool) -> InboxEntry:
    row = await inbox.mark(caller.rows, entry_id, read)
    if row is None:
        raise NotFound("There is no such entry.")
    caller.announcements.inbox_changed()
    return _entry(row)


async def _unread(caller: Caller) -> int:
    return await inbox.unread(caller.rows)


def _entry(row: InboxRow) -> InboxEntry:
    return msgspec.convert(row, InboxEntry, from_attributes=True)


def _next(rows: list[InboxRow], limit: int) -> str | None:
    if len(rows) < limit:
        return None
    return base64.urlsafe_b64encode(msgspec.json.encode((rows[-1].created_at, rows[-1].id))).decode()


def _position(cursor: str | None) -> tuple[datetime | None, int | None]:
    if cursor is None:
        return None, None
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(cursor), type=tuple[datetime, int])
    except (ValueError, binascii.Error, msgspec.MsgspecError) as error:
        raise InvalidInput("This cursor is not one of ours.", Validation("cursor", "not a cursor")) from error
