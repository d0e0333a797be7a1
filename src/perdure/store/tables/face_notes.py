"""What clients of other protocols keep beside chats."""

from msgspec import Struct

from perdure.core.ids import ChatId
from perdure.store.query import query
from perdure.store.scopes import PersonScope


class FaceNote(Struct, frozen=True):
    """Metadata, and items that wait to be answered, both as JSON."""

    metadata: str
    items: str


@query
async def read(scope: PersonScope, chat_id: ChatId, number: int) -> FaceNote | None: ...


@query
async def write(scope: PersonScope, chat_id: ChatId, number: int, metadata: str | None, items: str | None) -> None: ...


@query
async def remove(scope: PersonScope, chat_id: ChatId) -> None: ...
