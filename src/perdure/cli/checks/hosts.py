"""The hosts of the database: which one takes writes, which ones answer, and what a failover may lose."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from perdure.cli.checks.finding import Finding, bad, good, off
from perdure.core.errors import Misconfigured
from perdure.core.timing import HOST_PATIENCE
from perdure.store.address import hosts, place
from perdure.store.connection import Connection, connect
from perdure.store.server import Server, server_of

_TWO_PRIMARIES = "Stop the one that was replaced, and make it a standby of the other."
_ASYNCHRONOUS = (
    "Set synchronous_standby_names (Patroni: synchronous_mode; CloudNativePG: synchronous), or accept that an "
    "automatic failover loses what was committed last."
)


@dataclass(frozen=True, slots=True)
class _Host:
    where: str
    server: Server | None
    problem: str = ""


async def host_findings(url: str) -> AsyncIterator[Finding]:
    """A line for each host where there are several, and one where they contradict each other."""
    urls = hosts(url)
    if len(urls) < 2:
        return
    found = await asyncio.gather(*(_look(one) for one in urls))
    for host in found:
        yield _described(host)
    primaries = [host.where for host in found if host.server is not None and host.server.writable]
    if not primaries:
        yield bad("hosts", "none of them takes writes", "Promote one, or name the one that does.")
    if len(primaries) > 1:
        yield bad("hosts", f"{' and '.join(primaries)} both take writes", _TWO_PRIMARIES)


async def replication(connection: Connection) -> Finding:
    """Whether a failover may lose commits that people were told of."""
    standbys = await connection.fetchval("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")
    named = await connection.fetchval("SELECT current_setting('synchronous_standby_names')")
    if not standbys:
        return good("replication", "no standby")
    counted = "1 standby" if standbys == 1 else f"{standbys} standbys"
    if not named:
        return off("replication", f"{counted}, and no commit waits for it", _ASYNCHRONOUS)
    return good("replication", f"{counted}, commits wait for {named}")


async def _look(url: str) -> _Host:
    try:
        async with asyncio.timeout(2 * HOST_PATIENCE.total_seconds()):
            connection = await connect(url)
            try:
                return _Host(place(url), await server_of(connection, timeout=HOST_PATIENCE.total_seconds()))
            finally:
                connection.terminate()
    except Misconfigured as error:
        return _Host(place(url), None, str(error))
    except TimeoutError:
        return _Host(place(url), None, f"The database at {place(url)} does not answer.")


def _described(host: _Host) -> Finding:
    if host.server is None:
        return off("host", host.problem, "")
    role = f"takes writes, timeline {host.server.timeline}" if host.server.writable else "a standby"
    return good("host", f"{host.where}, {role}")
