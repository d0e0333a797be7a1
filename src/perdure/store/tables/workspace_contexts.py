"""Pinned workspace contexts: what each chat was told by its workspace."""

from msgspec import Struct

from perdure.core.ids import ChatId, WorkspaceId
from perdure.store.query import query
from perdure.store.scopes import Database
from perdure.store.tables.cards import Moved


class PinnedRow(Struct, frozen=True):
    """A chat's workspace and what was pinned of it, if anything was."""

    workspace_id: WorkspaceId
    hash: str | None
    snapshot: str | None
    turns: int | None


@query
async def load(db: Database, home: ChatId, chat_id: ChatId) -> PinnedRow | None: ...


@query
async def pin(
    db: Database, chat_id: ChatId, workspace_id: WorkspaceId, digest: str, snapshot: str, turns: int
) -> int | None: ...


@query
async def drift(db: Database, workspace_id: WorkspaceId, digest: str) -> list[Moved]: ...
