"""Programs that begin chats by what they send, and what came of every delivery."""

from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from msgspec import Struct

from perdure.core.ids import ChatId, OrganisationId, TriggerId, UserId
from perdure.store.query import query
from perdure.store.scopes import Database, PersonScope


class DeliveryState(StrEnum):
    """What became of a delivery."""

    DUE = "due"
    BEGUN = "begun"
    FAILED = "failed"
    SKIPPED = "skipped"


class TriggerRow(Struct, frozen=True):
    id: TriggerId
    options: str
    enabled: bool
    refused_at: datetime | None
    refusal: str
    created_at: datetime


class DeliveryRow(Struct, frozen=True):
    """Something that a program sent."""

    id: int
    name: str | None
    thread: str
    state: DeliveryState
    detail: str
    chat_id: ChatId | None
    size: int
    created_at: datetime
    ended_at: datetime | None


class DeliveryContent(Struct, frozen=True):
    """What it brought, or its beginning."""

    headers: str
    body: bytes
    size: int


class Receiver(Struct, frozen=True):
    """Whoever is meant by an address that something is sent to."""

    options: str
    secret: bytes
    enabled: bool
    removed: bool


class Incoming(Struct, frozen=True):
    """Something that a program sends, and what is known of it at once."""

    name: str | None
    thread: str
    headers: str
    body: bytes
    state: DeliveryState
    detail: str = ""


class Received(Struct, frozen=True):
    id: int
    known: bool


class TakenDelivery(Struct, frozen=True):
    """A delivery to bring to a chat, and for whom."""

    id: int
    trigger_id: TriggerId
    again: bool
    """Whether somebody took it before, who may have brought it there."""
    created_at: datetime
    age: timedelta
    thread: str
    headers: str
    body: bytes
    options: str
    owner_id: UserId
    organisation_id: OrganisationId
    role: str
    person: str
    """How others know the owner of the trigger."""
    removed: bool
    before: int
    """How many came shortly before it."""


class ThreadChat(Struct, frozen=True):
    chat_id: ChatId
    begun: bool


@query
async def listed(scope: PersonScope) -> list[TriggerRow]: ...


@query
async def one(scope: PersonScope, trigger_id: TriggerId) -> TriggerRow | None: ...


@query
async def add(scope: PersonScope, options: str, secret: bytes, most: int) -> TriggerRow | None: ...


@query
async def change(
    scope: PersonScope, trigger_id: TriggerId, options: str, enabled: bool | None, secret: bytes | None
) -> TriggerRow | None: ...


@query
async def delete(scope: PersonScope, trigger_id: TriggerId) -> TriggerId | None: ...


@query
async def deliveries(
    scope: PersonScope, trigger_id: TriggerId, state: str | None, before: int | None, limit: int
) -> list[DeliveryRow]: ...


@query
async def content(scope: PersonScope, trigger_id: TriggerId, delivery_id: int, most: int) -> DeliveryContent | None: ...


@query
async def replay(scope: PersonScope, trigger_id: TriggerId, delivery_id: int) -> DeliveryRow | None: ...


@query
async def try_out(
    scope: PersonScope, trigger_id: TriggerId, thread: str, headers: str, body: bytes
) -> DeliveryRow | None: ...


@query
async def receiver(db: Database, trigger_id: TriggerId) -> Receiver | None: ...


@query
async def receive(db: Database, trigger_id: TriggerId, delivery: Incoming) -> Received | None: ...


@query
async def refused(db: Database, trigger_id: TriggerId, refusal: str) -> None: ...


@query
async def take(db: Database, dropped: timedelta, limit: int, bound: timedelta) -> list[TakenDelivery]: ...


@query
async def waiting(db: Database) -> bool: ...


@query
async def chat_of_thread(db: Database, trigger_id: TriggerId, thread: str, chat_id: UUID) -> ThreadChat: ...


@query
async def forget_thread(db: Database, trigger_id: TriggerId, thread: str, chat_id: ChatId) -> None: ...


@query
async def settle(db: Database, delivery_id: int, state: DeliveryState, detail: str, chat_id: ChatId | None) -> None: ...


@query
async def put_off(db: Database, delivery_id: int, detail: str) -> None: ...


@query
async def purge(db: Database, kept: timedelta) -> None: ...
