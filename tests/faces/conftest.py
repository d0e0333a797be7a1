"""A replica whose chats are reached with OpenAI's own client."""

from collections.abc import AsyncIterator

import pytest
from openai import AsyncOpenAI

from perdure.access.credentials import TOKEN_PREFIX, digest, mint
from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.testing.replica import InProcessReplica, open_replica
from perdure.testing.served_api import listening
from perdure.tools.builtin import BUILTIN_TOOLS


@pytest.fixture
async def sim() -> AsyncIterator[Simulator]:
    async with Simulator(rate=None) as sim:
        yield sim


@pytest.fixture
async def replica(database_url: str, pool: Pool, sim: Simulator) -> AsyncIterator[InProcessReplica]:
    async with open_replica(database_url, pool, sim.url) as replica:
        replica.tools.tools = BUILTIN_TOOLS
        await replica.offers()
        yield replica


async def minted(pool: Pool, user: object, scope: str = "chat") -> str:
    """A token of somebody's."""
    token = mint(TOKEN_PREFIX)
    await pool.execute(
        "INSERT INTO tokens (hash, user_id, name, hint, scopes) VALUES ($1, $2, 'test', '', $3)",
        digest(token),
        user,
        [scope],
    )
    return token


@pytest.fixture
async def url(replica: InProcessReplica) -> AsyncIterator[str]:
    async with listening(replica.replica.asgi) as url:
        yield url


@pytest.fixture
async def openai(replica: InProcessReplica, url: str) -> AsyncIterator[AsyncOpenAI]:
    token = await minted(replica.pool, replica.user)
    async with AsyncOpenAI(base_url=f"{url}/v1", api_key=token, max_retries=0) as client:
        yield client
