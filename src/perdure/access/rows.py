"""The database as one actor sees it, a handler's only way to rows; and the log of what they did there."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import msgspec

from perdure.access.actor import Actor, Permission
from perdure.core.addresses import origin
from perdure.core.ids import OrganisationId, UserId
from perdure.store.errors import transaction
from perdure.store.scopes import Database, OrganisationScope, connections
from perdure.store.tables import audit


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


ADDRESSES = frozenset({"url", "base_url", "command"})
"""Details that only those may read who configure what they lead to: an address may hold credentials."""


def readable(detail: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """What somebody who may read the log may read of an entry."""
    if Permission.CONFIGURE in actor.permissions:
        return detail
    return {name: value for name, value in detail.items() if name not in ADDRESSES}


async def record(rows: ActorRows, action: str, subject: object = "", **detail: Any) -> None:
    """One line of the audit log. Details never hold a secret: of an address only whose it is."""
    shown = {name: _shown(value) for name, value in detail.items()}
    text = msgspec.json.encode(shown, enc_hook=str).decode()
    await audit.record(rows, action, str(subject), text)


def _shown(value: object) -> object:
    return origin(value) if isinstance(value, str) and "://" in value else value
