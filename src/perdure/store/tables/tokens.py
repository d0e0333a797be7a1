"""Tokens of programs, which act for the person who made them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from msgspec import Struct

from perdure.core.ids import OrganisationId, UserId
from perdure.store.query import query
from perdure.store.scopes import Database, PersonScope


class TokenActor(Struct, frozen=True):
    """Whose token it is, and for what it may be used."""

    user_id: UserId
    organisation_id: OrganisationId
    role: str
    name: str
    scopes: tuple[str, ...]
    unnoted: bool
    """Whether its use is to be noted."""


class Token(Struct, frozen=True):
    id: UUID
    name: str
    hint: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None


@query
async def actor(db: Database, digest: bytes) -> TokenActor | None: ...


@query
async def note_use(db: Database, digest: bytes) -> None: ...


@query
async def take(db: Database, digest: bytes) -> UUID | None: ...


@query
async def add(
    db: Database, email: str, digest: bytes, name: str, hint: str, scopes: Sequence[str], kept: timedelta | None
) -> UUID | None: ...


@query
async def listed(scope: PersonScope) -> list[Token]: ...


@query
async def add_own(
    scope: PersonScope, digest: bytes, name: str, hint: str, scopes: Sequence[str], kept: timedelta | None
) -> Token | None: ...


@query
async def delete(scope: PersonScope, token_id: UUID) -> UUID | None: ...


@query
async def forget_over(db: Database, kept: timedelta) -> None: ...
