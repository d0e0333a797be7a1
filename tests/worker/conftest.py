"""A replica in the test's own process, talking to a simulator over HTTP."""

from collections.abc import AsyncIterator

import pytest

from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.testing.replica import InProcessReplica, open_replica


@pytest.fixture
async def sim() -> AsyncIterator[Simulator]:
    async with Simulator(rate=None) as simulator:
        yield simulator


@pytest.fixture
async def replica(database_url: str, pool: Pool, sim: Simulator) -> AsyncIterator[InProcessReplica]:
    async with open_replica(database_url, pool, sim.url) as replica:
        yield replica
