"""The database as one actor sees it. There is no other way from a handler to rows."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from perdure.access.actor import Actor
from perdure.access.roles import Permission
from perdure.core.ids import OrganisationId, UserId
from perdure.store.errors import transaction
from perdure.store.queries import Record, named
from perdure.store.scopes import Database, OrganisationScope, connections

Row = Record


@dataclass(frozen=True, slots=True)
class ActorRows:
    """What an actor may read and change: a scope for the queries of `store.tables`."""

    actor: Actor
    db: Database

    @property
    def user_id(self) -> UserId:
        return self.actor.user_id

    @property
    def organisation_id(self) -> OrganisationId:
        return self.actor.organisation_id

    def organisation(self, permission: Permission) -> OrganisationScope:
        """What belongs to the whole organisation, for those who may."""
        self.actor.require(permission)
        return OrganisationScope(self.db, self.actor.organisation_id)

    async def all(self, name: str, *values: object) -> list[Record]:
        return await named(self.db, f"actor/{name}", self.actor.user_id, self.actor.organisation_id, *values)

    async def one(self, name: str, *values: object) -> Record | None:
        rows = await self.all(name, *values)
        return rows[0] if rows else None

    async def of_organisation(self, permission: Permission, name: str, *values: object) -> list[Record]:
        """Rows of the whole organisation, for those who may."""
        self.actor.require(permission)
        return await named(self.db, f"organisation/{name}", self.actor.organisation_id, *values)

    @property
    def connections(self) -> int:
        """How many there are at most."""
        return connections(self.db)

    @asynccontextmanager
    async def together(self) -> AsyncGenerator["ActorRows"]:
        """Several statements, all of them or none."""
        async with transaction(self.db) as connection:
            yield ActorRows(self.actor, connection)
