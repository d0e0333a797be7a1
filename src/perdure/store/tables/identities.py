"""Who people are at the services that vouch for them."""

from msgspec import Struct

from perdure.core.ids import OrganisationId, UserId
from perdure.store.query import query
from perdure.store.scopes import Database


class Person(Struct, frozen=True):
    id: UserId
    role: str


@query
async def known(db: Database, issuer: str, subject: str, organisation_id: OrganisationId) -> Person | None: ...


@query
async def link(
    db: Database, issuer: str, subject: str, organisation_id: OrganisationId, email: str
) -> Person | None: ...
