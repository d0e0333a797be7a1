"""Channels: who people are in them, and which chat is which thread."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from msgspec import Struct

from perdure.core.ids import ChatId, OrganisationId, TriggerId, UserId, WebhookId
from perdure.store.query import query
from perdure.store.scopes import Database, OrganisationScope, PersonScope


class ChannelLink(Struct, frozen=True):
    """Who somebody is elsewhere."""

    channel: str
    external: str
    name: str
    created_at: datetime


class AccountClaim(Struct, frozen=True):
    """Somebody of a channel says whose they are here."""

    channel: str
    external: str
    code: bytes
    name: str


class ChannelPerson(Struct, frozen=True):
    """Who somebody of a channel is here."""

    id: UserId
    organisation_id: OrganisationId
    role: str
    name: str


class ChannelPlace(Struct, frozen=True):
    """For whom a chat of a channel is told."""

    owner_id: UserId
    organisation_id: OrganisationId
    role: str
    options: str


@query
async def open(  # noqa: A001
    scope: PersonScope, trigger_id: TriggerId, name: str, url: str, credential: bytes, events: Sequence[str]
) -> WebhookId | None: ...


@query
async def add_code(scope: PersonScope, code: bytes) -> None: ...


@query
async def link(
    scope: OrganisationScope, claim: AccountClaim, kept: timedelta, owner: UserId, roles: Sequence[str]
) -> str | None: ...


@query
async def person(scope: OrganisationScope, channel: str, external: str) -> ChannelPerson | None: ...


@query
async def links(scope: PersonScope) -> list[ChannelLink]: ...


@query
async def unlink(scope: PersonScope, channel: str, external: str) -> str | None: ...


@query
async def chat(db: Database, trigger_id: TriggerId, thread: str) -> ChatId | None: ...


@query
async def place(db: Database, webhook_id: WebhookId, chat_id: ChatId | None) -> ChannelPlace | None: ...


@query
async def share(db: Database, trigger_id: TriggerId, thread: str, link_id: UUID, role: str) -> None: ...


@query
async def way_in(db: Database, trigger_id: TriggerId, thread: str) -> UUID | None: ...
