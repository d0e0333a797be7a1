"""A clock that a test turns by hand."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from perdure.core.timing import Timer


class HandClock:
    """Time passes only when `pass_time` is called. Sleepers whose hour has come wake in order."""

    def __init__(self) -> None:
        self._now = 0.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def now(self) -> datetime:
        return datetime(2026, 11, 15, tzinfo=UTC) + timedelta(seconds=self._now)

    def monotonic(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        waking = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._now + seconds, waking))
        await waking

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        waking = asyncio.get_running_loop().create_future()
        waking.add_done_callback(lambda done: None if done.cancelled() else callback())
        self._sleepers.append((self._now + seconds, waking))
        return _Cancelled(waking)

    def pass_time(self, seconds: float) -> None:
        self._now += seconds
        due = [sleeper for sleeper in self._sleepers if sleeper[0] <= self._now]
        self._sleepers = [sleeper for sleeper in self._sleepers if sleeper[0] > self._now]
        for _, waking in sorted(due, key=lambda sleeper: sleeper[0]):
            if not waking.done():
                waking.set_result(None)


class _Cancelled:
    """Ends a wait whose time has not come."""

    def __init__(self, waking: "asyncio.Future[None]") -> None:
        self._waking = waking

    def cancel(self) -> None:
        self._waking.cancel()
