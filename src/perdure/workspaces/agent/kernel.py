"""The place for the few Linux calls that the standard library does not offer."""

from __future__ import annotations

import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NAME = 15
PR_SET_CHILD_SUBREAPER = 36


def _prctl(option: int, value: int) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(option, value, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def adopt_orphans() -> None:
    """Descendants whose parent dies become children of this process, not of init."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def hide_memory() -> None:
    """Nobody of the same user may trace this process, read its memory or take its descriptors."""
    _prctl(PR_SET_DUMPABLE, 0)


def name_process(name: str) -> None:
    ctypes.CDLL(None).prctl(PR_SET_NAME, ctypes.c_char_p(name.encode()), 0, 0, 0)


def die_with(parent: int) -> None:
    """End when the parent does, so that two never write the same."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(70)


def sync_file_system(descriptor: int) -> None:
    """Have everything on the file system of an open file survive a power cut."""
    ctypes.CDLL(None).syncfs(descriptor)
