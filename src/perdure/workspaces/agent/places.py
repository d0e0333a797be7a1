"""The place for paths: each step is checked on an open directory, so neither `..` nor a link leads outside."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from typing import NamedTuple

from perdure.workspaces.agent.problems import Problem, invalid, of_os_error, refused

MOST_LINKS = 40


class Place(NamedTuple):
    """A checked name in a directory held open. The name itself is no symbolic link."""

    directory: int
    name: str
    path: str

    def status(self) -> os.stat_result | None:
        try:
            return os.stat(self.name, dir_fd=self.directory, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open(self, flags: int, mode: int = 0o666) -> int:
        return os.open(self.name, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, mode, dir_fd=self.directory)


class Places:
    """The directories a workspace's files live in: the tree first, then home and the temporary directory."""

    def __init__(self, tree: str, home: str, others: tuple[str, ...] = ()) -> None:
        self.tree = os.path.realpath(tree)
        self.home = os.path.realpath(home)
        self._roots = sorted({self.tree, self.home, *map(os.path.realpath, others)}, key=len, reverse=True)

    @contextmanager
    def find(self, path: str, create_parents: bool = False, follow: bool = True) -> Generator[Place, None, None]:
        """The place a path means, links followed unless told not to, directories made if asked."""
        walk = _Walk(self, path, create_parents, follow)
        try:
            yield walk.run()
        except OSError as error:
            raise of_os_error(error, path) from error
        finally:
            walk.close()

    def rooted(self, path: str) -> tuple[str, list[str]]:
        """Which root an absolute path starts in, and the steps from there."""
        for root in self._roots:
            if path == root or path.startswith(root.rstrip("/") + "/"):
                return root, [step for step in path[len(root) :].split("/") if step not in ("", ".")]
        raise self.outside(path)

    def absolute(self, path: str) -> str:
        if not path.strip() or "\0" in path:
            raise invalid("path must be a non-blank string without NUL")
        if path == "~" or path.startswith("~/"):
            return self.home + path[1:]
        return path if path.startswith("/") else f"{self.tree}/{path}"

    def shown(self, path: str) -> str:
        """A path as people write it: relative to the tree where it is inside."""
        return path[len(self.tree) + 1 :] if path.startswith(self.tree + "/") else path

    def outside(self, path: str) -> Problem:
        return refused("outside", f"{path} is outside the workspace; use a path under {self.tree} or {self.home}")


class _Walk:
    """One walk from a root, holding every directory on the way open."""

    def __init__(self, places: Places, path: str, create: bool, follow: bool) -> None:
        self._places = places
        self._asked = path
        self._create = create
        self._may_follow = follow
        self._open: list[int] = []
        self._names: list[str] = []
        self._root = ""
        self._links = 0

    def run(self) -> Place:
        steps = self._enter(self._places.absolute(self._asked))
        while steps:
            step = steps.pop(0)
            if step == "..":
                self._up()
                continue
            target = self._link(step)
            if target is not None:
                steps = self._follow(target) + steps
            elif steps:
                self._down(step)
            else:
                return Place(self._open[-1], step, f"{self._path()}/{step}")
        return Place(self._open[-1], ".", self._path())

    def close(self) -> None:
        for descriptor in self._open:
            os.close(descriptor)
        self._open = []

    def _enter(self, path: str) -> list[str]:
        self.close()
        self._root, steps = self._places.rooted(path)
        self._names = []
        self._open = [os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)]
        return steps

    def _up(self) -> None:
        if not self._names:
            raise self._places.outside(self._asked)
        self._names.pop()
        os.close(self._open.pop())

    def _down(self, step: str) -> None:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            descriptor = os.open(step, flags, dir_fd=self._open[-1])
        except FileNotFoundError:
            if not self._create:
                raise
            os.mkdir(step, 0o777, dir_fd=self._open[-1])
            descriptor = os.open(step, flags, dir_fd=self._open[-1])
        self._open.append(descriptor)
        self._names.append(step)

    def _link(self, step: str) -> str | None:
        try:
            status = os.stat(step, dir_fd=self._open[-1], follow_symlinks=False)
        except FileNotFoundError:
            return None
        return os.readlink(step, dir_fd=self._open[-1]) if stat.S_ISLNK(status.st_mode) else None

    def _follow(self, target: str) -> list[str]:
        if not self._may_follow:
            raise refused("link", f"{self._asked} leads through a symbolic link; remove the link first")
        self._links += 1
        if self._links > MOST_LINKS:
            raise refused("outside", f"{self._asked}: too many symbolic links")
        if target.startswith("/"):
            try:
                return self._enter(target)
            except Problem:
                raise refused(
                    "outside", f"{self._asked} is a symbolic link to {target}, outside the workspace"
                ) from None
        return [step for step in target.split("/") if step not in ("", ".")]

    def _path(self) -> str:
        return "/".join([self._root.rstrip("/"), *self._names]) if self._names else self._root
