"""Which chats came from other programs."""

from datetime import datetime

from msgspec import Struct

from perdure.core.ids import ChatId, MessageNumber
from perdure.core.message import Role
from perdure.store.query import query
from perdure.store.scopes import PersonScope


class ImportRow(Struct, frozen=True):
    chat_id: ChatId | None
    """None once it was deleted."""
    generation: int


class ImportedMessage(Struct, frozen=True):
    number: MessageNumber
    role: Role
    client_id: str | None
    hidden: bool


class Became(Struct, frozen=True):
    """What a chat of another program is here."""

    source: str
    source_id: str
    chat_id: ChatId
    generation: int
    began: datetime
    ended: datetime


@query
async def one(scope: PersonScope, source: str, source_id: str) -> ImportRow | None: ...


@query
async def keys(scope: PersonScope, chat_id: ChatId) -> list[ImportedMessage]: ...


@query
async def settle(scope: PersonScope, became: Became) -> int | None: ...
