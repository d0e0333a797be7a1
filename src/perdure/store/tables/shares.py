"""With whom chats are shared."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from perdure.core.ids import ChatId, UserId
from perdure.store.query import query
from perdure.store.scopes import PersonScope


class Share(Struct, frozen=True):
    user_id: UserId | None
    group_id: UUID | None
    role: str


class PersonOfChat(Struct, frozen=True):
    """Somebody who may read a chat, and what else they may do there."""

    id: UserId
    name: str
    email: str
    role: str


@query
async def listed(scope: PersonScope, chat_id: ChatId) -> list[Share]: ...


@query
async def unknown(scope: PersonScope, users: Sequence[UserId], groups: Sequence[UUID]) -> list[UUID]: ...


@query
async def role(scope: PersonScope, chat_id: ChatId) -> str | None: ...


@query
async def people(scope: PersonScope, chat_id: ChatId) -> list[PersonOfChat]: ...


@query
async def replace(
    scope: PersonScope,
    chat_id: ChatId,
    users: Sequence[UserId],
    user_roles: Sequence[str],
    groups: Sequence[UUID],
    group_roles: Sequence[str],
) -> int | None: ...
