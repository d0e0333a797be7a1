"""The rows of pinned workspace contexts: what each chat was told by its workspace, and whether that still holds."""

from dataclasses import dataclass

from asyncpg import Pool, Record

from perdure.core.ids import ChatId, WorkspaceId
from perdure.store.queries import query
from perdure.store.workspaces import Moved


@dataclass(frozen=True, slots=True)
class PinnedRow:
    """A chat's workspace and what was pinned of it, if anything was."""

    workspace_id: WorkspaceId
    hash: str | None
    snapshot: str | None
    turns: int | None


class WorkspaceContextRows:
    """Reads and writes the rows."""

    def __init__(self, pool: "Pool[Record]") -> None:
        self._pool = pool

    async def load(self, home: ChatId, chat_id: ChatId) -> PinnedRow | None:
        """What a chat pinned of the workspace that `home` acts in; None where there is no workspace."""
        row = await self._pool.fetchrow(query("workspace_contexts/load"), home, chat_id)
        return None if row is None else PinnedRow(row["workspace_id"], row["hash"], row["snapshot"], row["turns"])

    async def pin(
        self, chat_id: ChatId, workspace_id: WorkspaceId, *, digest: str, snapshot: str, turns: int
    ) -> Moved | None:
        values = (chat_id, workspace_id, digest, snapshot, turns)
        version = await self._pool.fetchval(query("workspace_contexts/pin"), *values)
        return None if version is None else Moved(chat_id, version)

    async def drift(self, workspace_id: WorkspaceId, digest: str) -> list[Moved]:
        rows = await self._pool.fetch(query("workspace_contexts/drift"), workspace_id, digest)
        return [Moved(row["id"], row["metadata_version"]) for row in rows]
