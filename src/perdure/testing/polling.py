"""Waiting for what another process does. Within a process a test has a clock and signals; it does not need this."""

import time
from collections.abc import Callable
from datetime import timedelta

_LOOK_AGAIN = 0.02


def eventually(holds: Callable[[], bool], what: str, *, within: timedelta = timedelta(seconds=20)) -> None:
    """Wait until it holds. Fails, saying what, when it takes too long."""
    deadline = time.monotonic() + within.total_seconds()
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within.total_seconds():.0f} s: {what}")
        time.sleep(_LOOK_AGAIN)
