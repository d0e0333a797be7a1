"""Reading what changed in the lists and inboxes of several people at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from asyncpg import Record as Row

from perdure.core.chat import Chat
from perdure.core.events import ChatCard
from perdure.core.ids import ChatId, UserId
from perdure.core.watch import InboxEntry
from perdure.store.cards import card_of
from perdure.store.pool import Pool
from perdure.store.queries import query
from perdure.store.rows import chat_of

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
class Departure:
    """A chat that went out of somebody's sight."""

    viewer: UserId
    chat_id: ChatId
    at: datetime
    position: datetime


@dataclass(frozen=True, slots=True)
class Mail:
    """Somebody's inbox: one entry that is news, or none, and how many are unread."""

    viewer: UserId
    entry: InboxEntry | None
    unread: int
    position: datetime


async def changed(pool: Pool, since: Since) -> list[Seen]:
    return _seen(await pool.fetch(query("watch/changed"), list(since), list(since.values())))


async def touched(pool: Pool, viewers: Sequence[UserId], chats: Sequence[ChatId]) -> list[Seen]:
    return _seen(await pool.fetch(query("watch/touched"), viewers, chats))


async def departed(pool: Pool, since: Since) -> list[Departure]:
    """Who lost sight of what."""
    rows = await pool.fetch(query("watch/departed"), list(since), list(since.values()))
    return [Departure(row["viewer"], row["chat_id"], row["at"], row["position"]) for row in rows]


async def inbox(pool: Pool, since: Since) -> list[Mail]:
    rows = await pool.fetch(query("watch/inbox"), list(since), list(since.values()))
    return [Mail(row["viewer"], _entry(row), row["unread"], row["position"]) for row in rows]


async def now(pool: Pool) -> datetime:
    return await pool.fetchval(query("watch/now"))


async def purge(pool: Pool, age: timedelta) -> None:
    await pool.execute(query("watch/purge"), age)


def _seen(rows: Sequence[Row]) -> list[Seen]:
    found: list[Seen] = []
    for row in rows:
        chat, viewer = chat_of(row), row["viewer"]
        card = card_of(row, chat, reader=viewer)
        found.append(Seen(viewer, chat, card, row["metadata_version"], row["read_number"], row["read_at"]))
    return found


def _entry(row: Row) -> InboxEntry | None:
    if row["id"] is None:
        return None
    return InboxEntry(
        id=row["id"],
        kind=row["kind"],
        title=row["title"],
        text=row["text"],
        created_at=row["created_at"],
        chat_id=row["chat_id"],
        read_at=row["read_at"],
    )
