"""Workspaces made ahead of their use: begun once for each place, taken once."""

from datetime import datetime, timedelta

from msgspec import Struct

from perdure.core.ids import OrganisationId, UserId, WorkspaceId
from perdure.store.query import query
from perdure.store.scopes import Database
from perdure.store.tables.workspaces import WorkspaceRow


class NewWarm(Struct, frozen=True):
    """One to begin, for a place of a template."""

    id: WorkspaceId
    organisation_id: OrganisationId
    template: str
    version: str
    place: int
    driver: str
    plan: str


class WarmRow(Struct, frozen=True):
    id: WorkspaceId
    organisation_id: OrganisationId
    template: str
    version: str
    place: int
    driver: str
    plan: str
    status: str
    begun_at: datetime


class WarmWish(Struct, frozen=True):
    """A workspace that somebody wants, who may have so many, if one like it stands ready."""

    id: WorkspaceId
    organisation_id: OrganisationId
    owner_id: UserId
    template: str
    version: str
    parameters: str
    ttl_minutes: int
    most: int


class BroughtTemplate(Struct, frozen=True):
    organisation_id: OrganisationId
    name: str


@query
async def brought(db: Database) -> list[BroughtTemplate]: ...


@query
async def listed(db: Database) -> list[WarmRow]: ...


@query
async def begin(db: Database, warm: NewWarm) -> WorkspaceId | None: ...


@query
async def ready(db: Database, workspace_id: WorkspaceId) -> WorkspaceId | None: ...


@query
async def take(db: Database, wish: WarmWish) -> WorkspaceRow | None: ...


@query
async def leave(db: Database, workspace_id: WorkspaceId) -> WorkspaceId | None: ...


@query
async def abandoned(db: Database, longest: timedelta, oldest: timedelta) -> list[WarmRow]: ...


@query
async def forget(db: Database, workspace_id: WorkspaceId) -> None: ...
