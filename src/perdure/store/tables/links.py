"""Links that lead to chats."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from perdure.core.ids import ChatId
from perdure.store.query import query
from perdure.store.scopes import PersonScope


class ChatLink(Struct, frozen=True):
    id: UUID
    created_at: datetime
    role: str


class MadeLink(ChatLink, frozen=True):
    metadata_version: int


class FollowedLink(Struct, frozen=True):
    chat_id: ChatId
    metadata_version: int | None
    """Of the card, where somebody may read it now who could not before."""


@query
async def of_chat(scope: PersonScope, chat_id: ChatId) -> ChatLink | None: ...


@query
async def make(scope: PersonScope, chat_id: ChatId, link_id: UUID, role: str) -> MadeLink | None: ...


@query
async def take_back(scope: PersonScope, chat_id: ChatId) -> int | None: ...


@query
async def follow(scope: PersonScope, link_id: UUID) -> FollowedLink | None: ...
