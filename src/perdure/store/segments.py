"""Stored pieces of answers in flight: the unlogged rows, one statement at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import asyncpg

from perdure.core.ids import ChatId
from perdure.store.away import AWAY as DATABASE_AWAY
from perdure.store.pool import Pool
from perdure.store.queries import query

Name = tuple[ChatId, int, int]
"""An episode: its chat, history version and attempt."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Parts `seq_from` to `seq_to` of an episode, encoded."""

    episode: Name
    seq_from: int
    seq_to: int
    content: str


async def write(pool: Pool, segments: Sequence[Segment], over: Sequence[Name]) -> set[Name]:
    """Store segments, and drop those of episodes that are over. Which of these had any, and were committed."""
    columns = [list(column) for column in zip(*(segment.episode for segment in segments), strict=True)] or [[], [], []]
    ends = [list(column) for column in zip(*over, strict=True)] or [[], [], []]
    gone = await pool.fetch(
        query("segments/write"),
        *columns,
        [segment.seq_from for segment in segments],
        [segment.seq_to for segment in segments],
        [segment.content for segment in segments],
        *ends,
    )
    return {(row["chat_id"], row["history_version"], row["attempt"]) for row in gone}


async def load(pool: Pool, episode: Name, *, after: int = 0) -> list[Segment]:
    """What is stored of an episode beyond part number `after`."""
    rows = await pool.fetch(query("segments/load"), *episode, after)
    return [Segment(episode, row["seq_from"], row["seq_to"], row["content"]) for row in rows]


async def load_many(pool: Pool, episodes: Sequence[tuple[Name, int]]) -> list[Segment]:
    """What is stored of several episodes, each beyond its own part number."""
    rows = await pool.fetch(
        query("segments/load_many"),
        [name[0] for name, _ in episodes],
        [name[1] for name, _ in episodes],
        [name[2] for name, _ in episodes],
        [after for _, after in episodes],
    )
    return [Segment((row[0], row[1], row[2]), row["seq_from"], row["seq_to"], row["content"]) for row in rows]


async def sweep(pool: Pool, age: timedelta) -> int:
    """Drop what is older than `age` and of no use. How many rows went."""
    status = await pool.execute(query("segments/sweep"), age)
    return int(status.rsplit(" ", 1)[-1])


AWAY = (*DATABASE_AWAY, asyncpg.PostgresError)
"""What keeps segments from being stored. They are a convenience: the next round tries again."""
