"""The place for looking at the whole tree: what is there, and what changed since somebody looked before."""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import os
import stat
import time
from collections.abc import Sequence
from typing import Protocol

from perdure.workspaces.agent.contents import RACY_NANOSECONDS, Read
from perdure.workspaces.agent.ignoring import GITIGNORE_BYTES, Ignoring
from perdure.workspaces.agent.kept import Changes, Index, Kept, Listed, shown
from perdure.workspaces.agent.problems import Problem

MOST_ENTRIES = 500_000
DEEPEST = 200
TRIES = 3
FORMAT = 0o170000
NAMED = 10
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK

Statuses = list[tuple[str, os.stat_result]]


class Reader(Protocol):
    """Takes what an open file holds."""

    def take(self, descriptor: int, size: int, known: Kept | None) -> Read: ...


class SkippedFiles:
    """What is not in a snapshot although nothing says to ignore it: how many there are, and the first few."""

    def __init__(self) -> None:
        self.told: dict[str, dict[str, object]] = {}
        self._counts: dict[str, int] = {}
        self._names: dict[str, list[str]] = {}

    def add(self, why: str, path: str) -> None:
        names = self._names.setdefault(why, [])
        self._counts[why] = self._counts.get(why, 0) + 1
        if len(names) < NAMED:
            names.append(shown(path))
        self.told[why] = {"count": self._counts[why], "paths": names}


class Scan:
    """One look. Folders are entered one by one through open descriptors, so that no link leads outside."""

    def __init__(self, before: Index, reader: Reader, setting: Sequence[str], *, same_setting: bool, most: int) -> None:
        self._before = before
        self._reader = reader
        self._same_setting = same_setting
        self._most = most
        self._gitignores: dict[str, bytes] = {}
        self._ignoring = Ignoring(self._gitignores.get, setting)
        self._count = 0
        self._left_here: list[tuple[str, str]] = []
        self.index: Index = {}
        self.changes: Changes = {}
        self.left_out = SkippedFiles()

    def run(self, tree: str) -> None:
        descriptor = os.open(tree, FOLDER)
        try:
            self._folder(descriptor, "", self._same_setting, 0)
        finally:
            os.close(descriptor)
        for folder in self._before.keys() - self.index.keys():
            self.changes.update((folder + name, None) for name in self._before[folder].entries())

    def _folder(self, descriptor: int, folder: str, trusted: bool, depth: int) -> None:
        statuses = _listed(descriptor)
        self._count += len(statuses)
        if self._count > MOST_ENTRIES:
            many = f"the workspace has more than {MOST_ENTRIES} files; name folders that need not go back in .gitignore"
            raise Problem(507, "too_many", many)
        known, digest = self._before.get(folder), _digest(statuses)
        rules = self._read_rules(descriptor, folder, statuses)
        if trusted and known is not None and known.digest == digest:
            listed = known
        else:
            before = known.entries() if known is not None else {}
            trusted = trusted and _same_rules(before.get(".gitignore"), rules)
            self._left_here = []
            kept = self._compared(descriptor, folder, trusted, before, statuses)
            listed = Listed.of(digest, kept, tuple(self._left_here))
        self.index[folder] = listed
        for why, name in listed.left_out:
            self.left_out.add(why, folder + name)
        for name in listed.below:
            self._below(descriptor, folder, name, trusted, depth)

    def _compared(
        self, descriptor: int, folder: str, trusted: bool, before: dict[str, Kept], statuses: Statuses
    ) -> dict[str, Kept]:
        """What of a folder is kept, each entry compared with what it was."""
        kept: dict[str, Kept] = {}
        for name, status in statuses:
            known = before.get(name)
            if trusted and known is not None and _unchanged(known, status):
                kept[name] = known
                continue
            is_folder = stat.S_ISDIR(status.st_mode)
            expected = trusted and known is not None and known.is_folder == is_folder
            if not expected and self._ignoring.ignores(folder, name, is_folder):
                continue
            entry = Kept(status.st_mode) if is_folder else self._entry(descriptor, folder + name, status, known)
            if entry is not None:
                kept[name] = entry
                if not entry.same(known):
                    self.changes[folder + name] = entry
        self.changes.update((folder + name, None) for name in before.keys() - kept.keys())
        return kept

    def _below(self, descriptor: int, folder: str, name: str, trusted: bool, depth: int) -> None:
        if depth >= DEEPEST:
            self.left_out.add("too_deep", folder + name)
            return
        try:
            inner = os.open(name, FOLDER, dir_fd=descriptor)
        except OSError:
            self.left_out.add("unreadable", folder + name)
            return
        try:
            self._folder(inner, f"{folder}{name}/", trusted, depth + 1)
        except PermissionError:
            self.left_out.add("unreadable", folder + name)
        finally:
            os.close(inner)

    def _read_rules(self, descriptor: int, folder: str, statuses: Statuses) -> os.stat_result | None:
        """Read what the folder's `.gitignore` says, where it has one that can be read."""
        status = next((status for name, status in statuses if name == ".gitignore"), None)
        if status is None or not stat.S_ISREG(status.st_mode):
            return None
        with contextlib.suppress(OSError):
            file = os.open(".gitignore", FILE, dir_fd=descriptor)
            try:
                self._gitignores[folder] = os.read(file, GITIGNORE_BYTES)
            finally:
                os.close(file)
        return status

    def _entry(self, descriptor: int, path: str, status: os.stat_result, known: Kept | None) -> Kept | None:
        name = path.rpartition("/")[2]
        try:
            if stat.S_ISLNK(status.st_mode):
                target = os.readlink(name, dir_fd=descriptor)
                return _described(status, Read(0, target))
            if stat.S_ISREG(status.st_mode):
                return self._file(descriptor, path, status, known)
        except FileNotFoundError:
            return None
        except OSError:
            self._left_here.append(("unreadable", name))
            return None
        self._left_here.append(("special", name))
        return None

    def _file(self, descriptor: int, path: str, status: os.stat_result, known: Kept | None) -> Kept | None:
        """What a file holds. One that changes while it is read is read again, and at last taken as it was read."""
        if min(status.st_blocks * 512, status.st_size) > self._most:
            self._left_here.append(("too_large", path.rpartition("/")[2]))
            return None
        file = os.open(path.rpartition("/")[2], FILE, dir_fd=descriptor)
        try:
            before, last = os.fstat(file), Read(0, "")
            for _ in range(TRIES):
                if not stat.S_ISREG(before.st_mode):
                    return None
                os.lseek(file, 0, os.SEEK_SET)
                last, after = self._reader.take(file, before.st_size, known), os.fstat(file)
                if _signature(after) == _signature(before) and last.size == before.st_size:
                    return _described(before, last)
                before = after
            self._left_here.append(("moving", path.rpartition("/")[2]))
            return Kept(before.st_mode, last.size, last.id, last.pack, last.offset)
        finally:
            os.close(file)


