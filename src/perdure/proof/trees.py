"""Trees of chats under fire: parents that wait for twenty agents each, while replicas die and agents are stopped."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TypeVar
from uuid import UUID

import aiohttp
import asyncpg
import msgspec
from msgspec import Struct

from perdure.client import ApiError, Client
from perdure.core.message import AnyPart, ToolResult
from perdure.proof.balancer import Balancer
from perdure.proof.evidence import sql
from perdure.proof.fleet import Fleet, Member, fleet
from perdure.proof.processes import SERVE

AGENTS = 20
AT_ONCE = 12
"""Trees that grow at the same time."""
STOPPED_AGENTS, STOPPED_PARENTS = 0.1, 0.1
AT_REST = ("waiting", "error")
PATIENCE = 120.0
_LOOK_AGAIN = 0.1
_parts = msgspec.json.Decoder(tuple[AnyPart, ...])


class WaitedAgent(Struct, frozen=True):
    """What a wait said about one agent."""

    id: str
    status: str
    timed_out: bool = False


class WaitResult(Struct, frozen=True):
    agents: tuple[WaitedAgent, ...]


@dataclass(slots=True)
class Tree:
    """One parent, what was done to it, and what was found wrong with it."""

    number: int
    root: UUID | None = None
    parent_stopped: bool = False
    agents_stopped: int = 0
    wrong: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True, kw_only=True)
class TreesReport:
    """How a run went."""

    seed: int
    seconds: float
    trees: tuple[Tree, ...]
    kills: int
    standing: Mapping[str, int]
    """How agents ended, as their parents heard it."""

    @property
    def wrong(self) -> list[str]:
        return [f"tree {tree.number} ({tree.root}): {text}" for tree in self.trees for text in tree.wrong]


@dataclass(frozen=True, slots=True, kw_only=True)
class TreesSetup:
    """What trees grow on: a database with tokens in it, and how to start a replica."""

    database_url: str
    tokens: Sequence[str]
    folder: Path
    program: Sequence[str] = SERVE


class TreesTest:
    """Grows trees on a fleet whose replicas are killed all the while."""

    def __init__(self, setup: TreesSetup, *, replicas: int, trees: int, seed: int, patience: float = PATIENCE) -> None:
        self._setup = setup
        self._replicas = replicas
        self._patience = patience
        self._dice = Random(f"{seed} trees")
        self._seed = seed
        self._trees = [Tree(number) for number in range(trees)]
        self._kills = 0
        self._growing = asyncio.Event()
        self._standing = Counter[str]()

    async def run(self, progress: Callable[[str], None]) -> TreesReport:
        begun = time.monotonic()
        async with AsyncExitStack() as stack:
            setup = self._setup
            replicas = await stack.enter_async_context(
                fleet(setup.database_url, setup.folder, self._replicas, setup.program)
            )
            balancer = await stack.enter_async_context(
                Balancer(replicas.urls, Random(f"{self._seed} balancer")).running()
            )
            clients = [await stack.enter_async_context(Client(balancer.url, token=token)) for token in setup.tokens]
            async with self._killing(replicas):
                await self._grow(clients, progress)
            await replicas.heal()
            await self._check()
        return TreesReport(
            seed=self._seed,
            seconds=time.monotonic() - begun,
            trees=tuple(self._trees),
            kills=self._kills,
            standing=self._standing,
        )

    @asynccontextmanager
    async def _killing(self, replicas: Fleet) -> AsyncGenerator[None]:
        task = asyncio.create_task(self._kill(replicas))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait({task})

    async def _kill(self, replicas: Fleet) -> None:
        """One replica after the other, at any moment, as long as another is left; each comes up again by itself.

        The first falls as soon as a tree grows: a few trees may be done before a moment has passed.
        """
        await self._growing.wait()
        async with asyncio.TaskGroup() as comebacks:
            while True:
                up = [member for member in replicas.members if member.up]
                if len(up) > 1:
                    comebacks.create_task(self._kill_one(self._dice.choice(up)))
                await asyncio.sleep(self._dice.uniform(0.5, 3.0))

    async def _kill_one(self, member: Member) -> None:
        async with member.lock:
            await member.kill()
            self._kills += 1
            await member.back()

    async def _grow(self, clients: Sequence[Client], progress: Callable[[str], None]) -> None:
        places = asyncio.Semaphore(AT_ONCE)
        grown = 0

        async def one(tree: Tree) -> None:
            nonlocal grown
            async with places:
                await self._tree(clients[tree.number % len(clients)], tree)
            grown += 1
            progress(f"{grown} of {len(self._trees)} trees, {self._kills} kills")

        await asyncio.gather(*(one(tree) for tree in self._trees))

    async def _tree(self, client: Client, tree: Tree) -> None:
        chat = await _surely(lambda: client.chats.create(f"Ask {AGENTS} agents to look around."))
        tree.root = chat.id
        self._growing.set()
        dice = Random(f"{self._seed} {tree.number}")
        meddling = asyncio.create_task(self._meddle(client, tree, dice))
        try:
            async with asyncio.timeout(self._patience):
                while (await _surely(lambda: client.chats.get(chat.id))).card.status not in AT_REST:  # noqa: ASYNC110
                    await asyncio.sleep(_LOOK_AGAIN)
        except TimeoutError:
            tree.wrong.append(f"the parent is not at rest after {self._patience:.0f} s")
        finally:
            meddling.cancel()
            await asyncio.wait({meddling})

    async def _meddle(self, client: Client, tree: Tree, dice: Random) -> None:
        """Stop agents, or the parent, while they work."""
        assert tree.root is not None
        root = tree.root
        stops_parent = dice.random() < STOPPED_PARENTS
        doomed = sum(dice.random() < STOPPED_AGENTS for _ in range(AGENTS))
        while stops_parent or tree.agents_stopped < doomed:
            await asyncio.sleep(dice.uniform(0.1, 0.4))
            with suppress(ApiError, aiohttp.ClientError):
                parent = await client.chats.get(root)
                if stops_parent and dice.random() < 0.2:
                    await parent.interrupt()
                    tree.parent_stopped = True
                    return
                running = [child for child in await parent.agents() if child.status == "running"]
                if running and tree.agents_stopped < doomed:
                    await (await client.chats.get(dice.choice(running).id)).interrupt()
                    tree.agents_stopped += 1

    async def _check(self) -> None:
        """What the database says about every tree, once everything is healed and at rest."""
        connection = await asyncpg.connect(self._setup.database_url)
        try:
            await self._settled(connection)
            for tree in self._trees:
                if tree.root is not None:
                    tree.wrong += await self._wrong(connection, tree)
        finally:
            await connection.close()

    async def _settled(self, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(min(60, self._patience)):
                while await connection.fetchval(sql("restless")):  # noqa: ASYNC110
                    await asyncio.sleep(_LOOK_AGAIN)

    async def _wrong(self, connection: "asyncpg.Connection[asyncpg.Record]", tree: Tree) -> list[str]:
        chats = await connection.fetch(sql("tree"), tree.root)
        root, agents = chats[0], chats[1:]
        wrong = [f"{chat['id']} is {chat['status']}" for chat in chats if chat["status"] != "waiting"]
        wrong += [f"{chat['id']} is owned at rest" for chat in chats if chat["owned"]]
        if root["cost"] != root["paid"] or any(agent["cost"] != agent["paid"] for agent in agents):
            wrong.append("a card's cost is not what its answers cost")
        rows = await connection.fetch(sql("heard"), tree.root)
        results = [part for row in rows for part in _parts.decode(row["parts"]) if isinstance(part, ToolResult)]
        return wrong if tree.parent_stopped else wrong + self._unheard(results, [str(agent["id"]) for agent in agents])

    def _unheard(self, results: Sequence[ToolResult], agents: Sequence[str]) -> list[str]:
        """What a parent that was left alone did not hear, or heard too late."""
        waits = [msgspec.json.decode(part.result, type=WaitResult) for part in results if not part.is_error]
        last = {agent.id: agent for wait in waits for agent in wait.agents}
        self._standing.update(agent.status for agent in last.values())
        wrong = [f"agent {one} was never heard of at rest" for one in agents if _unfinished(last.get(one))]
        if len(agents) != AGENTS:
            wrong.append(f"it has {len(agents)} agents, not {AGENTS}")
        if any(agent.timed_out for wait in waits for agent in wait.agents):
            wrong.append("a wait ran out: its wake-up was lost")
        return wrong + [f"a wait failed: {part.result}" for part in results if part.is_error]


T = TypeVar("T")


async def _surely(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask until somebody answers: the replica that was asked may be dead."""
    while True:
        with suppress(aiohttp.ClientError, OSError, TimeoutError):
            return await ask()
        await asyncio.sleep(_LOOK_AGAIN)


def _unfinished(heard: WaitedAgent | None) -> bool:
    return heard is None or heard.status in ("running", "needs_user")
