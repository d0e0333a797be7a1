"""The organisations of a deployment."""

from perdure.core.ids import OrganisationId
from perdure.store.query import query
from perdure.store.scopes import Database


@query
async def add(db: Database, name: str) -> OrganisationId: ...


@query
async def first(db: Database) -> OrganisationId | None: ...


@query
async def every(db: Database) -> list[OrganisationId]: ...
