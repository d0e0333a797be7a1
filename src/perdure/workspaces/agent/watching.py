"""The place for long polls over something that is computed: answered when it differs from what the caller knows."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Awaitable
from typing import Callable

from perdure.workspaces.agent.limits import WAIT_MOST_SECONDS

DEBOUNCE_SECONDS = 0.3
LOOK_AGAIN_SECONDS = 3.0

Snapshot = dict[str, object]


class Watching:
    """Computes only while somebody waits: an idle workspace does nothing."""

    def __init__(self, compute: Callable[[], Awaitable[Snapshot]]) -> None:
        self._compute = compute
        self._changed = asyncio.Event()
        self._lock = asyncio.Lock()
        self._last: Snapshot = {}
        self._begun = -1.0

    def touch(self) -> None:
        self._changed.set()

    async def when_not(self, known: str, seconds: float) -> Snapshot:
        """The present snapshot, as soon as it is not the known one or when the time is over."""
        deadline = time.monotonic() + min(seconds, WAIT_MOST_SECONDS)
        snapshot = await self._now()
        while snapshot["hash"] == known and time.monotonic() < deadline:
            await self._pause(deadline - time.monotonic())
            snapshot = await self._now()
        return snapshot

    async def _now(self) -> Snapshot:
        """Computed once for all who ask at the same time."""
        asked = time.monotonic()
        async with self._lock:
            if self._begun < asked:
                self._begun = time.monotonic()
                snapshot = await self._compute()
                content = json.dumps(snapshot, sort_keys=True).encode("utf-8", "surrogatepass")
                self._last = {"hash": hashlib.sha256(content).hexdigest(), **snapshot}
            return self._last

    async def _pause(self, most: float) -> None:
        self._changed.clear()
        try:
            await asyncio.wait_for(self._changed.wait(), min(most, LOOK_AGAIN_SECONDS))
            await asyncio.sleep(DEBOUNCE_SECONDS)
        except asyncio.TimeoutError:
            pass
