"""The database as one actor sees it. There is no other way from a handler to rows.

Queries under `sql/actor` get who asks as their first two values, $1 the user and $2 the organisation, and Postgres
refuses to prepare one that does not use them. Queries under `sql/organisation` get the organisation as $1 and ask for a
permission first.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeAlias

import asyncpg
from asyncpg import Pool, Record
from asyncpg.pool import PoolConnectionProxy

from perdure.access.actor import Actor
from perdure.access.roles import Permission
from perdure.core.errors import InvalidInput, Unavailable
from perdure.store.away import AWAY
from perdure.store.queries import query

Row: TypeAlias = Record
"""What came back: columns by name."""

Source: TypeAlias = "Pool[Record] | PoolConnectionProxy[Record]"


@dataclass(frozen=True, slots=True)
class ActorRows:
    """What an actor may read and change."""

    actor: Actor
    source: Source

    async def all(self, name: str, *values: object) -> list[Record]:
        return await _run(self.source, f"actor/{name}", self.actor.user_id, self.actor.organisation_id, *values)

    async def one(self, name: str, *values: object) -> Record | None:
        rows = await self.all(name, *values)
        return rows[0] if rows else None

    async def of_organisation(self, permission: Permission, name: str, *values: object) -> list[Record]:
        """Rows of the whole organisation, for those who may."""
        self.actor.require(permission)
        return await _run(self.source, f"organisation/{name}", self.actor.organisation_id, *values)

    @property
    def connections(self) -> int:
        """How many there are at most."""
        return self.source.get_max_size() if isinstance(self.source, asyncpg.Pool) else 1

    @asynccontextmanager
    async def together(self) -> AsyncGenerator["ActorRows"]:
        """Several statements, all of them or none."""
        if not isinstance(self.source, asyncpg.Pool):
            yield self
            return
        try:
            async with self.source.acquire() as connection, connection.transaction():
                yield ActorRows(self.actor, connection)
        except AWAY as error:
            raise Unavailable("The database is away. Try again.") from error


async def _run(source: Source, name: str, *values: object) -> list[Record]:
    try:
        return await source.fetch(query(name), *values)
    except asyncpg.DataError as error:
        raise InvalidInput("Something in the request cannot be stored.") from error
    except AWAY as error:
        raise Unavailable("The database is away. Try again.") from error
