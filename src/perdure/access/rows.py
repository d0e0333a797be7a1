"""The database as one actor sees it. There is no other way from a handler to rows."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from perdure.access.actor import Actor
from perdure.access.roles import Permission
from perdure.core.ids import OrganisationId, UserId
from perdure.store.errors import transaction
from perdure.store.scopes import Database, OrganisationScope, connections


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

    @property
    def connections(self) -> int:
        """How many there are at most."""
        return connections(self.db)

    @asynccontextmanager
    async def together(self) -> AsyncGenerator["ActorRows"]:
        """Several statements, all of them or none."""
        async with transaction(self.db) as connection:
            yield ActorRows(self.actor, connection)
