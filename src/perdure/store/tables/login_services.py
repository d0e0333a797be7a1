"""Services that vouch for people who sign in."""

from msgspec import Struct

from perdure.core.ids import OrganisationId
from perdure.store.query import query
from perdure.store.scopes import Database, OrganisationScope


class OfferedService(Struct, frozen=True):
    slug: str
    name: str


class LoginService(Struct, frozen=True):
    """A service with all that it takes to use it."""

    organisation_id: OrganisationId
    slug: str
    name: str
    issuer: str
    client_id: str
    secret: bytes | None
    options: str


class ServiceSetup(Struct, frozen=True):
    """A service as admins see it."""

    slug: str
    name: str
    issuer: str
    client_id: str
    options: str
    enabled: bool
    has_secret: bool


class NewService(Struct, frozen=True):
    """A service as admins set it up. Where there is no secret, the stored one stays."""

    slug: str
    name: str
    issuer: str
    client_id: str
    secret: bytes | None
    options: str
    enabled: bool


@query
async def offered(db: Database) -> list[OfferedService]: ...


@query
async def one(db: Database, slug: str) -> LoginService | None: ...


@query
async def listed(scope: OrganisationScope) -> list[ServiceSetup]: ...


@query
async def put(scope: OrganisationScope, service: NewService) -> ServiceSetup | None: ...


@query
async def delete(scope: OrganisationScope, slug: str) -> str | None: ...
