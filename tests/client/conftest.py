"""A real replica with a model that the simulator plays."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from perdure.client import Client
from perdure.store.pool import Pool
from perdure.testing.town import ReplicaTown, replicas


@pytest.fixture
async def town(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[ReplicaTown]:
    async with replicas(database_url, pool, tmp_path, count=1) as town:
        yield town


@pytest.fixture
async def client(town: ReplicaTown) -> AsyncIterator[Client]:
    async with Client(town.replicas[0].url, token=town.person.token) as client:
        yield client
