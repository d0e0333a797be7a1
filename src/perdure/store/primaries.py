"""Which server a connection leads to and whether it takes writes, and the servers behind the hosts of a URL."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import Any

import asyncpg

from perdure.core.errors import Misconfigured
from perdure.core.timing import DATABASE_RETRY_FIRST, HOST_PATIENCE
from perdure.store.address import hosts, place
from perdure.store.connection import Connection, connect

# Not every managed database lets us read the identifier; then the timeline and the role must do.
_IDENTITY = """
SELECT
    CASE WHEN has_function_privilege('pg_control_system()', 'EXECUTE')
        THEN (SELECT system_identifier FROM pg_control_system()) ELSE 0 END AS system,
    current_setting('transaction_read_only') = 'on' AS read_only,
    CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline
"""


LOOKING = "perdure hosts"
"""The name of sessions that only see what a host is, as the server shows it."""


@dataclass(frozen=True, slots=True)
class Server:
    """A Postgres, as it is now."""

    system: int
    """The same for a primary and its standbys."""
    timeline: int
    """Grows with every promotion. 0 while it only follows another server."""
    writable: bool


class Outdated(Enum):
    """Whose connection leads to a server that is not the one to use."""

    POOL = "pool"
    LEASE = "lease"


def outdated(pool: Server, lease: Server | None) -> Outdated | None:
    """Which of two connections is to be opened again. None where both lead to the same server, which takes writes."""
    if not pool.writable:
        return Outdated.POOL
    if lease is None or lease == pool:
        return None
    if not lease.writable or (lease.system == pool.system and lease.timeline < pool.timeline):
        return Outdated.LEASE
    return Outdated.POOL


async def server_of(connection: Connection, *, timeout: float) -> Server:
    """The server behind a connection."""
    row: Any = await connection.fetchrow(_IDENTITY, timeout=timeout)
    return Server(row["system"], int(row["timeline"] or "0", 16), writable=not row["read_only"])


# Another host may take us; this one will not by waiting.
_REFUSALS = (asyncpg.InvalidAuthorizationSpecificationError, asyncpg.InvalidCatalogNameError)


@dataclass(frozen=True, slots=True)
class Host:
    """One host of a URL, and the server that answers there."""

    where: str
    server: Server | None = None
    began: str = ""
    """When the server was started, which tells two servers from two names of one."""
    problem: str = ""
    refuses: bool = False
    """Whether it answers, and does not let us in."""


async def look(url: str) -> Host:
    """What is at one host."""
    where, patience = place(url), HOST_PATIENCE.total_seconds()
    try:
        async with asyncio.timeout(2 * patience):
            connection = await connect(url, name=LOOKING)
            try:
                began = await connection.fetchval("SELECT pg_postmaster_start_time()::text")
                return Host(where, await server_of(connection, timeout=patience), began)
            finally:
                connection.terminate()
    except Misconfigured as error:
        return Host(where, problem=str(error), refuses=isinstance(error.__cause__, _REFUSALS))
    except (TimeoutError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
        return Host(where, problem=f"The database at {where} does not answer.")


def split(found: Sequence[Host]) -> str | None:
    """What is wrong where more than one of the servers takes writes."""
    writing = {host.began: (host.server.timeline, host.where) for host in found if host.server and host.server.writable}
    if len(writing) < 2:
        return None
    servers = sorted(writing.values())
    said = " and ".join(f"{where} (timeline {timeline})" for timeline, where in servers)
    (oldest, replaced), (newest, _) = servers[0], servers[-1]
    remedy = f"Stop {replaced}, which was replaced" if oldest < newest else "Stop the one that was replaced"
    return (
        f"{said} both take writes: what is committed at one is missing at the other. {remedy}, and make it a standby."
    )


async def split_now(url: str) -> str | None:
    """What is wrong with the hosts of a URL, where more than one takes writes."""
    urls = hosts(url)
    return None if len(urls) < 2 else split(await asyncio.gather(*map(look, urls)))


async def require_one_primary(url: str, *, patience: timedelta) -> None:
    """Refuse hosts of which several take writes, and one that would not let us in after a failover.

    A standby that is behind may learn of a new role or database a moment after us, and a switchover may be under way.
    """
    urls = hosts(url)
    if len(urls) < 2:
        return
    deadline = time.monotonic() + max(patience, HOST_PATIENCE).total_seconds()
    while True:
        found = await asyncio.gather(*map(look, urls))
        problem = split(found) or next((host.problem for host in found if host.refuses), None)
        if problem is None:
            return
        if time.monotonic() >= deadline:
            raise Misconfigured(problem)
        await asyncio.sleep(DATABASE_RETRY_FIRST.total_seconds())
