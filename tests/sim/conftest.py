"""The simulator and the vendors' own SDKs, pointed at it."""

from collections.abc import AsyncIterator

import pytest
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI

from perdure.sim.server import Simulator

KEY = "sk-canary-0123456789"


@pytest.fixture
async def sim() -> AsyncIterator[Simulator]:
    async with Simulator() as simulator:
        yield simulator


@pytest.fixture
async def anthropic(sim: Simulator) -> AsyncIterator[AsyncAnthropic]:
    async with AsyncAnthropic(base_url=sim.url, api_key=KEY, max_retries=0) as client:
        yield client


@pytest.fixture
async def openai(sim: Simulator) -> AsyncIterator[AsyncOpenAI]:
    async with AsyncOpenAI(base_url=f"{sim.url}/v1", api_key=KEY, max_retries=0) as client:
        yield client
