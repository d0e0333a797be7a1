"""Rules for what may leave workspaces, and the secrets that they name."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from perdure.core.ids import ChatId, OrganisationId, UserId, WorkspaceId
from perdure.store.query import query
from perdure.store.scopes import Database, OrganisationScope, PersonScope
from perdure.store.tables.workspaces import WorkspaceRow


class NetworkRuleRow(Struct, frozen=True):
    id: UUID
    rule: str
    once: bool


class SealedSecret(Struct, frozen=True):
    name: str
    secret: bytes


class NetworkUse(Struct, frozen=True):
    """How many requests left a workspace and how many were refused, up to one of its proxy's."""

    incarnation: str = ""
    last: int = 0
    allowed: int = 0
    refused: int = 0


class CountedRequests(Struct, frozen=True):
    """Requests of a proxy that were not counted yet, and those of them that go to the audit log, as JSON."""

    workspace_id: WorkspaceId
    incarnation: str
    last: int
    known_incarnation: str
    known_last: int
    allowed: int
    refused: int
    noted: str


@query
async def rules(scope: OrganisationScope) -> list[NetworkRuleRow]: ...


@query
async def of_chat(db: Database, organisation_id: OrganisationId, chat_id: ChatId) -> list[NetworkRuleRow]: ...


@query
async def of_workspace(db: Database, workspace_id: WorkspaceId) -> list[NetworkRuleRow]: ...


@query
async def add(
    scope: PersonScope, chat_id: ChatId | None, rule: str, once: bool, most: int
) -> NetworkRuleRow | None: ...


@query
async def remove(
    db: Database, organisation_id: OrganisationId, rule_id: UUID, chat_id: ChatId | None
) -> UUID | None: ...


@query
async def spend(db: Database, rule_ids: Sequence[UUID]) -> None: ...


@query
async def secret_names(scope: OrganisationScope) -> list[str]: ...


@query
async def put_secret(scope: OrganisationScope, name: str, secret: bytes) -> None: ...


@query
async def remove_secret(scope: OrganisationScope, name: str) -> str | None: ...


@query
async def own_secret_names(scope: PersonScope) -> list[str]: ...


@query
async def put_own_secret(scope: PersonScope, name: str, secret: bytes) -> None: ...


@query
async def remove_own_secret(scope: PersonScope, name: str) -> str | None: ...


@query
async def sealed(
    db: Database, organisation_id: OrganisationId, owner_id: UserId, names: Sequence[str]
) -> list[SealedSecret]: ...


@query
async def running(db: Database, allowing: str) -> list[WorkspaceRow]: ...


@query
async def used(db: Database, workspace_id: WorkspaceId) -> NetworkUse | None: ...


@query
async def account(db: Database, counted: CountedRequests) -> bool: ...
