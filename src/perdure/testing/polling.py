"""Waiting for what another process does. Within a process a test has a clock and signals; it does not need this."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

T = TypeVar("T")
PATIENCE = timedelta(minutes=1)
"""Far longer than anything takes on a machine that is busy with other things."""
_LOOK_AGAIN = 0.02


def eventually(holds: Callable[[], bool], what: str, *, within: timedelta = PATIENCE) -> None:
    """Wait until it holds. Fails, saying what, when it takes too long."""
    deadline = time.monotonic() + within.total_seconds()
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within.total_seconds():.0f} s: {what}")
        time.sleep(_LOOK_AGAIN)


async def seen(look: Callable[[], Awaitable[T]], *, within: timedelta = PATIENCE, every: float = _LOOK_AGAIN) -> T:
    """What a look finds, as soon as it finds something. Raises TimeoutError when it takes too long."""
    async with asyncio.timeout(within.total_seconds()):
        while not (found := await look()):  # noqa: ASYNC110 - there is no signal between processes to wait for
            await asyncio.sleep(every)
        return found
