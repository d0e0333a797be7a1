"""The place for giving several files new content at once: all of them, or none and nothing left beside them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Sequence
from typing import NamedTuple

from perdure.workspaces.agent.places import Place
from perdure.workspaces.agent.problems import Problem, of_os_error, refused

NAME_DIGITS = 16


class NotUndone(Exception):
    """Something failed in the middle, and so did taking back what was done: some files are new, some are not."""


class Swap(NamedTuple):
    """A file that gets new content, or goes where there is none. `shown` is its path as people write it."""

    place: Place
    content: bytes | None
    shown: str
    run: str

    @property
    def _fresh(self) -> str:
        return self._beside("new")

    @property
    def _kept(self) -> str:
        return self._beside("old")

    def _beside(self, kind: str) -> str:
        """A name in the same directory that fits where the file's own only just does, and is found after a crash."""
        digest = hashlib.sha256(os.fsencode(self.place.name)).hexdigest()[:NAME_DIGITS]
        return f".{digest}.{self.run}.{kind}"

    def prepare(self) -> None:
        """Put the new content and the present file beside the file, synced: what follows needs no room on the disk."""
        status = self.place.status()
        if status is not None and not stat.S_ISREG(status.st_mode):
            raise refused("not_a_file", f"{self.shown} exists and is not a regular file")
        if status is not None and not status.st_mode & 0o222:
            message = f"{self.shown} is write-protected; make it writable with chmod first"
            raise Problem(403, "permission_denied", message)
        if self.content is not None and not self._is_prepared():
            self._write(self._fresh, self.content, status)
        if status is not None:
            self._keep(status)

    def take_place(self) -> None:
        directory = self.place.directory
        if self.content is None:
            os.unlink(self.place.name, dir_fd=directory)
        else:
            os.rename(self._fresh, self.place.name, src_dir_fd=directory, dst_dir_fd=directory)

    def give_back(self) -> None:
        directory = self.place.directory
        try:
            os.rename(self._kept, self.place.name, src_dir_fd=directory, dst_dir_fd=directory)
        except FileNotFoundError:
            # Nothing was kept, so nothing was there.
            os.unlink(self.place.name, dir_fd=directory)

    def clear(self) -> None:
        """Leave nothing beside the file. What cannot be taken away at once is tried a second time."""
        for name in (self._fresh, self._kept) * 2:
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=self.place.directory)

    def sync(self) -> None:
        os.fsync(self.place.directory)

    def _is_prepared(self) -> bool:
        """Whether an earlier try got as far as this and was cut off then."""
        try:
            descriptor = self.place._replace(name=self._fresh).open(os.O_RDONLY)
        except FileNotFoundError:
            return False
        with os.fdopen(descriptor, "rb") as file:
            os.fsync(file.fileno())
            return file.read() == self.content

    def _keep(self, status: os.stat_result) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._kept, dir_fd=self.place.directory)
        directory = self.place.directory
        try:
            os.link(self.place.name, self._kept, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
        except OSError:
            # Some file systems have no second names, and a mounted file can have none beside it.
            with os.fdopen(self.place.open(os.O_RDONLY), "rb") as file:
                self._write(self._kept, file.read(), status)

    def _write(self, name: str, content: bytes, status: os.stat_result | None) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(name, flags, 0o666, dir_fd=self.place.directory), "wb") as file:
            # First the mode: content that is complete has it, also when a crash comes in between.
            if status is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(status.st_mode))
            file.write(content)
            file.flush()
            os.fsync(file.fileno())


def swap_all(swaps: Sequence[Swap]) -> None:
    """Give every file its new content. What fails is told of the file that it failed at, and nothing has changed."""
    done: list[Swap] = []
    current = swaps[0] if swaps else None
    try:
        for current in swaps:
            current.prepare()
        for current in swaps:
            current.take_place()
            done.append(current)
        for current in swaps:
            current.sync()
    except OSError as error:
        _take_back(done)
        raise of_os_error(error, current.shown if current else "") from error
    finally:
        for swap in swaps:
            swap.clear()


def _take_back(done: list[Swap]) -> None:
    try:
        for swap in reversed(done):
            swap.give_back()
            swap.sync()
    except OSError as error:
        raise NotUndone(f"{done[0].shown}: {error.strerror}") from error
