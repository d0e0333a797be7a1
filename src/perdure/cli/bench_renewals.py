"""What Postgres spends on the leases of many replicas: each renews its own three times a second."""

import asyncio
import time
from collections.abc import Sequence
from uuid import uuid4

from perdure.cli.progress import progress
from perdure.cli.proof_setup import own_postgres
from perdure.core.ids import ReplicaId
from perdure.core.timing import LISTING_PERIOD, RENEWAL_PERIOD, SEVERED_LEASE
from perdure.proof.scale.bars import Bar, quantile
from perdure.proof.scale.gauges import family_seconds
from perdure.store.connection import connect
from perdure.store.migrations.runner import migrate
from perdure.store.pool import Pool, open_pool
from perdure.store.replicas import register, renew

CONNECTIONS = 16
LIMITS = {10: 3.0, 100: 20.0}
"""Percent of a core that so many replicas may take of Postgres. With more, it is printed and judged by nobody."""


async def measured(replicas: Sequence[int], seconds: float) -> list[Bar]:
    """For each number of replicas: the share of a core that Postgres uses, and how late renewals are."""
    bars: list[Bar] = []
    with progress() as shown, own_postgres() as postgres:
        connection = await connect(postgres.url)
        await migrate(connection)
        await connection.close()
        async with open_pool(postgres.url, size=CONNECTIONS) as pool:
            for count in replicas:
                shown(f"renewing the leases of {count} replicas")
                bars += await _renewed(pool, postgres.pid or 0, count, seconds)
    return bars


async def _renewed(pool: Pool, pid: int, count: int, seconds: float) -> list[Bar]:
    names = [ReplicaId(uuid4()) for _ in range(count)]
    for name in names:
        await register(pool, name, address=None, version="bench", capacity=0)
    took: list[float] = []
    before, begun = family_seconds(pid), time.perf_counter()
    await asyncio.gather(*(_renewing(pool, name, place / count, seconds, took) for place, name in enumerate(names)))
    spent = (family_seconds(pid) - before) / (time.perf_counter() - begun) * 100
    await pool.execute("DELETE FROM replicas")
    return [
        Bar(f"share of a core that Postgres uses for {count} replicas", spent, LIMITS.get(count, 100.0), "%"),
        Bar(
            f"a renewal beside {count} replicas, p99",
            quantile(took, 0.99) * 1e3,
            (SEVERED_LEASE - 2 * RENEWAL_PERIOD).total_seconds() * 1e3,
            "ms",
        ),
    ]


async def _renewing(pool: Pool, name: ReplicaId, place: float, seconds: float, took: list[float]) -> None:
    """One replica: it renews its lease again and again, and every third time asks what it owns."""
    period = RENEWAL_PERIOD.total_seconds()
    every = round(LISTING_PERIOD / RENEWAL_PERIOD)
    # Replicas start at different times.
    begin = time.perf_counter() + place * period
    for number in range(round(seconds / period)):
        await asyncio.sleep(max(0.0, begin + number * period - time.perf_counter()))
        asked = time.perf_counter()
        if await renew(pool, name, listing=number % every == 0, timeout=30) is None:
            # Too late: the machine cannot keep up.
            took.append(float("inf"))
            return
        took.append(time.perf_counter() - asked)
