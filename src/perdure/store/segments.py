"""Stored pieces of answers in flight: the unlogged rows, one statement at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from perdure.core.ids import ChatId
from perdure.store.pool import Pool
from perdure.store.tables import segments
from perdure.store.tables.segments import Episode, NewPieces

Name = tuple[ChatId, int, int]
"""An episode: its chat, history version and attempt."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Parts `seq_from` to `seq_to` of an episode, encoded."""

    episode: Name
    seq_from: int
    seq_to: int
    content: str


async def write(pool: Pool, stored: Sequence[Segment], over: Sequence[Name]) -> set[Name]:
    """Store segments, and drop those of episodes that are over. Which of these had any, and were committed."""
    chats, histories, attempts = _columns([segment.episode for segment in stored])
    over_chats, over_histories, over_attempts = _columns(over)
    pieces = NewPieces(
        chats,
        histories,
        attempts,
        [segment.seq_from for segment in stored],
        [segment.seq_to for segment in stored],
        [segment.content for segment in stored],
        over_chats,
        over_histories,
        over_attempts,
    )
    return {(each.chat_id, each.history_version, each.attempt) for each in await segments.write(pool, pieces)}


async def load(pool: Pool, episode: Name, *, after: int = 0) -> list[Segment]:
    """What is stored of an episode beyond part number `after`."""
    pieces = await segments.load(pool, Episode(*episode), after)
    return [Segment(episode, piece.seq_from, piece.seq_to, piece.content) for piece in pieces]


async def load_many(pool: Pool, episodes: Sequence[tuple[Name, int]]) -> list[Segment]:
    """What is stored of several episodes, each beyond its own part number."""
    pieces = await segments.load_many(
        pool,
        *_columns([name for name, _ in episodes]),
        [after for _, after in episodes],
    )
    return [
        Segment((piece.chat_id, piece.history_version, piece.attempt), piece.seq_from, piece.seq_to, piece.content)
        for piece in pieces
    ]


async def sweep(pool: Pool, age: timedelta) -> int:
    """Drop what is older than `age` and of no use. How many rows went."""
    return await segments.sweep(pool, age)


def _columns(names: Sequence[Name]) -> tuple[list[ChatId], list[int], list[int]]:
    return [name[0] for name in names], [name[1] for name in names], [name[2] for name in names]
