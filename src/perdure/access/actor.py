"""Whoever asks: a person, what their role lets them do, the rows that they reach, and the log of what they did."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from perdure.core.addresses import origin
from perdure.core.author import Author
from perdure.core.errors import NotAllowed
from perdure.core.ids import OrganisationId, UserId
from perdure.store.errors import transaction
from perdure.store.scopes import Database, OrganisationScope, connections
from perdure.store.tables import audit


class Role(StrEnum):
    OWNER = "owner"
    """Runs the deployment."""
    ADMIN = "admin"
    """Runs an organisation."""
    MEMBER = "member"
    AUDITOR = "auditor"
    """Reads what was done and what it cost, and changes nothing."""


class Permission(StrEnum):
    CHAT = "chat"
    """Have chats of one's own, and spend on them."""
    CONFIGURE = "configure"
    """Providers, models, keys of the deployment, settings, budgets."""
    PEOPLE = "people"
    """Users, groups and roles."""
    AUDIT = "audit"
    """The audit log and everybody's usage."""


PERMISSIONS: Mapping[Role, frozenset[Permission]] = {
    Role.OWNER: frozenset(Permission),
    Role.ADMIN: frozenset(Permission),
    Role.MEMBER: frozenset({Permission.CHAT}),
    Role.AUDITOR: frozenset({Permission.AUDIT}),
}


class Scope(StrEnum):
    """What a token may be used for, within what its user may do."""

    READ = "read"
    CHAT = "chat"
    ADMIN = "admin"


SCOPED: Mapping[Scope, frozenset[Permission]] = {
    Scope.READ: frozenset(),
    Scope.CHAT: frozenset({Permission.CHAT}),
    Scope.ADMIN: frozenset(Permission),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """One person in one organisation."""

    user_id: UserId
    organisation_id: OrganisationId
    role: Role
    name: str = ""
    """How others know the person."""
    permissions: frozenset[Permission]
    writes: bool = True
    """False for a token that only reads."""
    narrow: bool = False
    """True for a token that is for less than its person may do."""
    session_id: UUID | None = None
    """Set when a browser's cookie proved it; such a caller must also prove that the page is ours."""

    @property
    def author(self) -> Author:
        return Author(self.user_id, self.name)

    def require(self, permission: Permission) -> None:
        if permission in self.permissions:
            return
        if permission in PERMISSIONS[self.role]:
            scope = Scope.CHAT if permission is Permission.CHAT else Scope.ADMIN
            raise NotAllowed(f"Your role allows this, but this token does not: it is missing the scope {scope.value}.")
        raise NotAllowed(_REFUSALS[permission])

    def require_whole(self) -> None:
        """What proves who somebody is, is theirs alone: with less, one could make oneself what is for more."""
        if self.narrow:
            raise NotAllowed("This token is too limited for that. Sign in, or use a token with the admin scope.")


_REFUSALS = {
    Permission.CHAT: "Your role does not allow chats of your own.",
    Permission.CONFIGURE: "Only an admin may see or change the configuration.",
    Permission.PEOPLE: "Only an admin may manage people.",
    Permission.AUDIT: "Only an admin or an auditor may read this.",
}


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
