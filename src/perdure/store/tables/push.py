"""Browsers that are pushed to, and what is due to them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from msgspec import Struct

from perdure.core.ids import ChatId
from perdure.store.query import query
from perdure.store.scopes import Database, PersonScope


class DuePush(Struct, frozen=True):
    """An entry of the inbox, and a browser of the person it is for."""

    id: int
    chat_id: ChatId | None
    kind: str
    title: str
    text: str
    created_at: datetime
    subscription: UUID
    endpoint: str
    keys: str


@query
async def add(scope: PersonScope, endpoint: str, keys: str) -> UUID | None: ...


@query
async def remove(scope: PersonScope, subscription_id: UUID) -> UUID | None: ...


@query
async def take(db: Database, fresh: timedelta, taken: timedelta, limit: int) -> list[DuePush]: ...


@query
async def delivered(db: Database, entries: Sequence[int], created_at: Sequence[datetime]) -> None: ...


@query
async def gone(db: Database, subscription_id: UUID) -> None: ...
