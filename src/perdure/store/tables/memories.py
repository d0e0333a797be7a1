"""Facts that agents of later chats are told."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from perdure.core.ids import ChatId, MemoryId, OrganisationId, UserId
from perdure.store.query import Written, query
from perdure.store.scopes import Database, PersonScope


class MemoryRow(Struct, frozen=True):
    id: MemoryId
    owner_id: UserId | None
    """None where it is the organisation's."""
    label: str
    text: str
    by_agent: bool
    chat_id: ChatId | None
    message: int | None
    created_at: datetime
    updated_at: datetime


class NewMemory(Struct, frozen=True, kw_only=True):
    id: MemoryId
    everybody: bool
    """Whether it is the organisation's."""
    label: str
    text: str
    chat_id: ChatId | None = None
    """The chat whose agent keeps it."""
    message: int | None = None


class ToldMemory(Struct, frozen=True):
    """What an agent reads of one, and how many there are."""

    owner_id: UserId | None
    label: str
    text: str
    total: int


class ForgottenMemory(Struct, frozen=True):
    owner_id: UserId | None
    """Whose it was; None for the organisation's."""


class MemoryPlace(Struct, frozen=True):
    private: bool
    labels: tuple[str, ...]


@query
async def listed(
    scope: PersonScope,
    everybody: bool | None,
    label: str | None,
    piece: str,
    words: str,
    before: UUID | None,
    limit: int,
) -> list[MemoryRow]: ...


@query
async def one(scope: PersonScope, memory_id: MemoryId) -> MemoryRow | None: ...


@query
async def add(scope: PersonScope, memory: NewMemory, most: int) -> MemoryId | None: ...


@query
async def alike(
    scope: PersonScope, memory_id: MemoryId, everybody: bool, label: str, text: str
) -> MemoryRow | None: ...


@query
async def change(
    scope: PersonScope, memory_id: MemoryId, text: str, label: str, everybody: bool
) -> MemoryRow | None: ...


@query
async def forget(scope: PersonScope, memory_id: MemoryId, everybody: bool) -> ForgottenMemory | None: ...


@query
async def forget_all(scope: PersonScope) -> Written: ...


@query
async def has_person(db: Database, user_id: UserId) -> bool: ...


@query
async def has_organisation(db: Database, organisation_id: OrganisationId) -> bool: ...


@query
async def told(db: Database, chat_id: ChatId, limit: int) -> list[ToldMemory]: ...


@query
async def search(db: Database, chat_id: ChatId, words: str, limit: int) -> list[ToldMemory]: ...


@query
async def place(db: Database, chat_id: ChatId) -> MemoryPlace | None: ...
