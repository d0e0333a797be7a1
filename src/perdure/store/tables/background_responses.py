"""Responses that a provider makes in the background, by the history that they answer."""

from perdure.core.ids import ChatId
from perdure.store.query import query
from perdure.store.scopes import Database


@query
async def find(db: Database, chat_id: ChatId, history_version: int, model: str) -> str | None: ...


@query
async def put(db: Database, chat_id: ChatId, history_version: int, model: str, response_id: str) -> None: ...


@query
async def drop(db: Database, chat_id: ChatId) -> None: ...
