"""A clock for turns that would take minutes."""

import asyncio
import time
from datetime import UTC, datetime, timedelta


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
