"""Small mechanisms of services, each once: background tasks, intervals, backoff, and maps that do not grow."""

import asyncio
import logging
import random
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from datetime import timedelta
from typing import Any, Generic, TypeVar

from perdure.core.errors import PerdureError
from perdure.core.timing import Clock

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")


class BackgroundTasks:
    """Tasks that nobody waits for. What one of them did not expect is logged, under the name of what it was to do."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._tasks = set[asyncio.Task[Any]]()

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, work: Coroutine[Any, Any, T], what: str) -> "asyncio.Task[T]":
        task = asyncio.get_running_loop().create_task(work, name=what)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def settled(self) -> None:
        """Wait until none is under way."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    def cancel(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._log.error("%s failed", task.get_name(), exc_info=error)


class Shared(Generic[K, V]):
    """The same work at the same time is done once, for all who ask for it; whoever gives up takes it from nobody."""

    def __init__(self, work: Callable[[K], Awaitable[V]]) -> None:
        self._work = work
        self._under_way: dict[K, asyncio.Future[V]] = {}

    async def __call__(self, key: K) -> V:
        task = self._under_way.get(key)
        if task is None:
            task = self._under_way[key] = asyncio.ensure_future(self._work(key))
            task.add_done_callback(lambda _: self._under_way.pop(key))
        return await asyncio.shield(task)


class Uncancelled:
    """Work that nobody's cancellation reaches: whoever waits for it may go, and it is done all the same.

    `asyncio.shield` does the same for half as much again.
    """

    def __init__(self) -> None:
        self._tasks = set[asyncio.Task[None]]()

    async def wait(self, work: Coroutine[None, None, T]) -> T:
        """Do it, and wait for it. What it did not expect is told to the loop where nobody waits any more."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        task = loop.create_task(_tell(done, work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await done

    async def settled(self) -> None:
        """Wait until none is under way."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))


async def _tell(done: "asyncio.Future[T]", work: Coroutine[None, None, T]) -> None:
    """Do the work and tell the one who waits, if somebody still does."""
    try:
        result = await work
    except asyncio.CancelledError:
        done.cancel()
        raise
    except Exception as error:
        if not done.done():
            done.set_exception(error)
        elif not isinstance(error, PerdureError):
            raise
    else:
        if not done.done():
            done.set_result(result)


async def every(
    period: timedelta,
    work: Callable[[], Awaitable[object]],
    clock: Clock,
    *,
    expected: tuple[type[BaseException], ...] = (),
    report: Callable[[BaseException], object] = lambda _: None,
) -> None:
    """Do it a period from now, and a period after it was done, for ever. An expected failure is told, no more."""
    while True:
        await clock.sleep(period.total_seconds())
        try:
            await work()
        except expected as error:
            report(error)


class Backoff:
    """How long to wait before the next try: twice as long each time, up to a limit.

    With a spread of 0.3, a wait is up to 30 % shorter or longer: those who failed together do not come back together.
    """

    def __init__(self, first: timedelta, longest: timedelta, *, spread: float = 0) -> None:
        self._first = first
        self._spread = spread
        self._longest = longest
        self._next = first

    @property
    def next(self) -> timedelta:
        return self._next

    def reset(self) -> None:
        """It went well."""
        self._next = self._first

    async def wait(self, clock: Clock) -> None:
        delay, self._next = self._next, min(2 * self._next, self._longest)
        await clock.sleep(delay.total_seconds() * random.uniform(1 - self._spread, 1 + self._spread))


class BoundedMap(Generic[K, V]):
    """As many entries as there is room for: what was used longest ago goes first."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._entries = OrderedDict[K, V]()

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[K]:
        return iter(self._entries)

    def get(self, key: K) -> V | None:
        value = self._entries.get(key)
        if value is not None:
            self._entries.move_to_end(key)
        return value

    def keep(self, key: K, value: V) -> None:
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self._room:
            self._entries.popitem(last=False)

    def drop(self, key: K) -> V | None:
        return self._entries.pop(key, None)
