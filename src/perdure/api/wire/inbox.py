"""The inbox on the wire."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from perdure.api.wire.content import END
from perdure.core.ids import ChatId


class InboxKind(StrEnum):
    FINISHED = "finished"
    FAILED = "failed"
    NEEDS_YOU = "needs_you"
    SHARED = "shared"
    DIGEST = "digest"


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
