"""Clocks for turns that would take minutes, and for what must not happen to fall into two months."""

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from perdure.core.timing import SystemClock, Timer


class HurriedClock:
    """Time passes so many times faster than it does outside."""

    def __init__(self, factor: float = 1000) -> None:
        self._factor = factor
        self._began = time.monotonic()
        self._epoch = datetime.now(UTC)

    def now(self) -> datetime:
        return self._epoch + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        return (time.monotonic() - self._began) * self._factor

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / self._factor)

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        return asyncio.get_running_loop().call_later(seconds / self._factor, callback)


class MidMonthClock(SystemClock):
    """The machine's clock, but for its date: in the middle of a month that is over, whenever the test runs."""

    def __init__(self) -> None:
        self._began = self.monotonic()

    def now(self) -> datetime:
        return datetime(2026, 6, 15, tzinfo=UTC) + timedelta(seconds=self.monotonic() - self._began)