def _listed(descriptor: int) -> Statuses:
    """What is in a folder. What goes while somebody looks is not there."""
    found: Statuses = []
    with os.scandir(descriptor) as entries:
        for entry in entries:
            with contextlib.suppress(FileNotFoundError):
                found.append((entry.name, entry.stat(follow_symlinks=False)))
    return found


def _digest(statuses: Statuses) -> bytes:
    """The same as long as nothing in a folder was touched. Of folders in it only how they may be used counts."""
    rows = [
        (name, status.st_mode)
        if status.st_mode & FORMAT == stat.S_IFDIR
        else (name, status.st_mode, status.st_ctime_ns, status.st_mtime_ns, status.st_size, status.st_ino)
        for name, status in statuses
    ]
    return hashlib.blake2b(marshal.dumps(rows, 2), digest_size=16).digest()


def _same_rules(known: Kept | None, status: os.stat_result | None) -> bool:
    if known is None or status is None:
        return known is None and status is None
    return _unchanged(known, status)


def _unchanged(known: Kept, status: os.stat_result) -> bool:
    return (
        known.changed == status.st_ctime_ns
        and known.written == status.st_mtime_ns
        and known.size == status.st_size
        and known.inode == status.st_ino
        and known.mode == status.st_mode
    )


def _signature(status: os.stat_result) -> tuple[int, ...]:
    return status.st_ctime_ns, status.st_mtime_ns, status.st_size, status.st_ino


def _described(status: os.stat_result, read: Read) -> Kept:
    """An entry that is known again as long as nothing touches it; one that was just touched is not."""
    settled = status.st_ctime_ns < time.time_ns() - RACY_NANOSECONDS
    changed, written = status.st_ctime_ns if settled else 0, status.st_mtime_ns
    return Kept(status.st_mode, status.st_size, read.id, read.pack, read.offset, changed, written, status.st_ino)
