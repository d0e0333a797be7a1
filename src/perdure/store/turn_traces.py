"""Which trace a turn belongs to: told by the replica that took the message, read by the one that drives the turn."""

from datetime import datetime, timedelta

from perdure.core.ids import ChatId
from perdure.store.pool import Pool
from perdure.store.queries import query


async def claim(pool: Pool, chat_id: ChatId, turn: int, traceparent: str) -> tuple[str, datetime]:
    """The turn's trace and when that was first said: this one, unless another was said before."""
    row = await pool.fetchrow(query("turn_traces/claim"), chat_id, turn, traceparent)
    assert row is not None
    return row["traceparent"], row["began_at"]


async def find(pool: Pool, chat_id: ChatId, turn: int) -> str | None:
    return await pool.fetchval(query("turn_traces/find"), chat_id, turn)


async def sweep(pool: Pool, age: timedelta) -> None:
    await pool.execute(query("turn_traces/sweep"), age)
