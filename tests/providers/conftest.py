"""The simulator, our client, and routes from one to the other."""

from collections.abc import AsyncIterator

import pytest

from perdure.core.timing import SystemClock
from perdure.providers.client import ProviderClient
from perdure.sim.server import Simulator


@pytest.fixture
async def sim() -> AsyncIterator[Simulator]:
    async with Simulator() as simulator:
        yield simulator


@pytest.fixture
async def client() -> AsyncIterator[ProviderClient]:
    async with ProviderClient(SystemClock()) as opened:
        yield opened
