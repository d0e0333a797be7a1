"""Replica processes that may be killed, stopped and started again, each with its own way to the database."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from urllib.parse import urlsplit, urlunsplit

from perdure.proof.processes import Launch, Replica, spawned, started
from perdure.proof.proxy import Proxy

STARTS = 5


@dataclass(slots=True)
class Member:
    """One place in the fleet. The process in it comes and goes; name and database user stay."""

    name: str
    proxy: Proxy
    folder: Path
    program: Sequence[str]
    supervises: bool = False
    """Whether it is a supervisor with several processes."""
    launch: Launch = spawned
    replica: Replica | None = None
    paused: bool = False
    leaving: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by whoever does something to the process."""

    @property
    def up(self) -> bool:
        return self.replica is not None and self.replica.alive and not self.leaving

    @property
    def answers(self) -> bool:
        """Whether a request to it is answered soon."""
        return self.up and not self.paused and not self.lock.locked()

    async def start(self) -> None:
        self.paused = self.leaving = False
        self.replica = await started(
            self.proxy.url,
            self.folder,
            name=self.name,
            program=self.program,
            launch=self.launch,
            supervises=self.supervises,
        )

    async def kill(self) -> None:
        if self.replica is not None:
            self.paused = False
            await self.replica.end()

    def kill_one(self, dice: Random) -> None:
        """Kill one of the processes of a supervisor, which starts another."""
        if self.replica is not None and (pids := self.replica.supervised()):
            with suppress(ProcessLookupError):
                os.kill(dice.choice(pids), signal.SIGKILL)

    async def back(self) -> None:
        """Have a process in it, unless there is one: one that does not come up is started again, as a service is."""
        for _ in range(STARTS):
            if self.up:
                return
            with suppress(RuntimeError):
                await self.start()

    def pause(self) -> None:
        if self.replica is not None and self.up:
            self.paused = True
            self.replica.pause()

    def resume(self) -> None:
        if self.replica is not None and self.paused:
            self.paused = False
            self.replica.resume()

    async def leave(self) -> None:
        """Shut down in good order, within reason."""
        if self.replica is None or not self.replica.alive:
            return
        self.leaving = True
        try:
            async with asyncio.timeout(30):
                await self.replica.stop()
        except TimeoutError:
            await self.replica.end()


def as_user(url: str, user: str) -> str:
    """The same database for another database user."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{user}@{host}"))


class Fleet:
    """All members."""

    def __init__(self, members: Sequence[Member]) -> None:
        self.members = tuple(members)

    def urls(self) -> list[str]:
        """Where replicas answer now."""
        return [member.replica.url for member in self.members if member.up and member.replica is not None]

    async def heal(self) -> None:
        """Everybody up, every way open."""
        for member in self.members:
            member.proxy.deaf = False
            member.resume()
        await asyncio.gather(*(member.back() for member in self.members))


@dataclass(frozen=True, slots=True)
class ReplicaProgram:
    """What every replica runs, and how it is started."""

    arguments: Sequence[str]
    processes: int = 1
    launch: Launch = spawned

    def fleet(self, url: str, folder: Path, count: int, ledger: str) -> AbstractAsyncContextManager[Fleet]:
        """So many replicas that act on this ledger."""
        several = (str(self.processes),) if self.processes > 1 else ()
        program = (*self.arguments, ledger, *several)
        return fleet(url, folder, count, program, supervises=bool(several), launch=self.launch)


@asynccontextmanager
async def fleet(
    database_url: str,
    folder: Path,
    count: int,
    program: Sequence[str],
    *,
    supervises: bool = False,
    launch: Launch = spawned,
) -> AsyncGenerator[Fleet]:
    """So many replicas on one database. Its users `replica_0`, `replica_1`, … must be there."""
    members: list[Member] = []
    for number in range(count):
        name = f"replica_{number}"
        members.append(Member(name, Proxy(as_user(database_url, name)), folder, program, supervises, launch))
    async with _proxies(members):
        try:
            await asyncio.gather(*(member.start() for member in members))
            yield Fleet(members)
        finally:
            await asyncio.gather(*(member.kill() for member in members))


@asynccontextmanager
async def _proxies(members: Sequence[Member]) -> AsyncGenerator[None]:
    if not members:
        yield
        return
    async with members[0].proxy.running(), _proxies(members[1:]):
        yield
