"""The hosts of the database: which one takes writes, which ones answer, and what a failover may lose."""

import asyncio
from collections.abc import AsyncIterator

from perdure.cli.checks.finding import Finding, bad, good, off
from perdure.store.address import hosts
from perdure.store.connection import Connection
from perdure.store.primaries import Host, look, split

_ASYNCHRONOUS = (
    "Set synchronous_standby_names (Patroni: synchronous_mode; CloudNativePG: synchronous), or accept that an "
    "automatic failover loses what was committed last."
)


async def host_findings(url: str) -> AsyncIterator[Finding]:
    """A line for each host where there are several, and one where they contradict each other."""
    urls = hosts(url)
    if len(urls) < 2:
        return
    found = await asyncio.gather(*map(look, urls))
    for host in found:
        yield _described(host)
    primaries = [host.where for host in found if host.server is not None and host.server.writable]
    if not primaries:
        yield bad("hosts", "none of them takes writes", "Promote one, or name the one that does.")
    contradiction = split(found)
    if contradiction is not None:
        yield bad("hosts", contradiction, "")


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


def _described(host: Host) -> Finding:
    if host.server is None:
        return (bad if host.refuses else off)("host", host.problem, "")
    role = f"takes writes, timeline {host.server.timeline}" if host.server.writable else "a standby"
    return good("host", f"{host.where}, {role}")
