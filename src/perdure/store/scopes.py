"""For whom a query is asked: the deployment itself, one organisation, or one person in it."""

from dataclasses import dataclass
from typing import Protocol, TypeAlias

import asyncpg
from asyncpg import Record

from perdure.core.ids import OrganisationId, UserId
from perdure.store.connection import Connection

Database: TypeAlias = "asyncpg.Pool[Record] | Connection"
"""Where a query goes: to any connection of a pool, or to this one."""


class PersonScope(Protocol):
    """What one person may reach. The SQL gets the person as $1 and their organisation as $2, and must use both."""

    @property
    def db(self) -> Database: ...
    @property
    def user_id(self) -> UserId: ...
    @property
    def organisation_id(self) -> OrganisationId: ...


@dataclass(frozen=True, slots=True)
class OrganisationScope:
    """What belongs to one organisation. The SQL gets the organisation as $1, and must use it."""

    db: Database
    organisation_id: OrganisationId


def connections(db: Database) -> int:
    """How many queries can be under way there at once."""
    return db.get_max_size() if isinstance(db, asyncpg.Pool) else 1
