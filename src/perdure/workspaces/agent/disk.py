"""The place for the disk limit: measured while commands run, and ended by stopping what fills the disk."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Iterator

from perdure.workspaces.agent.limits import DISK_CHECK_SECONDS
from perdure.workspaces.agent.places import Places
from perdure.workspaces.agent.processes import Processes


class Disk:
    """A soft quota. The free space is cheap to ask for; the tree is measured only when it could be over."""

    def __init__(self, places: Places, processes: Processes, most: int) -> None:
        self._places = places
        self._processes = processes
        self._most = most
        self._awake = asyncio.Event()

    def wake(self) -> None:
        self._awake.set()

    async def run(self) -> None:
        while self._most:
            await self._awake.wait()
            self._awake.clear()
            room = self._most - await self.used()
            free = self._free()
            while self._processes.running():
                if free - self._free() >= room:
                    room, free = self._most - await self.used(), self._free()
                    if room < 0:
                        await self._stop()
                await asyncio.sleep(DISK_CHECK_SECONDS)

    async def used(self) -> int:
        """How much the files take. Others are answered between one directory and the next."""
        total = 0
        for root in {self._places.tree, self._places.home}:
            for size in _sizes(root):
                total += size
                await asyncio.sleep(0)
        return total

    async def _stop(self) -> None:
        for process in self._processes.running():
            process.over_disk = True
            await self._processes.signal(process.id, signal.SIGKILL, 0.0)

    def _free(self) -> int:
        status = os.statvfs(self._places.tree)
        return status.f_bfree * status.f_frsize


def _sizes(root: str) -> Iterator[int]:
    """What each directory holds itself. What disappears while it is measured counts nothing."""
    queue = [root]
    while queue:
        total = 0
        with contextlib.suppress(OSError), os.scandir(queue.pop()) as entries:
            for entry in entries:
                total += entry.stat(follow_symlinks=False).st_blocks * 512
                if entry.is_dir(follow_symlinks=False):
                    queue.append(entry.path)
        yield total
