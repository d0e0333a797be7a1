"""Connections at hand: the pool's own check-out costs more than a small statement does."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

from asyncpg import InterfaceError, Record
from asyncpg.pool import PoolConnectionProxy

Connection: TypeAlias = "PoolConnectionProxy[Record]"

# How long a connection that nobody uses stays at hand, and how long a broken one may take to go.
KEPT = 1.0
RELEASE_PATIENCE = 1
UNTOUCHED = 2


class ConnectionSource(Protocol):
    """A pool that connections are borrowed from."""

    @property
    def longest_wait(self) -> float | None:
        """Since when, on the loop's clock, somebody waits for a connection of its own."""
        ...

    async def lend(self, timeout: float, /) -> Any: ...
    async def release(self, connection: Any, *, timeout: float | None = None) -> None: ...
    def when_renewed(self, follower: Callable[[], None], /) -> None: ...


class Connections:
    """Borrows connections of a pool and hands them from one statement to the next while there is work.

    A part of the pool is never borrowed: whoever needs a connection for several statements gets one of those.
    """

    def __init__(self, pool: ConnectionSource, *, size: int, timeout: float) -> None:
        self._pool = pool
        self._timeout = timeout
        self._limit = max(1, size - UNTOUCHED)
        self._idle: list[Connection] = []
        self._waiting: deque[tuple[float, asyncio.Future[Connection | None]]] = deque()
        """Who waits, and since when."""
        self._borrowed = 0
        self._unused = 0
        self._tidying: asyncio.TimerHandle | None = None
        self._releasing = set[asyncio.Task[None]]()
        self._held = set[Connection]()
        self._stale = set[Connection]()
        """In use since before the pool was renewed: they go when their statement is done."""
        self._closing = False
        pool.when_renewed(self._give_back)

    @property
    def waiting(self) -> int:
        """How many wait for a connection."""
        return len(self._waiting)

    async def ask(self, how: str, sql: str, values: Sequence[object], timeout: float | None) -> Any:
        """One statement, by the driver's method of this name."""
        connection = self._at_hand() or await self._take(timeout)
        try:
            answer = await getattr(connection, how)(sql, *values, timeout=timeout)
        except BaseException:
            # A statement that timed out or was cancelled leaves a connection that nobody else should wait for.
            self._release(connection)
            raise
        self._give(connection)
        return answer

    def _at_hand(self) -> "Connection | None":
        """One that nobody uses. The driver takes those back whose server closed them, also while they are here."""
        while self._idle:
            connection = self._idle.pop()
            if _alive(connection):
                return connection
            self._release(connection)
        return None

    async def _take(self, timeout: float | None) -> Connection:
        patience = self._timeout if timeout is None else min(timeout, self._timeout)
        if self._borrowed < self._limit:
            return await self._borrow(patience)
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[Connection | None] = loop.create_future()
        self._waiting.append((loop.time(), turn))
        end = loop.call_later(patience, _end_waiting, turn)
        try:
            given = await turn
        except asyncio.CancelledError:
            # What was waited for may have come at the very moment when its taker went.
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._pass_on(turn.result())
            raise
        finally:
            end.cancel()
        return given or await self._borrow(patience)

    async def _borrow(self, patience: float) -> Connection:
        self._borrowed += 1
        try:
            connection = await self._pool.lend(patience)
        except BaseException:
            self._returned()
            raise
        self._held.add(connection)
        return connection

    def _give(self, connection: Connection) -> None:
        if self._closing or not _alive(connection) or connection in self._stale or self._others_first():
            self._release(connection)
        elif (turn := self._next()) is not None:
            turn.set_result(connection)
        else:
            self._idle.append(connection)
            if self._tidying is None:
                self._unused = 0
                self._tidying = asyncio.get_running_loop().call_later(KEPT, self._tidy)
            self._unused = min(self._unused, len(self._idle) - 1)

    def _pass_on(self, given: "Connection | None") -> None:
        if given is not None:
            self._give(given)
        elif self._borrowed < self._limit and (turn := self._next()) is not None:
            turn.set_result(None)

    def _next(self) -> "asyncio.Future[Connection | None] | None":
        while self._waiting:
            _, turn = self._waiting.popleft()
            if not turn.done():
                return turn
        return None

    def _others_first(self) -> bool:
        """Whether somebody who takes connections of the pool itself waits longer than everybody here."""
        since = self._pool.longest_wait
        return since is not None and (not self._waiting or since < self._waiting[0][0])

    def make_room(self) -> None:
        """Give one back that nobody uses: somebody waits for a connection of its own."""
        if self._idle:
            self._release(self._idle.pop(0))

    def close(self) -> None:
        """Keep no connection any more."""
        self._closing = True
        self._give_back()

    def _give_back(self) -> None:
        """Keep none of the connections of now: they lead to a server that takes no writes."""
        self._stale |= self._held.difference(self._idle)
        idle, self._idle = self._idle, []
        for connection in idle:
            self._release(connection)

    def _tidy(self) -> None:
        """Give back what was not needed since the last look."""
        self._tidying = None
        for connection in self._idle[: self._unused]:
            self._release(connection)
        self._idle = self._idle[self._unused :]
        self._unused = len(self._idle)
        if self._idle:
            self._tidying = asyncio.get_running_loop().call_later(KEPT, self._tidy)

    def _release(self, connection: Connection) -> None:
        self._held.discard(connection)
        self._stale.discard(connection)
        task = asyncio.ensure_future(self._pool.release(connection, timeout=RELEASE_PATIENCE))
        self._releasing.add(task)
        task.add_done_callback(self._released)

    def _released(self, task: "asyncio.Task[None]") -> None:
        # Not before: whoever borrowed in its place would wait for the very connection that is on its way back.
        self._returned()
        self._releasing.discard(task)
        if not task.cancelled():
            # The pool closes a connection that does not come back in order; nothing is left to be done about it.
            task.exception()

    def _returned(self) -> None:
        self._borrowed -= 1
        if (turn := self._next()) is not None:
            turn.set_result(None)


def _alive(connection: Connection) -> bool:
    try:
        return not connection.is_closed()
    except InterfaceError:
        return False


def _end_waiting(turn: "asyncio.Future[Connection | None]") -> None:
    if not turn.done():
        turn.set_exception(TimeoutError("No connection was free in time."))
