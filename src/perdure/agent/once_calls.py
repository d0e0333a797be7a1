"""Tool calls in flight that must not happen twice: what a shutdown waits for."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager


class OnceCalls:
    """Calls in flight that must not be repeated. A shutdown waits for them, and in the end starts no more."""

    def __init__(self) -> None:
        self.closing = False
        self._running = 0
        self._none = asyncio.Event()
        self._none.set()

    @property
    def holding(self) -> bool:
        return self._running > 0

    async def over(self) -> None:
        await self._none.wait()

    async def still_open(self) -> None:
        """Wait for good where no call may start any more: whoever takes over starts it."""
        if self.closing:
            await asyncio.Event().wait()

    @contextmanager
    def running(self) -> Generator[None]:
        self._running += 1
        self._none.clear()
        try:
            yield
        finally:
            self._running -= 1
            if not self._running:
                self._none.set()
