"""What changed in the lists and inboxes of several people at once."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from perdure.core.ids import ChatId, UserId
from perdure.store.query import query
from perdure.store.scopes import Database
from perdure.store.tables.chats import SeenChat


class WatchedChat(SeenChat, frozen=True):
    """A chat as one of several viewers sees it."""

    viewer: UserId


class Departure(Struct, frozen=True):
    """A chat that went out of somebody's sight."""

    viewer: UserId
    chat_id: ChatId
    at: datetime
    position: datetime


class MailRow(Struct, frozen=True):
    """Somebody's inbox: an entry that is news, or none, and how many are unread."""

    viewer: UserId
    id: int | None
    chat_id: ChatId | None
    kind: str | None
    title: str | None
    text: str | None
    created_at: datetime | None
    read_at: datetime | None
    position: datetime
    unread: int


@query
async def changed(db: Database, viewers: Sequence[UserId], since: Sequence[datetime]) -> list[WatchedChat]: ...


@query
async def touched(db: Database, viewers: Sequence[UserId], chats: Sequence[ChatId]) -> list[WatchedChat]: ...


@query
async def departed(db: Database, viewers: Sequence[UserId], since: Sequence[datetime]) -> list[Departure]: ...


@query
async def inbox(db: Database, viewers: Sequence[UserId], since: Sequence[datetime]) -> list[MailRow]: ...


@query
async def now(db: Database) -> datetime: ...


@query
async def purge(db: Database, age: timedelta) -> None: ...
