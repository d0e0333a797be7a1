"""The rows of workspaces: what was asked for, and how each stands."""

from perdure.core.ids import ChatId, WorkspaceId
from perdure.core.timing import TOOL_CAP_EXTRA, TOOL_TIMEOUT
from perdure.store.pool import Pool
from perdure.store.tables import cards, workspaces
from perdure.store.tables.cards import Moved
from perdure.store.tables.workspaces import NewWorkspace, WorkspaceRow


class WorkspaceRows:
    """Reads and writes the rows."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def add(self, row: WorkspaceRow, *, most: int) -> bool:
        """Whether it is there: a person has at most so many."""
        asked = (row.id, row.organisation_id, row.owner_id, row.driver, row.template, row.parameters)
        return await workspaces.add(self._pool, NewWorkspace(*asked, row.plan, row.ttl_minutes, most))

    async def load(self, workspace_id: WorkspaceId) -> WorkspaceRow | None:
        return await workspaces.load(self._pool, workspace_id)

    async def of_chat(self, chat_id: ChatId) -> WorkspaceRow | None:
        return await workspaces.of_chat(self._pool, chat_id)

    async def attach(self, chat_id: ChatId, workspace_id: WorkspaceId) -> int:
        """Give a chat its workspace; the result is the card's new version."""
        return await cards.attach(self._pool, chat_id, workspace_id)

    async def stand(self, workspace_id: WorkspaceId, status: str, error: str | None = None) -> None:
        await workspaces.stand(self._pool, workspace_id, status, error)

    async def touch(self, workspace_id: WorkspaceId) -> None:
        await workspaces.touch(self._pool, workspace_id)

    async def diff(self, workspace_id: WorkspaceId, diff: str | None) -> list[Moved]:
        """Put how the repositories stand on the cards of the workspace's chats."""
        return await cards.diff(self._pool, workspace_id, diff)

    async def remove(self, workspace_id: WorkspaceId) -> None:
        await workspaces.remove(self._pool, workspace_id)

    async def idle(self) -> list[WorkspaceRow]:
        """Those that have stood unused for as long as they may."""
        return await workspaces.idle(self._pool, TOOL_TIMEOUT + TOOL_CAP_EXTRA)
