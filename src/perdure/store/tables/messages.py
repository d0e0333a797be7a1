"""The messages of chats, and those that wait in their queues."""

from datetime import datetime, timedelta

from asyncpg import Record
from msgspec import Struct

from perdure.core.events import QueuedMessage
from perdure.core.ids import ChatId, MessageNumber
from perdure.core.message import Message, Role
from perdure.store.query import query
from perdure.store.scopes import Database, PersonScope


class HiddenMessage(Struct, frozen=True):
    """A message, and the snapshot in which an edit hid it."""

    hidden_in: int
    message: Message


class Prompt(Struct, frozen=True):
    """What a user said."""

    number: MessageNumber
    parts: str
    created_at: datetime


class CostRow(Struct, frozen=True):
    """What a chat cost, by model and purpose."""

    chat_id: ChatId
    model: str | None
    purpose: str
    calls: int
    cost: int
    unpriced_calls: int
    input: int
    output: int
    reasoning: int
    cache_read: int
    cache_write: int


class Recalled(Struct, frozen=True):
    number: MessageNumber
    role: Role
    parts: str


@query
async def one(scope: PersonScope, chat_id: ChatId, number: int) -> Message | None: ...


@query
async def page_before(
    scope: PersonScope, chat_id: ChatId, before: int | None, after: int | None, limit: int
) -> list[Message]: ...


@query
async def page_after(scope: PersonScope, chat_id: ChatId, after: int, limit: int) -> list[Message]: ...


@query
async def whole(scope: PersonScope, chat_id: ChatId, last: int) -> list[Message]: ...


@query
async def visible(scope: PersonScope, chat_id: ChatId) -> list[Message]: ...


@query
async def hidden(scope: PersonScope, chat_id: ChatId) -> list[HiddenMessage]: ...


@query
async def prompts(scope: PersonScope, chat_id: ChatId, limit: int) -> list[Prompt]: ...


@query
async def matching(scope: PersonScope, chat_id: ChatId, word: str, pattern: str, limit: int) -> list[MessageNumber]: ...


@query
async def cost(scope: PersonScope, chat_id: ChatId) -> list[CostRow]: ...


@query
async def queued(scope: PersonScope, chat_id: ChatId) -> list[QueuedMessage]: ...


@query
async def forget_removed(db: Database, kept: timedelta) -> None: ...


@query
async def advice(db: Database, chat_id: ChatId, after: int) -> list[str]: ...


@query
async def load_history(db: Database, chat_id: ChatId, since: int) -> list[Record]: ...


@query
async def recall(db: Database, chat_id: ChatId, pattern: str, before: int | None, limit: int) -> list[Recalled]: ...
