"""The place for putting files back: one step for each path, safe to begin again after a kill."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Callable, NamedTuple

from perdure.workspaces.agent.contents import Contents, Hashing
from perdure.workspaces.agent.kept import Kept
from perdure.workspaces.agent.scanning import FILE, FOLDER

NAME_DIGITS = 16


class Step(NamedTuple):
    """One path: what is there, and what is to be there."""

    path: str
    was: Kept | None
    wanted: Kept | None

    def reversed(self) -> Step:
        return Step(self.path, self.wanted, self.was)


class Tree:
    """The workspace's tree, entered only through folders: no link on the way is followed."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._opened_up: dict[str, int] = {}

    @contextmanager
    def parent(self, path: str, *, writing: bool = False) -> Generator[tuple[int, str], None, None]:
        """The folder of a path, open, and its name there. A folder that may not be written is opened up for now."""
        *steps, name = path.split("/")
        descriptor = os.open(self._root, FOLDER)
        try:
            for step in steps:
                inner = os.open(step, FOLDER, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = inner
            mode = os.fstat(descriptor).st_mode
            if writing and mode & 0o300 != 0o300:
                os.fchmod(descriptor, stat.S_IMODE(mode) | 0o700)
                self._opened_up.setdefault("/".join(steps), stat.S_IMODE(mode))
            yield descriptor, name
        finally:
            os.close(descriptor)

    def close_again(self) -> None:
        """Give folders that were opened up the modes that they had."""
        for path, mode in self._opened_up.items():
            with contextlib.suppress(OSError), self.parent(path + "/.") as (folder, _):
                os.fchmod(folder, mode)
        self._opened_up = {}

    def look(self, path: str) -> Kept | None:
        """What is at a path now, whatever it is."""
        try:
            with self.parent(path) as (folder, name):
                return look_at(folder, name)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno == errno.ELOOP:
                return None
            raise

    def content(self, path: str, most: int) -> bytes:
        with self.parent(path) as (folder, name), os.fdopen(os.open(name, FILE, dir_fd=folder), "rb") as file:
            return file.read(most)


def look_at(folder: int, name: str) -> Kept | None:
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(status.st_mode):
        return Kept(status.st_mode, status.st_size, os.readlink(name, dir_fd=folder))
    if not stat.S_ISREG(status.st_mode):
        return Kept(status.st_mode)
    try:
        file = os.open(name, FILE, dir_fd=folder)
    except PermissionError:
        return Kept(status.st_mode, status.st_size, "unreadable")
    try:
        read = Hashing().take(file, status.st_size, None)
    finally:
        os.close(file)
    return Kept(status.st_mode, status.st_size, read.id)


class Rewinding:
    """Carries steps out. What is at a path neither as it was nor as it is to be, nor gone, is left alone and named."""

    def __init__(self, tree: Tree, contents: Contents, run: str) -> None:
        self._tree = tree
        self._contents = contents
        self._run = run
        self.left: list[str] = []

    def carry_out(self, steps: Iterable[Step]) -> None:
        """Files that go, then folders that go, then folders that come, then files; at last how folders may be used."""
        ordered = sorted(steps)
        try:
            self._each(ordered, lambda step: not _folder(step.was) and not _file(step.wanted), self._remove)
            self._each(ordered[::-1], lambda step: _folder(step.was) and not _folder(step.wanted), self._remove_folder)
            self._each(ordered, lambda step: _folder(step.wanted) and not _folder(step.was), self._make_folder)
            self._each(ordered, lambda step: _file(step.wanted), self._place)
            self._tree.close_again()
            self._each(ordered[::-1], lambda step: _folder(step.wanted), self._set_mode)
        finally:
            self._tree.close_again()

    def _each(
        self, steps: Iterable[Step], meant: Callable[[Step], bool], work: Callable[[Step, int, str], None]
    ) -> None:
        for step in steps:
            if meant(step):
                try:
                    with self._tree.parent(step.path, writing=True) as (folder, name):
                        work(step, folder, name)
                except (FileNotFoundError, NotADirectoryError):
                    # The folder is gone, and with it what was to go; what was to come cannot.
                    if step.wanted is not None:
                        self.left.append(step.path)

    def _ours(self, step: Step, folder: int, name: str) -> bool:
        """Whether a path is still as it was, or nothing is there: only then it is touched."""
        now = look_at(folder, name)
        if now is None or now.same(step.was):
            return True
        if not now.same(step.wanted):
            self.left.append(step.path)
        return False

    def _remove(self, step: Step, folder: int, name: str) -> None:
        self._clear(folder, name)
        if step.was is not None and self._ours(step, folder, name):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)

    def _remove_folder(self, step: Step, folder: int, name: str) -> None:
        """A folder that still holds something, as files that are ignored, stays."""
        try:
            os.rmdir(name, dir_fd=folder)
        except FileNotFoundError:
            pass
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise
            if step.wanted is not None:
                self.left.append(step.path)

    def _make_folder(self, step: Step, folder: int, name: str) -> None:  # noqa: ARG002
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=folder)

    def _set_mode(self, step: Step, folder: int, name: str) -> None:
        assert step.wanted is not None
        descriptor = os.open(name, FOLDER, dir_fd=folder)
        try:
            os.fchmod(descriptor, step.wanted.permissions)
        finally:
            os.close(descriptor)

    def _place(self, step: Step, folder: int, name: str) -> None:
        wanted = step.wanted
        assert wanted is not None
        fresh = self._clear(folder, name)
        if not self._ours(step, folder, name):
            return
        try:
            if wanted.is_link:
                os.symlink(wanted.id, fresh, dir_fd=folder)
            else:
                flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
                descriptor = os.open(fresh, flags, 0o600, dir_fd=folder)
                try:
                    self._contents.give(wanted, descriptor)
                    os.fchmod(descriptor, wanted.permissions)
                finally:
                    os.close(descriptor)
            os.rename(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            self._clear(folder, name)
            raise

    def _clear(self, folder: int, name: str) -> str:
        """The name that new content has until it is whole; what a kill left there goes."""
        digest = hashlib.sha256(os.fsencode(name)).hexdigest()[:NAME_DIGITS]
        fresh = f".{digest}.{self._run}.new"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(fresh, dir_fd=folder)
        return fresh


def _folder(entry: Kept | None) -> bool:
    return entry is not None and entry.is_folder


def _file(entry: Kept | None) -> bool:
    return entry is not None and not entry.is_folder
