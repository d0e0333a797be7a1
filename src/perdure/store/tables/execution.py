"""The execution state of chats. Only the machine asks for it, through `store.execution`."""

from collections.abc import Sequence
from datetime import datetime

from asyncpg import Record
from msgspec import Struct

from perdure.core.ids import ChangeId, ChatId, MessageNumber, ModelName, QueuedNumber, UserId
from perdure.core.message import Effort, Role, Visibility
from perdure.store.query import query
from perdure.store.scopes import Database


class LiveMessage(Struct, frozen=True):
    """What an edit needs to know of the message that it means."""

    role: Role
    visibility: Visibility
    model: ModelName | None
    effort: Effort | None
    authors: tuple[UserId | None, ...]
    """Of this message and of those that users sent since."""
    waiting: tuple[QueuedNumber, ...]
    waiting_by: tuple[UserId | None, ...]


class ArchivedChat(Struct, frozen=True):
    id: ChatId
    updated_at: datetime


@query
async def load(db: Database, chat_id: ChatId) -> Record | None: ...


@query
async def hold(db: Database, chat_id: ChatId) -> Record | None: ...


@query
async def load_after_failure(
    db: Database, chat_id: ChatId, change_id: ChangeId, next_message: int, next_queued: int
) -> Record | None: ...


@query
async def load_family(db: Database, root_id: ChatId, change_id: ChangeId) -> list[Record]: ...


@query
async def load_with_message(db: Database, chat_id: ChatId, number: MessageNumber) -> Record | None: ...


@query
async def archive_family(
    db: Database, chats: Sequence[ChatId], versions: Sequence[int], archived: bool, change_id: ChangeId
) -> list[ArchivedChat]: ...
