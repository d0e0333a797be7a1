"""The databases that chaos runs on: one server, or several that take over from each other."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from datetime import timedelta
from enum import StrEnum

from perdure.proof.cluster import (
    CRASHES,
    HOSTS_BAR,
    LATE,
    MOVES_PER_MINUTE,
    PATRONI_LATE,
    PATRONI_MOVES_PER_MINUTE,
    PROXY_BAR,
    FollowingBar,
    Moves,
)
from perdure.testing.late_proxy import LateProxy
from perdure.testing.patroni import patroni_cluster
from perdure.testing.postgres_pair import PostgresPair, postgres_pair


class PostgresKind(StrEnum):
    """What the database is."""

    ONE = "one"
    PAIR = "pair"
    PATRONI = "patroni"


class Reached(StrEnum):
    """How replicas are told where it is."""

    HOSTS = "hosts"
    PROXY = "proxy"


_BARS = {Reached.HOSTS: HOSTS_BAR, Reached.PROXY: PROXY_BAR}


class PairCluster:
    """A primary and its synchronous standby: by both addresses, or behind one that follows late."""

    def __init__(self, pair: PostgresPair, proxy: LateProxy | None, late: timedelta) -> None:
        self._pair = pair
        self._proxy = proxy
        self._late = late
        self._following: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        return self._pair.url

    @property
    def replica_url(self) -> str:
        return self._pair.url if self._proxy is None else self._proxy.url

    @property
    def servers(self) -> tuple[str, ...]:
        return self._pair.primary.url, self._pair.standby.url

    async def move(self, *, crash: bool) -> None:
        await self._pair.switch(crash=crash)
        self._following = asyncio.create_task(self._follow(self._pair.primary.port))

    async def repair(self) -> None:
        await self._pair.repair()
        if self._following is not None:
            await self._following

    async def _follow(self, port: int) -> None:
        if self._proxy is not None:
            await asyncio.sleep(self._late.total_seconds())
            self._proxy.target = port


@asynccontextmanager
async def pair_moves(reached: Reached, *, late: timedelta = LATE) -> AsyncGenerator[Moves]:
    """A pair that is moved, and gone at the end."""
    async with postgres_pair() as pair:
        proxy = LateProxy(pair.primary.port) if reached is Reached.PROXY else None
        async with proxy.running() if proxy is not None else nullcontext():
            late = late if proxy is not None else timedelta(0)
            bar = FollowingBar(moves_per_minute=MOVES_PER_MINUTE, longest=_BARS[reached], late=late)
            yield Moves(PairCluster(pair, proxy, late), bar)


@asynccontextmanager
async def patroni_moves(reached: Reached) -> AsyncGenerator[Moves]:
    """Three nodes that Patroni keeps, moved as it moves them, and gone at the end."""
    async with patroni_cluster(proxied=reached is Reached.PROXY) as cluster:
        bar = FollowingBar(moves_per_minute=PATRONI_MOVES_PER_MINUTE, longest=None, late=PATRONI_LATE, crashes=CRASHES)
        yield Moves(cluster, bar)


def cluster(kind: PostgresKind, reached: Reached) -> AbstractAsyncContextManager[Moves] | None:
    """Several servers that move; None for one that does not."""
    match kind:
        case PostgresKind.ONE:
            return None
        case PostgresKind.PAIR:
            return pair_moves(reached)
        case PostgresKind.PATRONI:
            return patroni_moves(reached)
