"""The simulator and the vendors' own SDKs, pointed at it."""

import base64
from collections.abc import AsyncIterator

import pytest
from anthropic import AsyncAnthropic
from google.genai import Client, types
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


@pytest.fixture
async def gemini(sim: Simulator) -> AsyncIterator[Client]:
    client = Client(api_key=KEY, http_options=types.HttpOptions(base_url=sim.url))
    async with client.aio:
        yield client


@pytest.fixture
def png() -> str:
    """One white pixel."""
    return "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP6DwABBQECz6AuzQAAAABJRU5ErkJggg=="


@pytest.fixture
def pdf() -> str:
    """The beginning of a document."""
    return base64.b64encode(b"%PDF-1.4\n%%EOF\n").decode()
