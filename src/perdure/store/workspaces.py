"""The rows of workspaces: what was asked for, and how each stands."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from asyncpg import Pool, Record

from perdure.core.ids import ChatId, OrganisationId, UserId, WorkspaceId
from perdure.core.timing import TOOL_CAP_EXTRA, TOOL_TIMEOUT
from perdure.store.away import asking_the_database
from perdure.store.queries import query


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceRow:
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

    @classmethod
    def of(cls, row: Record) -> Self:
        return cls(**{name: row[name] for name in cls.__dataclass_fields__})


@dataclass(frozen=True, slots=True)
class Moved:
    """A chat whose card changed, and the card's new version."""

    chat_id: ChatId
    metadata_version: int


def _row(row: Record | None) -> WorkspaceRow | None:
    return None if row is None else WorkspaceRow.of(row)


class WorkspaceRows:
    """Reads and writes the rows."""

    def __init__(self, pool: "Pool[Record]") -> None:
        self._pool = pool

    async def add(self, row: WorkspaceRow, *, most: int) -> bool:
        """Whether it is there: a person has at most so many."""
        values = (row.id, row.organisation_id, row.owner_id, row.driver, row.template, row.parameters)
        return await self._pool.fetchval(query("workspaces/add"), *values, row.plan, row.ttl_minutes, most)

    async def load(self, workspace_id: WorkspaceId) -> WorkspaceRow | None:
        return _row(await self._pool.fetchrow(query("workspaces/load"), workspace_id))

    async def of_chat(self, chat_id: ChatId) -> WorkspaceRow | None:
        with asking_the_database():
            return _row(await self._pool.fetchrow(query("workspaces/of_chat"), chat_id))

    async def attach(self, chat_id: ChatId, workspace_id: WorkspaceId) -> int:
        """Give a chat its workspace; the result is the card's new version."""
        return await self._pool.fetchval(query("workspaces/attach"), chat_id, workspace_id)

    async def stand(self, workspace_id: WorkspaceId, status: str, error: str | None = None) -> None:
        await self._pool.execute(query("workspaces/stand"), workspace_id, status, error)

    async def touch(self, workspace_id: WorkspaceId) -> None:
        await self._pool.execute(query("workspaces/touch"), workspace_id)

    async def diff(self, workspace_id: WorkspaceId, diff: str | None) -> list[Moved]:
        """Put how the repositories stand on the cards of the workspace's chats."""
        rows = await self._pool.fetch(query("workspaces/diff"), workspace_id, diff)
        return [Moved(row["id"], row["metadata_version"]) for row in rows]

    async def remove(self, workspace_id: WorkspaceId) -> None:
        await self._pool.execute(query("workspaces/remove"), workspace_id)

    async def idle(self) -> list[WorkspaceRow]:
        """Those that have stood unused for as long as they may."""
        rows = await self._pool.fetch(query("workspaces/idle"), TOOL_TIMEOUT + TOOL_CAP_EXTRA)
        return [found for row in rows if (found := _row(row)) is not None]
