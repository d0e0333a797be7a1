"""A chat with all that a stream tells of it, in one snapshot."""

from asyncpg import Record

from perdure.core.ids import ChatId
from perdure.store.query import query
from perdure.store.scopes import Database


@query
async def read(
    db: Database, chat_id: ChatId, revision: int | None, number: int | None, newest: int
) -> Record | None: ...
