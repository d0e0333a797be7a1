"""The place for the disk limit: measured while commands run, and ended by stopping what fills the disk."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal

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
            room = self._most - self.used()
            free = self._free()
            while self._processes.running():
                if free - self._free() >= room:
                    room, free = self._most - self.used(), self._free()
                    if room < 0:
                        await self._stop()
                await asyncio.sleep(DISK_CHECK_SECONDS)

    def used(self) -> int:
        roots = {self._places.tree, self._places.home}
        return sum(_measure(root) for root in roots)

    async def _stop(self) -> None:
        for process in self._processes.running():
            process.over_disk = True
            await self._processes.signal(process.id, signal.SIGKILL, 0.0)

    def _free(self) -> int:
        status = os.statvfs(self._places.tree)
        return status.f_bfree * status.f_frsize


def _measure(directory: str) -> int:
    total = 0
    queue = [directory]
    while queue:
        # What disappears while it is measured counts nothing.
        with contextlib.suppress(OSError), os.scandir(queue.pop()) as entries:
            for entry in entries:
                total += entry.stat(follow_symlinks=False).st_blocks * 512
                if entry.is_dir(follow_symlinks=False):
                    queue.append(entry.path)
    return total
