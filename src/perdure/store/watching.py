"""Reading what changed in the lists and inboxes of several people at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from perdure.core.chat import Chat
from perdure.core.events import ChatCard, InboxEntry
from perdure.core.ids import ChatId, UserId
from perdure.store.cards import card_of
from perdure.store.pool import Pool
from perdure.store.tables import watch
from perdure.store.tables.watch import Departure, MailRow, WatchedChat

Since = Mapping[UserId, datetime]


@dataclass(frozen=True, slots=True)
class Seen:
    """A chat as somebody sees it, and the database's time when they did."""

    viewer: UserId
    chat: Chat
    card: ChatCard
    metadata_version: int
    read_number: int
    position: datetime


@dataclass(frozen=True, slots=True)
class Mail:
    """Somebody's inbox: one entry that is news, or none, and how many are unread."""

    viewer: UserId
    entry: InboxEntry | None
    unread: int
    position: datetime


async def changed(pool: Pool, since: Since) -> list[Seen]:
    return [_seen(found) for found in await watch.changed(pool, list(since), list(since.values()))]


async def touched(pool: Pool, viewers: Sequence[UserId], chats: Sequence[ChatId]) -> list[Seen]:
    return [_seen(found) for found in await watch.touched(pool, viewers, chats)]


async def departed(pool: Pool, since: Since) -> list[Departure]:
    """Who lost sight of what."""
    return await watch.departed(pool, list(since), list(since.values()))


async def inbox(pool: Pool, since: Since) -> list[Mail]:
    rows = await watch.inbox(pool, list(since), list(since.values()))
    return [Mail(row.viewer, _entry(row), row.unread, row.position) for row in rows]


async def now(pool: Pool) -> datetime:
    return await watch.now(pool)


async def purge(pool: Pool, age: timedelta) -> None:
    await watch.purge(pool, age)


def _seen(found: WatchedChat) -> Seen:
    chat, row, read = found.chat, found.card, found.read_number
    card = card_of(row, chat, reader=found.viewer, read_number=read)
    return Seen(found.viewer, chat, card, row.metadata_version, read, row.read_at)


def _entry(row: MailRow) -> InboxEntry | None:
    if row.id is None or row.kind is None or row.created_at is None:
        return None
    return InboxEntry(
        id=row.id,
        kind=row.kind,
        title=row.title or "",
        text=row.text or "",
        created_at=row.created_at,
        chat_id=row.chat_id,
        read_at=row.read_at,
    )
