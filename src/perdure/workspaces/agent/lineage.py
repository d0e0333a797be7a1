"""The place for who descends from whom, and for ending a whole line of processes."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator


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
        pids = descendants(ancestor)
        if not pids:
            return True
        signal_all(pids, signal.SIGSTOP)
        signal_all(pids, signal.SIGKILL)
    return not descendants(ancestor)


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
