"""Sessions of people who signed in with a browser."""

from datetime import datetime, timedelta
from uuid import UUID

from msgspec import Struct

from perdure.core.ids import OrganisationId, UserId
from perdure.store.query import query
from perdure.store.scopes import Database, PersonScope


class SessionActor(Struct, frozen=True):
    """Whose session it is."""

    session_id: UUID
    user_id: UserId
    organisation_id: OrganisationId
    role: str
    name: str


class Session(Struct, frozen=True):
    id: UUID
    address: str
    user_agent: str
    created_at: datetime
    expires_at: datetime


@query
async def actor(db: Database, digest: bytes) -> SessionActor | None: ...


@query
async def begin(
    db: Database, digest: bytes, user_id: UserId, address: str, user_agent: str, kept: timedelta
) -> UUID | None: ...


@query
async def fresh(scope: PersonScope, session_id: UUID, age: timedelta) -> UUID | None: ...


@query
async def end(scope: PersonScope, session_id: UUID) -> UUID | None: ...


@query
async def end_others(scope: PersonScope, session_id: UUID | None) -> list[UUID]: ...


@query
async def listed(scope: PersonScope) -> list[Session]: ...


@query
async def forget_over(db: Database) -> None: ...
