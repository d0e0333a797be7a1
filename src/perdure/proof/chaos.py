"""The chaos test: people, a nemesis and a checker around a fleet of replicas."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from random import Random
from uuid import UUID

import asyncpg

from perdure.client import Client
from perdure.core.timing import LEASE
from perdure.proof.book import Book, Wrong
from perdure.proof.checker import ALWAYS, AT_REST, HEALED, Case, violations
from perdure.proof.evidence import Evidence, gathered
from perdure.proof.fleet import Fleet, fleet
from perdure.proof.front import Front
from perdure.proof.ledger import Ledger, Performed
from perdure.proof.nemesis import Nemesis, plan
from perdure.proof.people import Person

FAILOVER_BAR = LEASE + timedelta(seconds=2)
REST_BAR = timedelta(minutes=1)
CHATS_EACH = 4
LOOK_PERIOD = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a run stands on: a database with tokens in it, a simulator, and how to start a replica."""

    database_url: str
    simulator_url: str
    tokens: Sequence[str]
    folder: Path
    program: Callable[[str], Sequence[str]]
    """What a replica runs, given where the ledger is."""
    restart_postgres: Callable[[bool], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a run went."""

    seed: int
    seconds: float
    book: Book
    evidence: Evidence
    effects: tuple[Performed, ...]
    wrong: tuple[Wrong, ...]
    failovers: tuple[float, ...]
    rested_after: float | None
    timeline: tuple[str, ...] = field(default=())

    @property
    def met(self) -> bool:
        return not self.wrong and self.rested_after is not None and self.failover(0.99) < FAILOVER_BAR.total_seconds()

    def failover(self, share: float) -> float:
        ordered = sorted(self.failovers)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


class Chaos:
    """One run."""

    def __init__(self, ground: Ground, *, replicas: int, length: timedelta, seed: int) -> None:
        self._ground = ground
        self._replicas = replicas
        self._length = length
        self._seed = seed
        self.book = Book()
        self._ledger = Ledger(Random(f"{seed} ledger"))
        self._people: list[Person] = []

    async def run(self, progress: Callable[[str], None], *, stop_at: AbstractSet[int] = frozenset()) -> Outcome:
        """Break things for as long as was asked, or until one of the rules in `stop_at` is seen broken."""
        begun = time.monotonic()
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._ledger.running())
            program = self._ground.program(self._ledger.url)
            progress(f"starting {self._replicas} replicas")
            replicas = await stack.enter_async_context(
                fleet(self._ground.database_url, self._ground.folder, self._replicas, program)
            )
            front = await stack.enter_async_context(Front(replicas.urls, Random(f"{self._seed} front")).running())
            nemesis = self._nemesis(replicas, front)
            async with self._people_at(front.url):
                if await self._storm(nemesis, progress, stop_at):
                    rested, rules = None, ALWAYS
                else:
                    rested, rules = await self._healed(nemesis, progress), HEALED
                evidence = await gathered(self._ground.database_url)
        wrong = (*self.book.wrong, *violations(self._case(evidence), rules))
        return Outcome(
            seed=self._seed,
            seconds=time.monotonic() - begun,
            book=self.book,
            evidence=evidence,
            effects=tuple(self._ledger.performed),
            wrong=tuple(dict.fromkeys(wrong)),
            failovers=tuple(self._failovers()),
            rested_after=rested,
        )

    async def _healed(self, nemesis: Nemesis, progress: Callable[[str], None]) -> float | None:
        """Seconds until all chats were at rest, once nothing went wrong any more."""
        progress("healing")
        await nemesis.heal()
        rested = await self._rest()
        progress("checking")
        await self._caught_up()
        return rested

    def _nemesis(self, replicas: Fleet, front: Front) -> Nemesis:
        return Nemesis(
            fleet=replicas,
            front=front,
            database_url=self._ground.database_url,
            simulator_url=self._ground.simulator_url,
            book=self.book,
            seed=self._seed,
            restart_postgres=self._ground.restart_postgres,
            stop=self._stop,
            under_way=self._ledger.under_way,
        )

    async def _stop(self, chat_id: UUID) -> None:
        for person in self._people:
            if person.chat_id == chat_id:
                await person.stop()

    @asynccontextmanager
    async def _people_at(self, url: str) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            for number, token in enumerate(self._ground.tokens):
                client = await stack.enter_async_context(Client(url, token=token))
                for chat in range(CHATS_EACH):
                    self._people.append(Person(client, f"p{number}{chat}", seed=str(self._seed), book=self.book))
            try:
                yield
            finally:
                await asyncio.gather(*(person.leave() for person in self._people))

    async def _storm(self, nemesis: Nemesis, progress: Callable[[str], None], stop_at: AbstractSet[int]) -> bool:
        """People act and things break, for as long as was asked, or until something is found: whether it was."""
        strikes = plan(self._seed, self._replicas, self._length)
        acting = [asyncio.create_task(person.run()) for person in self._people]
        striking = asyncio.create_task(nemesis.run(strikes))
        until = time.monotonic() + self._length.total_seconds()
        try:
            while (left := until - time.monotonic()) > 0:
                await asyncio.wait({striking}, timeout=min(LOOK_PERIOD, left))
                if striking.done():
                    await striking
                progress(f"{left:.0f} s left, {len(self.book.operations)} operations, {len(self.book.faults)} faults")
                if stop_at and await self._found(stop_at):
                    return True
            return False
        finally:
            await _ended([striking, *acting])

    async def _found(self, rules: AbstractSet[int]) -> bool:
        try:
            case = self._case(await gathered(self._ground.database_url))
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
            return False
        self.book.wrong += violations(case, ALWAYS)
        return any(wrong.rule in rules for wrong in self.book.wrong)

    def _case(self, evidence: Evidence) -> Case:
        witnesses = [witness for person in self._people for witness in person.witnesses]
        return Case(self.book, evidence, self._ledger.performed, witnesses)

    async def _rest(self) -> float | None:
        """Seconds until every chat is at rest, with people who answer what they are asked and nothing else."""
        begun = time.monotonic()
        tidying = [asyncio.create_task(person.tidy()) for person in self._people]
        try:
            while time.monotonic() - begun < REST_BAR.total_seconds():
                await asyncio.sleep(0.25)
                if await self._all_at_rest():
                    return time.monotonic() - begun
            return None
        finally:
            await _ended(tidying)

    async def _all_at_rest(self) -> bool:
        evidence = await gathered(self._ground.database_url)
        return all(chat.status in AT_REST and not chat.owned for chat in evidence.chats)

    async def _caught_up(self) -> None:
        """Give the streams as long as a slow poll takes."""
        evidence = await gathered(self._ground.database_url)
        newest: dict[UUID, int] = {}
        for message in evidence.messages:
            if not message.hidden and message.visibility != "model" and message.role != "system":
                newest[message.chat_id] = message.number
        until = time.monotonic() + 15
        witnesses = [witness for person in self._people for witness in person.witnesses]
        while time.monotonic() < until:
            if all((w.messages[-1].number if w.messages else 0) == newest.get(w.chat_id, 0) for w in witnesses):
                return
            await asyncio.sleep(0.1)

    def _failovers(self) -> list[float]:
        """Seconds from each kill to the next thing that a client of the chat heard of it."""
        heard: dict[UUID, list[float]] = {}
        for person in self._people:
            for witness in person.witnesses:
                heard.setdefault(witness.chat_id, []).extend(witness.heard_at)
        found: list[float] = []
        for chat_id, at in self.book.watched:
            after = [moment for moment in heard.get(chat_id, ()) if moment > at + 0.1]
            if after:
                found.append(min(after) - at)
        return found


async def _ended(tasks: Sequence["asyncio.Task[None]"]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    for task in tasks:
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error
