"""Reading what a stream tells: a chat as it is, and what of its history is news."""

from collections.abc import Sequence
from dataclasses import dataclass

from asyncpg import Record

from perdure.core.chat import Chat
from perdure.core.cursor import Line, Position
from perdure.core.events import ChatCard, QueuedMessage
from perdure.core.ids import ChatId, MessageNumber
from perdure.core.message import AnyPart, Effort, Message
from perdure.core.public import public_message
from perdure.store.cards import card_of, card_row_of
from perdure.store.pool import Pool
from perdure.store.rows import chat_of, message_of, parts_of
from perdure.store.tables import chats, streams
from perdure.store.tables.chats import Versions

NEWEST = 50
"""How many messages somebody gets who has seen none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A chat in one snapshot of the database."""

    chat: Chat
    card: ChatCard
    metadata_version: int
    queue: tuple[QueuedMessage, ...]
    asked: tuple[AnyPart, ...]
    """The parts of the message that the open calls belong to."""
    messages: tuple[Message, ...]
    """Visible messages beyond the position, in order of (revision, number)."""
    line: Line
    cut: MessageNumber | None
    """The lowest number that was hidden since."""


async def read(pool: Pool, chat_id: ChatId, since: Position | None) -> Reading | None:
    """The chat, and its messages after a position. None where there is no such chat."""
    revision, number = since or (None, None)
    row = await streams.read(pool, chat_id, revision, number, NEWEST)
    if row is None:
        return None
    chat, card = chat_of(row), card_row_of(row)
    messages = sorted((message_of(found) for found in row["messages"]), key=lambda m: (m.revision, m.number))
    return Reading(
        chat=chat,
        card=card_of(card, chat, reader=card.owner_id, read_number=chat.last_assistant),
        metadata_version=card.metadata_version,
        queue=_queue_of(row["queued"], chat),
        asked=parts_of(row["asked"]) if row["asked"] else (),
        messages=tuple(public_message(message) for message in messages),
        line=Line(row["line"], dict(zip(row["earlier_lines"], row["last_snapshots"], strict=True))),
        cut=row["cut"],
    )


async def versions(pool: Pool, chat_ids: Sequence[ChatId]) -> dict[ChatId, Versions]:
    """The versions of those chats that exist."""
    return {each.id: each for each in await chats.versions(pool, chat_ids)}


def _queue_of(rows: Sequence[Record], chat: Chat) -> tuple[QueuedMessage, ...]:
    steering = {entry.number for entry in chat.queue if entry.steer}
    return tuple(
        QueuedMessage(
            number=row["number"],
            parts=parts_of(row["parts"]),
            steer=row["number"] in steering,
            model=row["model"],
            effort=Effort(row["effort"]) if row["effort"] else None,
            created_by=row["created_by"],
            author=row["author"],
            created_at=row["created_at"],
            client_id=row["client_id"],
        )
        for row in rows
    )
