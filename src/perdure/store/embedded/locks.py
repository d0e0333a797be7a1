"""Locks on files that the kernel gives back when their holder dies, however it dies."""

import fcntl
import os
import time
from datetime import timedelta
from pathlib import Path

from perdure.core.errors import Misconfigured
from perdure.core.timing import EMBEDDED_LOOK


class FileLock:
    """One lock on one file, held from its making until `release`."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def exclusive(path: Path, *, patience: timedelta) -> FileLock:
    return _wait(path, fcntl.LOCK_EX, patience)


def shared(path: Path, *, patience: timedelta) -> FileLock:
    return _wait(path, fcntl.LOCK_SH, patience)


def exclusive_when_free(path: Path) -> FileLock:
    """Wait for as long as it takes."""
    descriptor = _open(path)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    return FileLock(descriptor)


def exclusive_now(path: Path) -> FileLock | None:
    """The lock, unless somebody has it."""
    return _attempt(path, fcntl.LOCK_EX)


def _wait(path: Path, kind: int, patience: timedelta) -> FileLock:
    deadline = time.monotonic() + patience.total_seconds()
    while (lock := _attempt(path, kind)) is None:
        if time.monotonic() > deadline:
            raise Misconfigured(
                f"{path} is locked by another process. If no Perdure is starting or stopping there, end that process "
                "(lslocks names it), or set PERDURE_DATA_DIR to another directory."
            )
        time.sleep(EMBEDDED_LOOK.total_seconds())
    return lock


def _attempt(path: Path, kind: int) -> FileLock | None:
    descriptor = _open(path)
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        # The file may have been removed, with its directory, between the opening and the locking.
        if os.fstat(descriptor).st_ino == path.stat().st_ino:
            return FileLock(descriptor)
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(descriptor)
    return None


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
