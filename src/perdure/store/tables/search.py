"""What search knows of messages."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from perdure.core.ids import ChatId
from perdure.store.query import query
from perdure.store.scopes import Database


class LastIndexed(Struct, frozen=True):
    """How far search has come in this run: the last message that it was given."""

    chat_id: ChatId
    revision: int
    number: int


NOTHING_INDEXED = LastIndexed(ChatId(UUID(int=0)), 0, 0)


class UnindexedMessage(Struct, frozen=True):
    chat_id: ChatId
    number: int
    revision: int
    parts: str
    shown: bool


@query
async def behind(db: Database, limit: int) -> list[ChatId]: ...


@query
async def unindexed(
    db: Database, chats: Sequence[ChatId], after: LastIndexed, limit: int
) -> list[UnindexedMessage]: ...


@query
async def index(
    db: Database,
    chats: Sequence[ChatId],
    numbers: Sequence[int],
    texts: Sequence[str],
    caught_up: Sequence[ChatId],
    revisions: Sequence[int],
) -> None: ...
