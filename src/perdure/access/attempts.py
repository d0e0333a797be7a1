"""How often somebody may try: a window of tries per key, in the memory of this replica."""

import math
from collections import deque
from datetime import timedelta

from perdure.core.clock import Clock
from perdure.core.errors import RateLimited

# Beyond this many keys those whose window has passed are dropped.
CAPACITY = 10_000


class Attempts:
    """At most so many tries per key and window."""

    def __init__(self, clock: Clock, *, limit: int, window: timedelta) -> None:
        self._clock = clock
        self._limit = limit
        self._window = window.total_seconds()
        self._tries: dict[str, deque[float]] = {}

    def count(self, key: str) -> None:
        """Count one more try, or refuse it."""
        now = self._clock.monotonic()
        tries = self._tries.setdefault(key, deque())
        while tries and tries[0] <= now - self._window:
            tries.popleft()
        if len(tries) >= self._limit:
            raise RateLimited(math.ceil(tries[0] + self._window - now))
        tries.append(now)
        if len(self._tries) > CAPACITY:
            self._tries = {key: tries for key, tries in self._tries.items() if tries[-1] > now - self._window}

    def forgive(self, key: str) -> None:
        """The right one came: earlier tries do not count."""
        self._tries.pop(key, None)
