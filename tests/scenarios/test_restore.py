"""A dump of the database, put into another one, is the deployment again: as docs/operate/back-up.md says."""

import asyncio
from pathlib import Path

from perdure.client import Client
from perdure.core.chat import Status
from perdure.core.events import MessagePart
from perdure.core.message import Role
from perdure.proof.processes import replica
from perdure.store.embedded.binaries import find_binaries
from perdure.store.pool import Pool
from perdure.testing.fleet import open_fleet
from perdure.testing.pgbouncer import direct
from perdure.testing.postgres import Databases

HALF = "[[say:4 tokens]] [[gate:open]] [[say:4 tokens]]"


async def ran(program: str, *arguments: str) -> None:
    """One of Postgres's own programs, to its good end."""
    process = await asyncio.create_subprocess_exec(
        find_binaries().program(program), *arguments, stderr=asyncio.subprocess.PIPE
    )
    _, said = await process.communicate()
    assert process.returncode == 0, said.decode()


async def test_what_was_dumped_in_the_middle_of_a_turn_goes_on_where_it_is_restored(
    databases: Databases, database_url: str, pool: Pool, tmp_path: Path
) -> None:
    dump = str(tmp_path / "perdure.dump")
    async with open_fleet(database_url, pool, tmp_path, count=1) as fleet, databases.fresh(migrated=False) as restored:
        async with Client(fleet.replicas[0].url, token=fleet.person.token) as client:
            chat = await client.chats.create("[[say:2 tokens]]")
            before = (await chat.answer()).messages
            await chat.send(HALF)
            events = aiter(chat.stream())
            async for event in events:
                if isinstance(event, MessagePart):
                    break
            await events.aclose()
            await ran("pg_dump", "--format=custom", f"--file={dump}", direct(database_url))
        await fleet.replicas[0].end()
        await fleet.sim.gates["open"].set(open=True)
        await ran("pg_restore", "--exit-on-error", f"--dbname={direct(restored)}", dump)
        async with (
            replica(restored, tmp_path, name="restored") as server,
            Client(server.url, token=fleet.person.token) as client,
        ):
            again = await client.chats.get(chat.id)
            turn = await again.answer()
            history = (await again.messages())[::-1]
    assert (turn.status, [message.role for message in turn.messages]) == (Status.WAITING, [Role.USER, Role.ASSISTANT])
    assert history[:2] == before
    assert len(history) == 4
