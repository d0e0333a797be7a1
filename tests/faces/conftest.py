"""A replica whose chats are reached with OpenAI's own client."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from openai import AsyncOpenAI

from perdure.access.actor import Role
from perdure.access.credentials import TOKEN_PREFIX, digest, mint
from perdure.core.ids import ChatId
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


@dataclass(frozen=True, slots=True)
class Cast:
    """A chat of Ada's, shared with Bob, foreign to everybody else. All by their tokens."""

    chat_id: ChatId
    ada: str
    bob: str
    stranger: str
    elsewhere: str
    url: str


@pytest.fixture
async def cast(replica: InProcessReplica, url: str) -> Cast:
    pool = replica.pool
    chat_id = await replica.someone_asks("[[say:Hello.]]")
    await replica.comes_to_rest(chat_id)
    other = await pool.fetchval("INSERT INTO organisations (name) VALUES ('Elsewhere') RETURNING id")

    async def person(name: str, organisation: object = replica.organisation) -> tuple[object, str]:
        user = await pool.fetchval(
            "INSERT INTO users (organisation_id, email, name, role) VALUES ($1, $2, $2, $3) RETURNING id",
            organisation,
            f"{name}@example.com",
            Role.MEMBER.value,
        )
        return user, await minted(pool, user, "admin")

    bob, bobs = await person("bob")
    await pool.execute("INSERT INTO chat_shares (chat_id, user_id) VALUES ($1, $2)", chat_id, bob)
    return Cast(
        chat_id=chat_id,
        ada=await minted(pool, replica.user, "chat"),
        bob=bobs,
        stranger=(await person("eve"))[1],
        elsewhere=(await person("zoe", other))[1],
        url=url,
    )
