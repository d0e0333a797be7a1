"""Programs that are told what happens in chats, and what each was told."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from msgspec import Struct

from perdure.core.ids import ChatId, TriggerId, WebhookId
from perdure.store.query import query
from perdure.store.scopes import Database, PersonScope


class OutgoingState(StrEnum):
    PENDING = "pending"
    DELIVERED = "delivered"
    DEAD = "dead"


class WebhookRow(Struct, frozen=True):
    id: WebhookId
    name: str
    url: str
    events: list[str]
    enabled: bool
    created_at: datetime


class OutgoingRow(Struct, frozen=True):
    """Something that a webhook was told, or is to be told."""

    id: int
    name: UUID
    chat_id: ChatId | None
    event: str
    number: int | None
    state: OutgoingState
    attempts: int
    status: int | None
    detail: str
    created_at: datetime
    due_at: datetime
    settled_at: datetime | None


class TakenEvent(Struct, frozen=True):
    """Something to deliver, with what it is made of."""

    id: int
    name: UUID
    webhook_id: WebhookId
    chat_id: ChatId | None
    event: str
    number: int | None
    attempts: int
    created_at: datetime
    url: str
    secret: bytes
    title: str | None
    status: str | None
    role: str | None
    parts: str | None
    trigger_id: TriggerId | None = None
    """The trigger whose channel is told, and in which thread."""
    thread: str | None = None
    turn: int | None = None
    """The turn that whoever gave it as a task is told of."""


class Telling(Struct, frozen=True):
    wanted: bool
    due: bool


@query
async def listed(scope: PersonScope) -> list[WebhookRow]: ...


@query
async def add(
    scope: PersonScope, name: str, url: str, events: Sequence[str], secret: bytes, most: int
) -> WebhookRow | None: ...


@query
async def change(
    scope: PersonScope,
    webhook_id: WebhookId,
    name: str | None,
    url: str | None,
    events: Sequence[str] | None,
    enabled: bool | None,
) -> WebhookRow | None: ...


@query
async def delete(scope: PersonScope, webhook_id: WebhookId) -> WebhookId | None: ...


@query
async def deliveries(
    scope: PersonScope, webhook_id: WebhookId, state: str | None, before: int | None, limit: int
) -> list[OutgoingRow]: ...


@query
async def replay(scope: PersonScope, webhook_id: WebhookId, delivery_id: int) -> OutgoingRow | None: ...


@query
async def test(scope: PersonScope, webhook_id: WebhookId, event: str) -> OutgoingRow | None: ...


@query
async def outlook(db: Database) -> Telling: ...


@query
async def take(db: Database, taken: timedelta, limit: int) -> list[TakenEvent]: ...


@query
async def settle(db: Database, delivery_id: int, state: OutgoingState, status: int | None, detail: str) -> None: ...


@query
async def put_off(db: Database, delivery_id: int, wait: timedelta, status: int | None, detail: str) -> None: ...


@query
async def gone(db: Database, webhook_id: WebhookId) -> None: ...


@query
async def purge(db: Database, kept: timedelta) -> None: ...
