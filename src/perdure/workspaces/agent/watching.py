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

    def touch(self) -> None:
        self._changed.set()

    async def now(self) -> Snapshot:
        snapshot = await self._compute()
        content = json.dumps(snapshot, sort_keys=True).encode("utf-8", "surrogatepass")
        return {"hash": hashlib.sha256(content).hexdigest(), **snapshot}

    async def when_not(self, known: str, seconds: float) -> Snapshot:
        """The present snapshot, as soon as it is not the known one or when the time is over."""
        deadline = time.monotonic() + min(seconds, WAIT_MOST_SECONDS)
        async with self._lock:
            snapshot = await self.now()
            while snapshot["hash"] == known and time.monotonic() < deadline:
                await self._pause(deadline - time.monotonic())
                snapshot = await self.now()
        return snapshot

    async def _pause(self, most: float) -> None:
        self._changed.clear()
        try:
            await asyncio.wait_for(self._changed.wait(), min(most, LOOK_AGAIN_SECONDS))
            await asyncio.sleep(DEBOUNCE_SECONDS)
        except asyncio.TimeoutError:
            pass
