"""The people of a deployment."""

from datetime import datetime

from msgspec import Struct

from perdure.core.ids import OrganisationId, UserId
from perdure.store.query import query
from perdure.store.scopes import Database, OrganisationScope, PersonScope


class User(Struct, frozen=True):
    """Somebody as their organisation sees them."""

    id: UserId
    email: str
    name: str
    role: str
    disabled: bool
    created_at: datetime


class Me(Struct, frozen=True):
    """Somebody as they see themselves."""

    id: UserId
    email: str
    name: str
    role: str
    organisation_id: OrganisationId
    preferences: str
    has_password: bool


class Listed(Struct, frozen=True):
    """Somebody as whoever runs the deployment sees them."""

    email: str
    name: str
    role: str
    disabled: bool
    organisation: str


class PasswordOf(Struct, frozen=True):
    id: UserId
    password_hash: str | None


class Addressed(Struct, frozen=True):
    """Who somebody is, by their address."""

    id: UserId
    organisation_id: OrganisationId
    role: str


class FirstOwner(Struct, frozen=True):
    id: UserId
    reachable: bool
    """Whether anybody can sign in without a link."""


@query
async def of_address(db: Database, email: str) -> Addressed | None: ...


@query
async def admitted(db: Database, user_id: UserId, organisation_id: OrganisationId) -> UserId | None: ...


@query
async def own_password(scope: PersonScope) -> PasswordOf | None: ...


@query
async def me(scope: PersonScope) -> Me | None: ...


@query
async def change_me(
    scope: PersonScope, name: str | None, preferences: str | None, password_hash: str | None
) -> UserId | None: ...


@query
async def listed(scope: PersonScope) -> list[User]: ...


@query
async def add(scope: OrganisationScope, email: str, name: str, role: str, password_hash: str | None) -> User: ...


@query
async def change(
    scope: OrganisationScope,
    user_id: UserId,
    name: str | None,
    role: str | None,
    disabled: bool | None,
    password_hash: str | None,
) -> User | None: ...


@query
async def expel(scope: OrganisationScope, user_id: UserId) -> list[UserId]: ...


@query
async def one(scope: OrganisationScope, user_id: UserId) -> User | None: ...


@query
async def add_unless_there(
    db: Database, organisation_id: OrganisationId, email: str, name: str, role: str, password_hash: str | None
) -> UserId | None: ...


@query
async def everybody(db: Database) -> list[Listed]: ...


@query
async def by_email(db: Database, email: str) -> PasswordOf | None: ...


@query
async def first_owner(db: Database) -> FirstOwner | None: ...


@query
async def has_password(db: Database, email: str) -> bool: ...


@query
async def set_password(db: Database, email: str, password_hash: str) -> UserId | None: ...


@query
async def set_role(db: Database, user_id: UserId, role: str) -> UserId | None: ...
