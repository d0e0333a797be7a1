"""Two replicas are replaced one after the other while people talk to them. Nobody notices."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.parse import urlsplit

from perdure.client import Client
from perdure.core.chat import Status
from perdure.core.message import Role
from perdure.proof.processes import SERVE, Replica, replica
from perdure.store.pool import Pool
from perdure.testing.balancer import Balancer
from perdure.testing.town import ReplicaTown, replicas

PEOPLE = 8
ASKED = "[[rate:80]] [[say:40 tokens]] [[call:recall]] [[say:20 tokens]]"
ANSWERS = [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]


async def talk(client: Client, enough: asyncio.Event) -> int:
    """Ask, follow the answer, ask again, until it is enough. Whatever goes wrong is raised. How many turns it were."""
    chat = await client.chats.create(ASKED)
    turns = 0
    while True:
        turn = await chat.answer()
        turns += 1
        assert (turn.status, [message.role for message in turn.messages]) == (Status.WAITING, ANSWERS), turn
        if enough.is_set():
            return turns
        await chat.send(ASKED)


async def replaced(town: ReplicaTown, number: int, stack: AsyncExitStack, url: str, folder: Path) -> Replica:
    """Stop a replica in good order, and start another in its place."""
    old = town.replicas[number]
    assert await old.stop() == 0
    program = (*SERVE[:-1], f"127.0.0.1:{urlsplit(old.url).port}")
    return await stack.enter_async_context(replica(url, folder, name=f"later-{number}", program=program))


async def test_a_rolling_restart_shows_no_client_an_error(database_url: str, pool: Pool, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        town = await stack.enter_async_context(replicas(database_url, pool, tmp_path))
        balancer = await stack.enter_async_context(Balancer().running())
        balancer.replicas = [one.url for one in town.replicas]
        client = await stack.enter_async_context(Client(balancer.url, token=town.person.token))
        enough = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            people = [group.create_task(talk(client, enough)) for _ in range(PEOPLE)]
            for number in range(2):
                town.replicas[number] = await replaced(town, number, stack, database_url, tmp_path)
            enough.set()
        assert all(person.result() > 1 for person in people)
        owned = await pool.fetchval("SELECT count(*) FROM chats WHERE worker_id IS NOT NULL")
        errors = await pool.fetchval("SELECT count(*) FROM chats WHERE status <> 'waiting'")
        assert (owned, errors) == (0, 0)
