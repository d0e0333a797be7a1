"""The connections that the server works with, set up for many small statements that must be durable."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TypeAlias

import asyncpg
from asyncpg import Record

from perdure.core.timing import CONNECT_PATIENCE
from perdure.observe.measures.database import DatabaseMeasures
from perdure.store.connection import Connection, connect

Pool: TypeAlias = "asyncpg.Pool[Record]"

# Every statement is known and finds its rows by an index: planning it once is enough, and a sequential scan that the
# planner prefers while a table is small would stay in the plan when it is large.
SESSION = {
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "jit": "off",
    "synchronous_commit": "on",
}


@asynccontextmanager
async def open_pool(
    url: str, *, size: int = 10, name: str = "perdure", patience: timedelta = CONNECT_PATIENCE
) -> AsyncGenerator[Pool]:
    """A pool of connections, once the server is there and new enough."""
    probe = await connect(url, patience=patience)
    await probe.close()
    async with asyncpg.create_pool(
        url,
        min_size=min(2, size),
        max_size=size,
        reset=_leave_as_it_is,
        server_settings={**SESSION, "application_name": name},
        statement_cache_size=500,
    ) as pool:
        yield pool


def measure(pool: Pool, measures: DatabaseMeasures) -> None:
    """Show how many connections there are."""
    measures.limit.read = pool.get_max_size
    measures.connections.read = lambda: {
        "idle": pool.get_idle_size(),
        "used": pool.get_size() - pool.get_idle_size(),
    }


async def _leave_as_it_is(connection: Connection) -> None:
    """Nobody changes the session, and an open transaction is rolled back without being asked."""
