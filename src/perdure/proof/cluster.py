"""A database of several servers, of which another one takes writes when it is told to, and how replicas follow."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

import asyncpg

from perdure.core.timing import LEASE, UNSERVED
from perdure.proof.evidence import ChangeRow, SwitchoverRow, sql

SWITCH_OVER, FAIL_OVER = "switch over postgres", "fail over postgres"
MOVES_PER_MINUTE = 3.0
HOSTS_BAR, PROXY_BAR = timedelta(seconds=1), timedelta(seconds=3)
LATE = timedelta(seconds=1.5)
"""After which an address follows. The old primary is back by then, and takes no writes."""
PATRONI_MOVES_PER_MINUTE = 2.0
PATRONI_LATE = timedelta(seconds=5)
"""A new leader's commits wait until Patroni has named another synchronous standby."""
CRASHES = 1 / 3
"""So many of Patroni's moves are a leader that dies; the others are in good order."""
WATCHED = timedelta(seconds=2)
"""How long it is watched who still uses a server that takes no writes, once nobody may."""
STUCK = LEASE + UNSERVED
"""No state in which the database takes writes and a replica cannot write lasts longer."""
_LOOK_AGAIN = 0.01
_ONE_AND_THE_NEXT = 2
_LOOKED = 1.0
"""Seconds between two looks whether a replica runs."""
_AWAY = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)


class Cluster(Protocol):
    """Servers, each of which can take over from another."""

    @property
    def url(self) -> str:
        """All of them, for whoever looks on."""
        ...

    @property
    def replica_url(self) -> str:
        """What replicas are told."""
        ...

    @property
    def servers(self) -> Sequence[str]:
        """Each of them alone."""
        ...

    async def move(self, *, crash: bool) -> None:
        """Have another server take writes: in good order, or because the one that did dies."""
        ...

    async def repair(self) -> None:
        """Bring back what is gone, and wait until commits wait for it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowingBar:
    """How often the database must have moved, and how soon after each move something is committed."""

    moves_per_minute: float
    longest: timedelta | None
    """For 99 of 100, counted from when the new server took a write. None where it is only shown."""
    late: timedelta = timedelta(0)
    """How much later the address of the database leads there."""
    crashes: float | None = None
    """How many of the moves are crashes, where that is not left to chance."""


@dataclass(frozen=True, slots=True)
class Stray:
    """A replica that uses a server that takes no writes, long after another one does."""

    name: str
    at: float


class Moves:
    """The moves of one run, one after the other."""

    def __init__(self, cluster: Cluster, bar: FollowingBar) -> None:
        self.cluster = cluster
        self.bar = bar
        self.strays = list[Stray]()
        self._moving = set[asyncio.Task[None]]()
        self._turn = asyncio.Lock()
        self._over = False
        self._made = 0
        self._crashes = 0

    async def move(self, crash: bool) -> None:
        """Move, and mend, once the move before is over; but only one waits for that.

        Whoever is tired of waiting does not leave it half done.
        """
        if len(self._moving) == _ONE_AND_THE_NEXT:
            return
        task = asyncio.create_task(self._move(crash))
        self._moving.add(task)
        task.add_done_callback(self._moving.discard)
        await asyncio.shield(task)

    async def settled(self) -> None:
        """Wait until nothing moves, or will."""
        self._over = True
        await asyncio.gather(*self._moving)

    async def _move(self, crash: bool) -> None:
        async with self._turn:
            if not self._over:
                await self._move_now(self._is_crash(crash))

    async def _move_now(self, crash: bool) -> None:
        before = await self._timeline()
        noticing = asyncio.create_task(self._note_write(before, FAIL_OVER if crash else SWITCH_OVER))
        try:
            await self.cluster.move(crash=crash)
            await noticing
        finally:
            noticing.cancel()
        await self.cluster.repair()
        await asyncio.sleep(STUCK.total_seconds())
        await self._watch(time.time())

    def _is_crash(self, crash: bool) -> bool:
        """Whether this move is a crash: as was asked for, or whatever there were too few of."""
        if self.bar.crashes is not None:
            crash = self._crashes + 1 <= self.bar.crashes * (self._made + 1)
        self._made, self._crashes = self._made + 1, self._crashes + crash
        return crash

    async def _watch(self, since: float) -> None:
        """See who uses a server that takes no writes from now on."""
        await asyncio.sleep(WATCHED.total_seconds())
        for url in self.cluster.servers:
            with suppress(*_AWAY, TimeoutError):
                self.strays += [each for each in await _readers(url) if each.at > since]

    async def _timeline(self) -> int:
        connection = await asyncpg.connect(self.cluster.url)
        try:
            return int(await connection.fetchval(sql("timeline")), 16)
        finally:
            await connection.close()

    async def _note_write(self, before: int, kind: str) -> None:
        """Write as soon as a server that took over takes it: what is written says when."""
        while not await self._written(before, kind):  # noqa: ASYNC110
            await asyncio.sleep(_LOOK_AGAIN)

    async def _written(self, before: int, kind: str) -> bool:
        try:
            connection = await asyncpg.connect(self.cluster.url, timeout=1)
        except (*_AWAY, TimeoutError):
            return False
        try:
            if int(await connection.fetchval(sql("timeline")), 16) == before:
                return False
            await connection.execute(sql("note_switchover"), kind)
        except _AWAY:
            return False
        finally:
            connection.terminate()
        return True


@dataclass(frozen=True, slots=True)
class Following:
    """One move, and the seconds from when the new server took a write to the next commit of a chat."""

    kind: str
    at: float
    seconds: float | None
    """None where nothing was committed any more."""


async def _readers(url: str) -> list[Stray]:
    connection = await asyncpg.connect(url, timeout=2)
    try:
        return [Stray(*row.values()) for row in await connection.fetch(sql("readers"))]
    finally:
        await connection.close()


def followings(
    switchovers: Sequence[SwitchoverRow], changes: Sequence[ChangeRow], unserved: Sequence[float] = ()
) -> tuple[Following, ...]:
    """All moves but those after which no replica ran for a moment: then nothing is committed anywhere."""
    moments = sorted(change.at for change in changes)
    found = [Following(each.kind, each.at, _next(moments, each.at)) for each in switchovers]
    return tuple([each for each in found if not _nobody(each, unserved)])


def _nobody(move: Following, unserved: Sequence[float]) -> bool:
    until = move.at + (STUCK.total_seconds() if move.seconds is None else move.seconds)
    return any(move.at - _LOOKED <= moment <= until + _LOOKED for moment in unserved)


def _next(moments: Sequence[float], after: float) -> float | None:
    return next((moment - after for moment in moments if moment > after), None)
