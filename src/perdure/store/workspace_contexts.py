"""The rows of pinned workspace contexts: what each chat was told by its workspace, and whether that still holds."""

from perdure.core.ids import ChatId, WorkspaceId
from perdure.store.pool import Pool
from perdure.store.tables import workspace_contexts
from perdure.store.tables.cards import Moved
from perdure.store.tables.workspace_contexts import PinnedRow


class WorkspaceContextRows:
    """Reads and writes the rows."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def load(self, home: ChatId, chat_id: ChatId) -> PinnedRow | None:
        """What a chat pinned of the workspace that `home` acts in; None where there is no workspace."""
        return await workspace_contexts.load(self._pool, home, chat_id)

    async def pin(
        self, chat_id: ChatId, workspace_id: WorkspaceId, *, digest: str, snapshot: str, turns: int
    ) -> Moved | None:
        version = await workspace_contexts.pin(self._pool, chat_id, workspace_id, digest, snapshot, turns)
        return None if version is None else Moved(chat_id, version)

    async def drift(self, workspace_id: WorkspaceId, digest: str) -> list[Moved]:
        return await workspace_contexts.drift(self._pool, workspace_id, digest)
