"""Which server a connection leads to, and whether it takes writes."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

from perdure.store.connection import Connection

# Not every managed database lets us read the identifier; then the timeline and the role must do.
_IDENTITY = """
SELECT
    CASE WHEN has_function_privilege('pg_control_system()', 'EXECUTE')
        THEN (SELECT system_identifier FROM pg_control_system()) ELSE 0 END AS system,
    current_setting('transaction_read_only') = 'on' AS read_only,
    CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline
"""


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
