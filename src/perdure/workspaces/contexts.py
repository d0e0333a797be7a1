"""What workspaces tell the agents of chats: asked once, pinned, changed on request, compared with what is there."""

import asyncio
import logging
from collections.abc import Sequence
from datetime import timedelta

import msgspec

from perdure.core.errors import NotFound, PerdureError, Refused
from perdure.core.ids import ChatId, WorkspaceId
from perdure.core.notice import Notice, Topic
from perdure.core.timing import CONTEXT_PATIENCE
from perdure.store.pool import Pool
from perdure.store.pubsub import Pubsub
from perdure.store.tables import workspace_contexts, workspaces
from perdure.store.tables.cards import Moved
from perdure.workspaces.service import Workspaces
from perdure.workspaces.wire import ContextSnapshot

UNREACHABLE = ContextSnapshot("", [], [], [])

_log = logging.getLogger(__name__)
_snapshots = msgspec.json.Decoder(ContextSnapshot)


class Contexts:
    """One copy per chat and workspace. `home` is the chat whose workspace is meant: a child works in its root's."""

    def __init__(
        self,
        pool: Pool,
        service: Workspaces,
        pubsub: Pubsub,
        patience: timedelta = CONTEXT_PATIENCE,
    ) -> None:
        self._pool = pool
        self._workspaces = service
        self._pubsub = pubsub
        self._patience = patience
        self._asking = set[asyncio.Task[ContextSnapshot]]()

    async def known(self, chat_id: ChatId, home: ChatId) -> ContextSnapshot | None:
        """What the chat has pinned. Nobody is asked."""
        row = await workspace_contexts.load(self._pool, home, chat_id)
        return None if row is None or row.snapshot is None else _snapshots.decode(row.snapshot)

    async def pinned(self, chat_id: ChatId, home: ChatId, *, turns: int) -> ContextSnapshot | None:
        """What the chat has pinned; pinned now where it is not yet. What could not be reached is asked once a turn."""
        row = await workspace_contexts.load(self._pool, home, chat_id)
        if row is None:
            return None
        if row.snapshot is not None and (row.hash or row.turns == turns):
            return _snapshots.decode(row.snapshot)
        return await self._pin(chat_id, row.workspace_id, turns)

    async def refresh(self, chat_id: ChatId, home: ChatId, *, turns: int) -> ContextSnapshot:
        """Pin what is there now. Where the workspace does not answer, what was pinned stays."""
        row = await workspace_contexts.load(self._pool, home, chat_id)
        if row is None:
            raise Refused("This chat has no workspace.")
        return await self._store(chat_id, row.workspace_id, await self._asked(row.workspace_id), turns)

    async def changed(self, workspace_id: WorkspaceId, digest: str) -> None:
        """A workspace says something now that has this hash: chats that pinned something else are marked."""
        self._announce(await workspace_contexts.drift(self._pool, workspace_id, digest))

    async def _pin(self, chat_id: ChatId, workspace_id: WorkspaceId, turns: int) -> ContextSnapshot:
        # A workspace that is made for this is still made when nobody waits for what it tells any more.
        asking = asyncio.create_task(self._asked(workspace_id))
        self._asking.add(asking)
        asking.add_done_callback(self._heard)
        try:
            async with asyncio.timeout(self._patience.total_seconds()):
                found = await asyncio.shield(asking)
        except (PerdureError, TimeoutError) as error:
            _log.warning("the context of workspace %s is not known: %s", workspace_id, error)
            found = UNREACHABLE
        return await self._store(chat_id, workspace_id, found, turns)

    def _heard(self, asking: "asyncio.Task[ContextSnapshot]") -> None:
        self._asking.discard(asking)
        if not asking.cancelled() and (error := asking.exception()) is not None:
            _log.debug("a workspace told nothing: %s", error)

    async def _asked(self, workspace_id: WorkspaceId) -> ContextSnapshot:
        row = await workspaces.load(self._pool, workspace_id)
        if row is None:
            raise NotFound("Workspace not found.")
        return await (await self._workspaces.client(row)).context()

    async def _store(
        self, chat_id: ChatId, workspace_id: WorkspaceId, found: ContextSnapshot, turns: int
    ) -> ContextSnapshot:
        text = msgspec.json.encode(found).decode()
        version = await workspace_contexts.pin(self._pool, chat_id, workspace_id, found.hash, text, turns)
        self._announce([] if version is None else [Moved(chat_id, version)])
        return found

    def _announce(self, moved: Sequence[Moved]) -> None:
        self._pubsub.publish([Notice(Topic.CHAT, m.chat_id, metadata_version=m.metadata_version) for m in moved])
