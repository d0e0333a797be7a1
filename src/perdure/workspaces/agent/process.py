"""The place for one command: what it is started with, what is known about it, how it is reported."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from typing import Callable, NamedTuple

from perdure.workspaces.agent import guard, limits
from perdure.workspaces.agent.children import Children
from perdure.workspaces.agent.keys import Keys
from perdure.workspaces.agent.memory import Memory
from perdure.workspaces.agent.output import Output
from perdure.workspaces.agent.places import Places
from perdure.workspaces.agent.settings import Settings


class CommandContext(NamedTuple):
    """What every command shares."""

    settings: Settings
    places: Places
    children: Children
    keys: Keys
    incarnation: str
    changed: Callable[[], None]
    memory: Memory

    def launch(self, launch: guard.Launch) -> tuple[int, socket.socket]:
        """Start something under a guard, as the first to go when memory is short."""
        self.memory.offer_children()
        try:
            return guard.start(launch)
        finally:
            self.memory.protect_itself()


class Command:
    """One command and everything below it."""

    def __init__(self, command: str, key: str | None, run: str) -> None:
        self.id = run
        self.key = key
        self.command = command
        self.output = Output(limits.OUTPUT_HEAD_BYTES, limits.OUTPUT_TAIL_BYTES)
        self.started_at = time.time()
        self.started = time.monotonic()
        self.ended: float | None = None
        self.status = 0
        self.failure = ""
        self.out_of_memory = False
        self.over_disk = False
        self.quiet = asyncio.Event()
        self.exited = asyncio.Event()
        self.moved = asyncio.Event()
        self.signalled: float | None = None
        self.quiet_milliseconds: int | None = None
        self.guard = 0
        self.reports: socket.socket | None = None
        self.heard = bytearray()
        """What the guard said, as far as it is no whole line yet."""
        self.reading = -1
        self.memory_kills = 0
        self.recorded = key is None

    @property
    def closed(self) -> bool:
        return self.exited.is_set()

    def report(self, most: int = limits.ANSWER_BYTES) -> dict[str, object]:
        ended = self.ended if self.ended is not None else time.monotonic()
        code = os.waitstatus_to_exitcode(self.status) if self.exited.is_set() else None
        return {
            "id": self.id,
            "command": self.command,
            "state": "exited" if self.exited.is_set() else "running",
            "exit_code": code if code is not None and code >= 0 else None,
            "signal": signal.Signals(-code).name[3:] if code is not None and code < 0 else None,
            "failure": self.failure,
            "out_of_memory": self.out_of_memory,
            "over_disk": self.over_disk,
            "started_at": self.started_at,
            "duration_ms": int((ended - self.started) * 1000),
            "quiet": self.quiet.is_set(),
            "time_to_quiet_ms": self.quiet_milliseconds,
            **self.said(most),
        }

    def said(self, most: int) -> dict[str, object]:
        head, tail, omitted = self.output.ends(most)
        first, last = head.decode("utf-8", "replace"), tail.decode("utf-8", "replace")
        if omitted:
            first, last = first.rstrip("\ufffd"), last.lstrip("\ufffd")
        return {"head": first, "tail": last, "omitted_bytes": omitted, "total_bytes": self.output.total}

    def move(self) -> None:
        self.moved.set()
        self.moved = asyncio.Event()
