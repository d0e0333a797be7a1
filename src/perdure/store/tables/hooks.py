"""Hooks of organisations, and the log of what each was asked."""

from datetime import datetime, timedelta
from uuid import UUID

from msgspec import Struct

from perdure.core.ids import ChatId, HookId
from perdure.store.query import query
from perdure.store.scopes import Database, OrganisationScope


class HookRow(Struct, frozen=True):
    id: HookId
    options: str
    secret: bytes


class Delivery(Struct, frozen=True):
    """What a hook was asked and what it answered."""

    id: int
    dispatch_id: UUID
    event: str
    chat_id: ChatId | None
    outcome: str
    status: int | None
    attempts: int
    duration_ms: int
    detail: str
    created_at: datetime


class NewDelivery(Struct, frozen=True):
    hook_id: HookId
    dispatch_id: UUID
    event: str
    chat_id: ChatId | None
    outcome: str
    status: int | None
    attempts: int
    duration_ms: int
    detail: str


@query
async def listed(scope: OrganisationScope) -> list[HookRow]: ...


@query
async def add(scope: OrganisationScope, options: str, secret: bytes) -> HookRow: ...


@query
async def change(scope: OrganisationScope, hook_id: HookId, options: str, secret: bytes | None) -> HookRow | None: ...


@query
async def delete(scope: OrganisationScope, hook_id: HookId) -> HookId | None: ...


@query
async def deliveries(scope: OrganisationScope, hook_id: HookId, before: int | None, limit: int) -> list[Delivery]: ...


@query
async def delivered(db: Database, delivery: NewDelivery) -> None: ...


@query
async def purge(db: Database, kept: timedelta) -> None: ...
