"""Workspaces: what was asked for, and how each stands."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from msgspec import Struct

from perdure.core.ids import ChatId, OrganisationId, UserId, WorkspaceId
from perdure.store.query import query
from perdure.store.scopes import Database, PersonScope


class WorkspaceRow(Struct, frozen=True):
    id: WorkspaceId
    organisation_id: OrganisationId
    owner_id: UserId
    driver: str
    template: str
    parameters: str
    status: str
    error: str | None
    created_at: datetime
    used_at: datetime
    plan: str | None = None
    ttl_minutes: int = 120
    name: str = ""


class ActingChat(Struct, frozen=True):
    """A chat that acts in a workspace."""

    workspace_id: WorkspaceId
    id: ChatId
    title: str


class ActingRoot(Struct, frozen=True):
    """A root chat that acts in a workspace, the turn that it is in, and whether anything of it is at work."""

    id: ChatId
    turn: int
    busy: bool
    agents: bool
    """Whether an agent of it is at work."""


class NewWorkspace(Struct, frozen=True):
    """A workspace to begin, for somebody who may have so many."""

    id: WorkspaceId
    organisation_id: OrganisationId
    owner_id: UserId
    driver: str
    template: str
    parameters: str
    plan: str | None
    ttl_minutes: int
    most: int


class MadeWorkspace(Struct, frozen=True):
    """A workspace, as what it was made, and how it stands."""

    id: WorkspaceId
    plan: str | None
    status: str


class ListedWorkspace(Struct, frozen=True):
    id: WorkspaceId
    status: str
    template: str
    used_at: datetime
    email: str


@query
async def add(db: Database, workspace: NewWorkspace) -> bool: ...


@query
async def load(db: Database, workspace_id: WorkspaceId) -> WorkspaceRow | None: ...


@query
async def of_chat(db: Database, chat_id: ChatId) -> WorkspaceRow | None: ...


@query
async def previewed(
    scope: PersonScope, session_id: UUID | None, chat_id: ChatId, workspace_id: WorkspaceId
) -> WorkspaceRow | None: ...


@query
async def acting_roots(db: Database, workspace_id: WorkspaceId) -> list[ActingRoot]: ...


@query
async def idle(db: Database, grace: timedelta) -> list[WorkspaceRow]: ...


@query
async def everybodys(db: Database) -> list[ListedWorkspace]: ...


@query
async def of_driver(db: Database, driver: str) -> list[MadeWorkspace]: ...


@query
async def stand(db: Database, workspace_id: WorkspaceId, status: str, error: str | None) -> None: ...


@query
async def touch(db: Database, workspace_id: WorkspaceId) -> None: ...


@query
async def remove(db: Database, workspace_id: WorkspaceId) -> None: ...


@query
async def own(scope: PersonScope) -> list[WorkspaceRow]: ...


@query
async def acting_chats(scope: PersonScope, workspace_ids: Sequence[WorkspaceId]) -> list[ActingChat]: ...


@query
async def rename(scope: PersonScope, workspace_id: WorkspaceId, name: str) -> None: ...


@query
async def read(scope: PersonScope, workspace_id: WorkspaceId) -> WorkspaceRow | None: ...


@query
async def remove_own(scope: PersonScope, workspace_id: WorkspaceId) -> None: ...


@query
async def unused(scope: PersonScope, workspace_id: WorkspaceId) -> WorkspaceRow | None: ...


@query
async def keep_files(db: Database, workspace_id: WorkspaceId, chat_id: ChatId) -> None: ...


@query
async def outliving(db: Database, most: int) -> list[WorkspaceRow]: ...


@query
async def let_go(db: Database, workspace_id: WorkspaceId, chat_ids: Sequence[ChatId]) -> None: ...
