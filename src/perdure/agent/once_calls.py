"""Tool calls in flight that must not happen twice: what a shutdown waits for."""

import asyncio
from collections.abc import Callable, Generator
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
    def running(self) -> Generator[Callable[[], None]]:
        """While a call runs, or until it can be taken over: whoever makes it so calls what this yields."""
        held = True
        self._running += 1
        self._none.clear()

        def release() -> None:
            nonlocal held
            self._running -= held
            held = False
            if not self._running:
                self._none.set()

        try:
            yield release
        finally:
            release()
