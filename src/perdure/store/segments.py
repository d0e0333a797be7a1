"""Stored pieces of answers in flight: the unlogged rows, one statement at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import asyncpg
from asyncpg import Pool, Record

from perdure.core.ids import ChatId
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


async def write(pool: "Pool[Record]", segments: Sequence[Segment], over: Sequence[Name]) -> set[Name]:
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


async def load(pool: "Pool[Record]", episode: Name, *, after: int = 0) -> list[Segment]:
    """What is stored of an episode beyond part number `after`."""
    rows = await pool.fetch(query("segments/load"), *episode, after)
    return [Segment(episode, row["seq_from"], row["seq_to"], row["content"]) for row in rows]


async def sweep(pool: "Pool[Record]", age: timedelta) -> int:
    """Drop what is older than `age` and of no use. How many rows went."""
    status = await pool.execute(query("segments/sweep"), age)
    return int(status.rsplit(" ", 1)[-1])


AWAY = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError)
"""What a database that is away raises. Segments are a convenience: the next round tries again."""
