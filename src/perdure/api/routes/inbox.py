"""What people are told: finished, failed, needs you; on the page, and in browsers whose page is closed."""

import base64
from datetime import datetime
from enum import StrEnum
from ipaddress import ip_address
from typing import Annotated
from urllib.parse import urlsplit
from uuid import UUID

import msgspec
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
from msgspec import Meta, Struct

from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.content import END
from perdure.api.wire.control import Nothing
from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.core.extras import require
from perdure.core.ids import ChatId
from perdure.store.tables import inbox, push
from perdure.store.tables.inbox import InboxRow


class InboxKind(StrEnum):
    FINISHED = "finished"
    FAILED = "failed"
    NEEDS_YOU = "needs_you"
    SHARED = "shared"
    DIGEST = "digest"
    SCHEDULE_PAUSED = "schedule_paused"
    MENTION = "mention"


class InboxEntry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: int
    chat_id: ChatId | None = None
    kind: InboxKind
    title: str
    text: str
    created_at: datetime
    read_at: datetime | None = None


class InboxQuery(Struct, frozen=True, forbid_unknown_fields=True):
    unread: bool = False
    cursor: Annotated[str, Meta(max_length=200)] | None = None
    limit: Annotated[int, Meta(ge=1, le=200)] = 50


class InboxPage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    items: tuple[InboxEntry, ...]
    unread: int
    next_cursor: str | None = None


class Unread(Struct, frozen=True):
    unread: int


class PushKeys(Struct, frozen=True, forbid_unknown_fields=True):
    p256dh: Annotated[str, Meta(max_length=200, pattern=r"^[A-Za-z0-9_=-]+" + END)]
    auth: Annotated[str, Meta(max_length=100, pattern=r"^[A-Za-z0-9_=-]+" + END)]


class PushSubscription(Struct, frozen=True):
    id: UUID


class PushBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A subscription as the browser gives it."""

    endpoint: Annotated[str, Meta(max_length=2_000, pattern=r"^https://[A-Za-z0-9.:\[\]-]+(/[!-~]*)?" + END)]
    keys: PushKeys
    expirationTime: float | None = None  # noqa: N815 - the browser's own spelling


class PushKey(Struct, frozen=True):
    key: str


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
    """Mark an entry as read."""
    return await _mark(caller, entry_id, read=True)


@routes.post("/inbox/{entry_id}/unread")
async def mark_unread(caller: Caller, entry_id: int, body: Nothing) -> InboxEntry:  # noqa: ARG001
    """Mark an entry as unread."""
    return await _mark(caller, entry_id, read=False)


@routes.post("/inbox/read-all")
async def mark_all_read(caller: Caller, body: Nothing) -> Unread:  # noqa: ARG001
    """Mark all entries as read."""
    await inbox.mark_all(caller.rows)
    caller.announcements.inbox_changed()
    return Unread(await _unread(caller))


async def _mark(caller: Caller, entry_id: int, *, read: bool) -> InboxEntry:
    row = await inbox.mark(caller.rows, entry_id, read)
    if row is None:
        raise NotFound("Entry not found.")
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
    except (ValueError, msgspec.MsgspecError) as error:
        raise InvalidInput("This cursor is not valid.", Validation("cursor", "not a cursor")) from error


_AUTH_BYTES = 16


@routes.get("/push/key")
async def push_key(caller: Caller) -> PushKey:
    """The key that a browser subscribes with."""
    require("push")
    return PushKey(await caller.services.vapid.public())


@routes.post("/push/subscriptions", status=201)
async def subscribe(caller: Caller, body: PushBody) -> PushSubscription:
    """Send push notifications to this browser when a chat of yours finishes, fails or needs you."""
    _check(body)
    keys = msgspec.json.encode({"p256dh": body.keys.p256dh, "auth": body.keys.auth}).decode()
    added = await push.add(caller.rows, body.endpoint, keys)
    if added is None:
        raise NotFound("User not found.")
    return PushSubscription(added)


@routes.delete("/push/subscriptions/{subscription_id}")
async def unsubscribe(caller: Caller, subscription_id: UUID) -> None:
    """Stop push notifications to this browser."""
    if await push.remove(caller.rows, subscription_id) is None:
        raise NotFound("Subscription not found.")


def _check(body: PushBody) -> None:
    """Refuse what no browser gives: keys that are none, and bare addresses."""
    try:
        EllipticCurvePublicKey.from_encoded_point(SECP256R1(), _bytes(body.keys.p256dh))
        if len(_bytes(body.keys.auth)) != _AUTH_BYTES:
            raise ValueError
    except ValueError:
        raise InvalidInput(
            "The keys are not a browser's push keys.", Validation("keys", "not the keys of a browser")
        ) from None
    if _bare(body.endpoint):
        raise InvalidInput("The endpoint is not a push service.", Validation("endpoint", "names no host"))


def _bare(endpoint: str) -> bool:
    """Whether it names an address instead of a host, which no push service does."""
    try:
        ip_address(urlsplit(endpoint).hostname or "")
    except ValueError:
        return False
    return True


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
