"""What is remembered of rows for a short while, so that reading them again costs nothing."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from datetime import timedelta
from typing import Generic, TypeVar

from perdure.core.timing import Clock

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

# Beyond this many entries the oldest go first.
CAPACITY = 10_000


@dataclass(frozen=True, slots=True)
class _Entry(Generic[V]):
    value: V
    until: float


class Cache(Generic[K, V]):
    """Loads a value once for all who ask at the same time, and keeps it until its time is over or it is forgotten.

    Absence is a value like any other. Every forgetting starts a new generation; a load that began in an older one is
    handed to those who wait for it and not kept, so that a slow load cannot overwrite what is newer.
    """

    def __init__(self, load: Callable[[K], Awaitable[V]], *, kept: timedelta, clock: Clock) -> None:
        self._load = load
        self._kept = kept.total_seconds()
        self._clock = clock
        self._entries: dict[K, _Entry[V]] = {}
        self._loading: dict[K, asyncio.Task[V]] = {}
        self._generation = 0
        self.hits = 0
        self.loads = 0

    async def get(self, key: K) -> V:
        entry = self._entries.get(key)
        if entry is not None and entry.until > self._clock.monotonic():
            self.hits += 1
            return entry.value
        loading = self._loading.get(key)
        if loading is None:
            self.loads += 1
            loading = self._loading[key] = asyncio.create_task(self._fill(key, self._generation))
        # Shielded: one caller that gives up does not take the answer from the others.
        return await asyncio.shield(loading)

    def forget(self, matches: Callable[[K], bool] = lambda _: True) -> None:
        """Drop what matches, also what is being loaded right now."""
        self._generation += 1
        for key in [key for key in self._entries if matches(key)]:
            del self._entries[key]
        for key in [key for key in self._loading if matches(key)]:
            del self._loading[key]

    async def _fill(self, key: K, generation: int) -> V:
        try:
            value = await self._load(key)
            if generation == self._generation:
                self._keep(key, value)
            return value
        finally:
            if self._loading.get(key) is asyncio.current_task():
                del self._loading[key]

    def _keep(self, key: K, value: V) -> None:
        self._entries.pop(key, None)
        if len(self._entries) >= CAPACITY:
            del self._entries[next(iter(self._entries))]
        self._entries[key] = _Entry(value, self._clock.monotonic() + self._kept)
