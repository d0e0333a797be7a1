"""The place for finding text in the tree: ripgrep where it is installed, the same answers slower where it is not."""

from __future__ import annotations

import asyncio
import fnmatch
import json
import os
import re
import signal
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import cast

from perdure.workspaces.agent.children import Children, find_program
from perdure.workspaces.agent.limits import PATTERN_SECONDS
from perdure.workspaces.agent.places import Places
from perdure.workspaces.agent.problems import missing, refused

MOST_MATCHES = 200
SHOWN_BYTES = 300
RIPGREP_BYTES = 4 * 1024 * 1024
SKIPPED_DIRECTORIES = frozenset({".git", "node_modules", ".venv", "__pycache__"})
SEARCHED_BYTES = 1024 * 1024

Match = dict[str, object]


class Search:
    """Searches below one directory, bounded in matches and in time."""

    def __init__(self, places: Places, children: Children, environment: dict[str, str]) -> None:
        self._places = places
        self._children = children
        self._environment = environment
        self.program = find_program("rg", environment["PATH"])

    async def run(self, pattern: str, path: str, glob: str | None) -> dict[str, object]:
        root = self._root(path)
        found, cut = await (self._ripgrep(pattern, root, glob) if self.program else self._walk(pattern, root, glob))
        return {"matches": found[:MOST_MATCHES], "complete": not cut and len(found) <= MOST_MATCHES}

    def _root(self, path: str) -> str:
        with self._places.find(path) as place:
            if place.status() is None:
                raise missing(f"{path} does not exist; list the directory to see what is there")
            return place.path

    async def _ripgrep(self, pattern: str, root: str, glob: str | None) -> tuple[list[Match], bool]:
        assert self.program is not None
        options = ["--json", "--no-config", "--hidden", "--glob=!.git", "--sort=path", "--max-filesize=1M"]
        if glob:
            options.append(f"--glob={glob}")
        arguments = [self.program, *options, f"--regexp={pattern}", "--", root]
        ended = await self._children.run(arguments, self._places.tree, self._environment, RIPGREP_BYTES)
        if ended.status == 2 and not ended.output.strip():
            raise refused(
                "invalid_pattern", f"{pattern!r} is not a regular expression ripgrep accepts; escape special characters"
            )
        return list(self._matches(ended.output)), ended.cut

    def _matches(self, output: bytes) -> Iterator[Match]:
        # What follows the last line's end was cut off.
        for line in output.split(b"\n")[:-1]:
            if line.startswith(b'{"type":"match"'):
                data = cast("dict[str, dict[str, str]]", json.loads(line)["data"])
                text = data["lines"].get("text", "")
                number = cast("int", json.loads(line)["data"]["line_number"])
                yield self._match(data["path"].get("text", "?"), number, text)

    def _match(self, path: str, number: int, text: str) -> Match:
        return {"path": self._places.shown(path), "line": number, "text": text.rstrip("\r\n")[:SHOWN_BYTES]}

    def _found(self, expression: re.Pattern[str], path: str) -> list[Match]:
        try:
            with _alarm(PATTERN_SECONDS):
                return [self._match(path, number, line) for number, line in _lines(path) if expression.search(line)]
        except _TooSlow:
            slow = f"{expression.pattern!r} takes too long on {self._places.shown(path)}; make it simpler"
            raise refused("slow_pattern", slow) from None

    async def _walk(self, pattern: str, root: str, glob: str | None) -> tuple[list[Match], bool]:
        try:
            expression = re.compile(pattern)
        except re.error as error:
            raise refused(
                "invalid_pattern", f"{pattern!r} is not a regular expression: {error}; escape special characters"
            ) from None
        found: list[Match] = []
        for path in _files(root):
            await asyncio.sleep(0)
            if glob and not _globbed(path[len(root) :].lstrip("/"), glob):
                continue
            found += self._found(expression, path)
            if len(found) > MOST_MATCHES:
                break
        return found, False


class _TooSlow(Exception):
    """Some patterns take longer than the age of the world, and nobody else is answered meanwhile."""


@contextmanager
def _alarm(seconds: float) -> Generator[None, None, None]:
    """End what takes longer than so many seconds, also in the middle of a pattern."""

    def ring(_number: int, _frame: object) -> None:
        raise _TooSlow

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _files(root: str) -> Iterator[str]:
    if os.path.isfile(root):
        yield root
        return
    for directory, names, files in os.walk(root, followlinks=False):
        names[:] = sorted(name for name in names if name not in SKIPPED_DIRECTORIES)
        yield from (os.path.join(directory, name) for name in sorted(files))


def _lines(path: str) -> Iterator[tuple[int, str]]:
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode) or status.st_size > SEARCHED_BYTES:
        return
    try:
        with open(path, "rb") as file:
            content = file.read(SEARCHED_BYTES)
    except OSError:
        return
    if b"\0" not in content:
        yield from enumerate(content.decode("utf-8", "replace").split("\n"), 1)


def _globbed(path: str, glob: str) -> bool:
    wanted = glob.lstrip("!")
    hit = fnmatch.fnmatch(path, wanted) or fnmatch.fnmatch(os.path.basename(path), wanted)
    return hit != glob.startswith("!")
