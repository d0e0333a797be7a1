"""Control groups, version 1 or 2, where this host lets us make them: one limit for a whole workspace."""

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from perdure.core.timing import CONTROL_GROUP_EMPTY, CONTROL_GROUP_LOOK
from perdure.workspaces.driver import Limits

MOUNT = Path("/sys/fs/cgroup")
PARENT = "perdure"
AGENT_PROCESSES = 16


@dataclass(frozen=True, slots=True)
class Group:
    """The directories a workspace's first process joins, and the file that counts kills for want of memory."""

    directories: tuple[Path, ...] = ()
    events: Path | None = None

    @property
    def limits_memory(self) -> bool:
        return self.events is not None

    @property
    def limits_processes(self) -> bool:
        return any((directory / "pids.max").exists() for directory in self.directories)

    def remove(self) -> None:
        """Kill what is left inside and delete the group."""
        deadline = time.monotonic() + CONTROL_GROUP_EMPTY.total_seconds()
        while any(self._kill(directory) for directory in self.directories) and time.monotonic() < deadline:
            time.sleep(CONTROL_GROUP_LOOK.total_seconds())
        for directory in self.directories:
            with contextlib.suppress(OSError):
                directory.rmdir()

    def _kill(self, directory: Path) -> bool:
        with contextlib.suppress(OSError):
            pids = [int(pid) for pid in (directory / "cgroup.procs").read_text().split()]
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            return bool(pids)
        return False


def prepare(name: str, limits: Limits) -> Group:
    """A group with these limits; an empty one where the host does not let us, and resource limits must do."""
    try:
        return _unified(name, limits) if (MOUNT / "cgroup.controllers").exists() else _separate(name, limits)
    except OSError:
        return Group()


def available() -> str:
    """Which control groups we may use here, in words; nothing where we may not."""
    group = prepare(f"probe-{os.getpid()}", Limits())
    group.remove()
    return f"version {2 if len(group.directories) == 1 else 1}" if group.directories else ""


def existing(name: str) -> Group:
    """The group a workspace had, to be removed."""
    places = [MOUNT / PARENT / name, *(MOUNT / controller / PARENT / name for controller in ("memory", "pids"))]
    return Group(tuple(place for place in places if place.is_dir()))


def _unified(name: str, limits: Limits) -> Group:
    parent = MOUNT / PARENT
    parent.mkdir(exist_ok=True)
    (parent / "cgroup.subtree_control").write_text("+memory +pids")
    directory = parent / name
    directory.mkdir(exist_ok=True)
    (directory / "memory.max").write_text(str(limits.memory_bytes))
    with contextlib.suppress(OSError):
        (directory / "memory.swap.max").write_text("0")
    (directory / "pids.max").write_text(str(limits.processes + AGENT_PROCESSES))
    return Group((directory,), directory / "memory.events")


def _separate(name: str, limits: Limits) -> Group:
    memory, pids = (MOUNT / controller / PARENT / name for controller in ("memory", "pids"))
    for directory in (memory, pids):
        directory.mkdir(parents=True, exist_ok=True)
    (memory / "memory.limit_in_bytes").write_text(str(limits.memory_bytes))
    with contextlib.suppress(OSError):
        (memory / "memory.memsw.limit_in_bytes").write_text(str(limits.memory_bytes))
    (pids / "pids.max").write_text(str(limits.processes + AGENT_PROCESSES))
    return Group((memory, pids), memory / "memory.oom_control")
