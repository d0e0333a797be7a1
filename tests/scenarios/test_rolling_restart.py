"""Two replicas are replaced one after the other while people talk to them. Nobody notices."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from perdure.client import Client
from perdure.core.chat import Status
from perdure.core.message import Role
from perdure.proof.processes import Replica, replica
from perdure.store.pool import Pool
from perdure.testing.balancer import Balancer
from perdure.testing.fleet import Fleet, open_fleet
from perdure.testing.polling import seen

PEOPLE = 8
ASKED = "[[rate:80]] [[say:40 tokens]] [[call:recall]] [[say:20 tokens]]"
ANSWERS = [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]


async def talk(client: Client, enough: asyncio.Event) -> None:
    """Ask, follow the answer, ask again, until it is enough. Whatever goes wrong is raised."""
    chat = await client.chats.create(ASKED)
    while True:
        turn = await chat.answer()
        assert (turn.status, [message.role for message in turn.messages]) == (Status.WAITING, ANSWERS), turn
        if enough.is_set():
            return
        await chat.send(ASKED)


async def answered(pool: Pool, more: int) -> None:
    """Wait for so many answers more than there are, so that everybody is in the middle of something."""
    enough = more + await pool.fetchval("SELECT count(*) FROM messages WHERE role = 'assistant'")
    await seen(lambda: pool.fetchval("SELECT count(*) >= $1 FROM messages WHERE role = 'assistant'", enough))


async def replaced(fleet: Fleet, number: int, stack: AsyncExitStack, url: str, folder: Path) -> Replica:
    """Stop a replica in good order, and start another in its place."""
    assert await fleet.replicas[number].stop() == 0
    return await stack.enter_async_context(replica(url, folder, name=f"later-{number}"))


async def test_a_rolling_restart_shows_no_client_an_error(database_url: str, pool: Pool, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        fleet = await stack.enter_async_context(open_fleet(database_url, pool, tmp_path))
        balancer = await stack.enter_async_context(Balancer().running())
        balancer.replicas = [one.url for one in fleet.replicas]
        client = await stack.enter_async_context(Client(balancer.url, token=fleet.person.token))
        enough = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            for _ in range(PEOPLE):
                group.create_task(talk(client, enough))
            for number in range(2):
                await answered(pool, PEOPLE)
                fleet.replicas[number] = await replaced(fleet, number, stack, database_url, tmp_path)
                balancer.replicas[number] = fleet.replicas[number].url
            enough.set()
        owned = await pool.fetchval("SELECT count(*) FROM chats WHERE worker_id IS NOT NULL")
        errors = await pool.fetchval("SELECT count(*) FROM chats WHERE status <> 'waiting'")
        assert (owned, errors) == (0, 0)
