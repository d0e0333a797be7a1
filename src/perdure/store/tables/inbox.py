"""What people were told."""

from datetime import datetime

from msgspec import Struct

from perdure.core.ids import ChatId, UserId
from perdure.store.query import query
from perdure.store.scopes import Database, PersonScope


class InboxRow(Struct, frozen=True):
    id: int
    chat_id: ChatId | None
    kind: str
    title: str
    text: str
    created_at: datetime
    read_at: datetime | None


@query
async def page(
    scope: PersonScope, before: datetime | None, before_id: int | None, unread: bool | None, limit: int
) -> list[InboxRow]: ...


@query
async def unread(scope: PersonScope) -> int: ...


@query
async def mark(scope: PersonScope, entry_id: int, read: bool) -> InboxRow | None: ...


@query
async def mark_all(scope: PersonScope) -> None: ...


@query
async def digest(db: Database, user_id: UserId, title: str, text: str) -> None: ...
