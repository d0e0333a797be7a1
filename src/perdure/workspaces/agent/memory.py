"""The place for memory pressure: who the kernel should end first, and whether it ended someone."""

from __future__ import annotations

import contextlib
import os


class Memory:
    """Holds open, from before the agent hides itself, the two files that hiding would close."""

    def __init__(self, events: int | None) -> None:
        self._events = events
        self._score = os.open("/proc/self/oom_score_adj", os.O_RDWR | os.O_CLOEXEC)
        self._own = os.pread(self._score, 16, 0).strip() or b"0"

    def kills(self) -> int:
        """How often the kernel ended a process here for want of memory, where a control group counts it."""
        if self._events is None:
            return 0
        for line in os.pread(self._events, 4096, 0).split(b"\n"):
            name, _, value = line.partition(b" ")
            if name == b"oom_kill":
                return int(value)
        return 0

    def offer_children(self) -> None:
        """Children started from now on are ended before the agent is."""
        self._set(b"1000")

    def protect_itself(self) -> None:
        self._set(self._own)

    def _set(self, value: bytes) -> None:
        # A kernel that refuses leaves the order to the sizes of the processes.
        with contextlib.suppress(OSError):
            os.pwrite(self._score, value, 0)
