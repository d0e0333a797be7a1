"""The place for starting in the background where no supervisor does it: once, and away from whoever started it."""

from __future__ import annotations

import fcntl
import os
import socket
import time
from typing import Callable

READY_SECONDS = 20.0
LOOK_SECONDS = 0.02


def start_detached(path: str, log: str, serve: Callable[[], None]) -> bool:
    """Serve in a process of its own unless somebody serves at this socket already; true once it answers."""
    lock = os.open(path + ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _answers(path):
            _fork_away(path, log, serve)
        deadline = time.monotonic() + READY_SECONDS
        while not _answers(path):
            if time.monotonic() > deadline:
                return False
            time.sleep(LOOK_SECONDS)
        return True
    finally:
        os.close(lock)


def _answers(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except OSError:
            return False
    return True


def _fork_away(path: str, log: str, serve: Callable[[], None]) -> None:
    first = os.fork()
    if first:
        os.waitpid(first, 0)
        return
    try:
        os.setsid()
        if os.fork() == 0:
            _redirect(log)
            _note_pid(path + ".pid")
            serve()
    finally:
        os._exit(0)


def _redirect(log: str) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
    for target, source in enumerate((nothing, written, written)):
        os.dup2(source, target)
    os.closerange(3, 4096)


def _note_pid(path: str) -> None:
    """Who serves, and since when: a number alone may be another's after a while."""
    with open(path, "w") as file:
        file.write(f"{os.getpid()}\n{started(os.getpid())}\n")


def started(pid: int) -> str:
    """When a process was started, and in which life of the machine."""
    with open("/proc/sys/kernel/random/boot_id") as boot, open(f"/proc/{pid}/stat") as stat:
        return f"{boot.read().strip()} {stat.read().rpartition(')')[2].split()[19]}"
