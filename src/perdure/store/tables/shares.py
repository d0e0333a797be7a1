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


@query
async def listed(scope: PersonScope, chat_id: ChatId) -> list[Share]: ...


@query
async def unknown(scope: PersonScope, users: Sequence[UserId], groups: Sequence[UUID]) -> list[UUID]: ...


@query
async def replace(
    scope: PersonScope, chat_id: ChatId, users: Sequence[UserId], groups: Sequence[UUID]
) -> int | None: ...
