"""The place for who descends from whom, and for ending a whole line of processes."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator

CHASES = 50


def descendants(ancestor: int) -> list[int]:
    """Every living process below one, found by following parents."""
    children: dict[int, list[int]] = {}
    for pid, parent, state in _table():
        if state != "Z":
            children.setdefault(parent, []).append(pid)
    found: list[int] = []
    queue = [ancestor]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found


def signal_all(pids: list[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def kill_below(ancestor: int, rounds: int) -> bool:
    """Kill everything below one, again and again until nothing is left; stopped first so that it forks no more."""
    for _ in range(rounds):
        _chase(ancestor)
        pids = descendants(ancestor)
        if not pids:
            return True
        signal_all(pids, signal.SIGSTOP)
        signal_all(pids, signal.SIGKILL)
    return not descendants(ancestor)


def _chase(ancestor: int) -> None:
    """Strike at what the kernel names as children, which is quick enough for a line that moves by forking.

    Its members come to the ancestor as orphans. Reading the whole table takes longer than such a life lasts.
    """
    for _ in range(CHASES):
        try:
            with open(f"/proc/{ancestor}/task/{ancestor}/children", "rb") as file:
                pids = [int(word) for word in file.read().split()]
        except OSError:
            # The process is gone, or the kernel does not tell.
            return
        if not pids:
            return
        signal_all(pids, signal.SIGSTOP)
        signal_all(pids, signal.SIGKILL)


def _table() -> Iterator[tuple[int, int, str]]:
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                # The command's name may hold anything, also a closing parenthesis: the fields start after the last one.
                fields = file.read().rpartition(b")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        yield int(name), int(fields[1]), fields[0].decode()
