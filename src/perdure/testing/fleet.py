"""Several real replicas on one database, a simulator, and somebody who uses them over HTTP."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeAlias

import aiohttp

from perdure.access.credentials import TOKEN_PREFIX, digest, mint
from perdure.access.signing_in import first_account
from perdure.config.demo import offer_demo
from perdure.core.timing import LEASE
from perdure.proof.processes import SERVE, Replica, replica
from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.testing.forking import forked
from perdure.testing.pgbouncer import environment as told_of_pooler
from perdure.testing.served_api import Person
from perdure.testing.workspace_folder import workspace_folder

PATIENCE = 60
Starting: TypeAlias = Coroutine[Any, Any, Replica]
AT_REST = ("waiting", "error")
_IN_TRANSACTION = """
    SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
        AND backend_type = 'client backend' AND xact_start IS NOT NULL AND pid <> pg_backend_pid())
"""


class Fleet:
    """Replicas by number, and one person who talks to any of them."""

    def __init__(
        self, open_fleet: list[Replica], sim: Simulator, person: Person, pool: Pool, start: Callable[[int], Starting]
    ) -> None:
        self.replicas = open_fleet
        self.sim = sim
        self.person = person
        self.pool = pool
        self._start = start
        self._paused: list[Replica] = []

    async def leaves_to_first(self) -> None:
        """The others do nothing until one is dead.

        On a busy machine its lease may be renewed late. Who takes its chats then never comes to where it is to die.
        """
        self._paused = self.replicas[1:]
        async with asyncio.timeout(PATIENCE):
            while True:
                for each in self._paused:
                    each.pause()
                if not await self.pool.fetchval(_IN_TRANSACTION):
                    return
                # What is paused in the middle of a transaction would keep its locks.
                for each in self._paused:
                    each.resume()
                await asyncio.sleep(0.02)

    def at(self, number: int) -> Person:
        """The person, talking to this replica."""
        self.person.url = self.replicas[number].url
        return self.person

    async def ready(self) -> None:
        """Wait until every replica says that it may have traffic: then they hear each other."""
        async with asyncio.timeout(PATIENCE), aiohttp.ClientSession() as http:
            for each in self.replicas:
                while not await _ready(http, each):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)

    async def asks(self, number: int, text: str) -> str:
        said = await self.at(number).post("/chats", {"content": [{"type": "text", "text": text}]})
        assert said.status == 201, said.body
        return said.json["chat"]["id"]

    async def chat(self, number: int, chat_id: str) -> dict[str, Any]:
        return (await self.at(number).get(f"/chats/{chat_id}")).json["chat"]

    async def until(
        self, number: int, chat_id: str, condition: Callable[[dict[str, Any]], bool], *, within: float = PATIENCE
    ) -> dict[str, Any]:
        """Ask again and again, as there is no other way to hear from another process that was killed."""
        async with asyncio.timeout(within):
            while not condition(card := await self.chat(number, chat_id)):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
            return card

    async def comes_to_rest(self, number: int, chat_id: str, *, within: float = PATIENCE) -> dict[str, Any]:
        return await self.until(number, chat_id, lambda card: card["status"] in AT_REST, within=within)

    async def dies(self, number: int) -> None:
        """Kill this replica, and see to it that nobody has to wait for its lease to end."""
        self.replicas[number].kill()
        await self.is_dead(number)

    async def is_dead(self, number: int) -> None:
        """Once this replica has ended, others may take its chats: how long a lease lasts is shown elsewhere."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self.replicas[number].process.wait()
        except TimeoutError:
            raise AssertionError(f"it never came to its end: {self.replicas[number].log.read_text()}") from None
        while self._paused:
            self._paused.pop().resume()
        address = self.replicas[number].url.removeprefix("http://")
        await self.pool.execute(
            "UPDATE replicas SET seen_at = seen_at - $2::interval WHERE address = $1", address, LEASE
        )

    async def comes_back(self, number: int) -> None:
        """Another process takes the place of one that ended."""
        self.replicas[number] = await self._start(number)
        await self.ready()

    async def all_come_back(self) -> None:
        """Other processes take the place of all, which have ended."""
        self.replicas[:] = await asyncio.gather(*(self._start(number) for number in range(len(self.replicas))))
        await self.ready()

    async def numbers(self, number: int) -> str:
        """The page of numbers that this replica shows now."""
        async with aiohttp.ClientSession() as http, http.get(f"{self.replicas[number].url}/metrics") as page:
            return await page.text()

    async def said(self, number: int, chat_id: str) -> list[str]:
        page = (await self.at(number).get(f"/chats/{chat_id}/messages?after=0")).json
        return ["".join(part.get("text", part["type"]) for part in message["parts"]) for message in page["items"]]


async def _ready(http: aiohttp.ClientSession, replica: Replica) -> bool:
    async with http.get(f"{replica.url}/readyz") as answer:
        return answer.status == HTTPStatus.OK


@asynccontextmanager
async def open_fleet(
    database_url: str,
    pool: Pool,
    folder: Path,
    *,
    count: int = 2,
    first: Sequence[str] = SERVE,
    others: Sequence[str] = SERVE,
    environment: Mapping[str, str] | None = None,
) -> AsyncGenerator[Fleet]:
    """So many replicas, with a model that the simulator plays. `first` and `others` are what they run."""
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(workspace_folder(pool, folder / "workspaces"))
        sim = await stack.enter_async_context(Simulator(rate=None))
        account = await first_account(pool)
        await offer_demo(pool, account.organisation, sim.url)
        token = mint(TOKEN_PREFIX)
        await pool.execute(
            "INSERT INTO tokens (hash, user_id, name, hint, scopes) VALUES ($1, $2, 'test', '', '{admin}')",
            digest(token),
            account.owner,
        )

        def start(number: int) -> Starting:
            opened = replica(
                database_url,
                folder,
                name=f"replica-{number}",
                program=first if number == 0 else others,
                environment={**told_of_pooler(database_url), **(environment or {})},
                launch=forked,
            )
            return stack.enter_async_context(opened)

        async with asyncio.TaskGroup() as group:
            starting = [group.create_task(start(number)) for number in range(count)]
        started = [each.result() for each in starting]
        person = Person(account.owner, account.organisation, started[0].url, token)
        await stack.enter_async_context(person)
        yield Fleet(started, sim, person, pool, start)
