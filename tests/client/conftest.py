"""A real replica with a model that the simulator plays."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from perdure.client import Client
from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(database_url, pool, tmp_path, count=1) as fleet:
        yield fleet


@pytest.fixture
async def client(fleet: Fleet) -> AsyncIterator[Client]:
    async with Client(fleet.replicas[0].url, token=fleet.person.token) as client:
        yield client
