"""The place for the state of git repositories in the tree: branch, origin, distance, changed files, diffs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

from perdure.workspaces.agent.children import Children, find_program
from perdure.workspaces.agent.diff import unified
from perdure.workspaces.agent.files import read_bytes
from perdure.workspaces.agent.places import Places
from perdure.workspaces.agent.problems import Problem, missing, refused
from perdure.workspaces.agent.search import SKIPPED_DIRECTORIES

MOST_REPOSITORIES = 20
SEARCH_DEPTH = 3
MOST_FILES = 500
STATUS_BYTES = 1024 * 1024
DIFF_BYTES = 256 * 1024
NEW_FILE_BYTES = 128 * 1024
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
SAFE = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false"]
PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color"]


class Git:
    """Reads repositories without running what their configuration asks for and without taking their locks."""

    def __init__(self, places: Places, children: Children, environment: dict[str, str]) -> None:
        self._places = places
        self._children = children
        self._environment = {**environment, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C.UTF-8"}
        self._program = find_program("git", environment["PATH"])

    async def state(self) -> dict[str, object]:
        if self._program is None:
            return {"repositories": []}
        return {"repositories": [await self._repository(path) for path in self._repositories()]}

    async def diff(self, path: str) -> dict[str, object]:
        """Everything that is not committed, as one unified diff, new files included."""
        if self._program is None:
            raise missing("git is not installed in the workspace")
        root = next((root for root in self._repositories() if path in (self._name(root), root)), None)
        if root is None:
            raise refused("not_a_repository", f"{path} is not the root of a git repository in the workspace")
        content, cut = await self._git(root, DIFF_BYTES, "diff", *PLAIN, await self._base(root))
        pieces = [content.decode("utf-8", "replace")]
        size = len(content)
        for name in await self._untracked(root):
            piece = self._new_file(root, name)
            size += len(piece)
            if size > DIFF_BYTES:
                cut = True
                break
            pieces.append(piece)
        return {"path": self._name(root), "diff": "".join(pieces), "complete": not cut}

    def _name(self, root: str) -> str:
        return "." if root == self._places.tree else self._places.shown(root)

    def _repositories(self) -> Iterator[str]:
        found = 0
        queue = [(self._places.tree, 0)]
        while queue and found < MOST_REPOSITORIES:
            directory, depth = queue.pop(0)
            if os.path.lexists(os.path.join(directory, ".git")):
                found += 1
                yield directory
            if depth < SEARCH_DEPTH:
                queue += [(child, depth + 1) for child in _subdirectories(directory)]

    async def _repository(self, root: str) -> dict[str, object]:
        output, cut = await self._git(
            root, STATUS_BYTES, "status", "--porcelain=v2", "--branch", "--untracked-files=all", "-z"
        )
        header = _header(output)
        counts, _ = await self._git(
            root, STATUS_BYTES, "diff", "--numstat", "--no-renames", "-z", *PLAIN, await self._base(root)
        )
        files = _numbers(counts) + [self._counted(root, name) for name in _untracked_names(output)]
        ahead, behind = _distance(header.get("branch.ab", ""))
        return {
            "path": self._name(root),
            "branch": header.get("branch.head", ""),
            "commit": header.get("branch.oid", ""),
            "upstream": header.get("branch.upstream", ""),
            "origin": await self._origin(root),
            "ahead": ahead,
            "behind": behind,
            "files": files[:MOST_FILES],
            "complete": not cut and len(files) <= MOST_FILES,
        }

    async def _origin(self, root: str) -> str:
        output, _ = await self._git(root, 4096, "config", "--get", "remote.origin.url")
        return without_credentials(output.decode("utf-8", "replace").strip())

    async def _base(self, root: str) -> str:
        output, _ = await self._git(root, 4096, "rev-parse", "--verify", "--quiet", "HEAD")
        return "HEAD" if output.strip() else EMPTY_TREE

    async def _untracked(self, root: str) -> list[str]:
        output, _ = await self._git(root, STATUS_BYTES, "ls-files", "--others", "--exclude-standard", "-z")
        return [os.fsdecode(name) for name in output.split(b"\0") if name]

    def _counted(self, root: str, name: str) -> dict[str, object]:
        content = self._content(root, name)
        return {"path": name, "status": "new", "added": content.count(b"\n"), "removed": 0, "binary": b"\0" in content}

    def _new_file(self, root: str, name: str) -> str:
        content = self._content(root, name)
        if b"\0" in content:
            return f"Binary file {name} is new\n"
        return f"diff --git a/{name} b/{name}\nnew file\n" + unified(name, b"", content).replace(
            f"--- a/{name}", "--- /dev/null", 1
        )

    def _content(self, root: str, name: str) -> bytes:
        try:
            with self._places.find(os.path.join(root, name)) as place:
                return read_bytes(place, name, NEW_FILE_BYTES)
        except Problem:
            return b"\0"

    async def _git(self, root: str, most: int, *arguments: str) -> tuple[bytes, bool]:
        assert self._program is not None
        ended = await self._children.run([self._program, *SAFE, *arguments], root, self._environment, most)
        return ended.output, ended.cut


def without_credentials(url: str) -> str:
    """An origin as it may be shown: no user, no password."""
    parts = urlsplit(url)
    if not parts.scheme or "@" not in parts.netloc:
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _subdirectories(directory: str) -> list[str]:
    try:
        with os.scandir(directory) as entries:
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return [os.path.join(directory, name) for name in sorted(names) if name not in SKIPPED_DIRECTORIES]


def _header(output: bytes) -> dict[str, str]:
    lines = [entry[2:].decode("utf-8", "replace") for entry in output.split(b"\0") if entry.startswith(b"# ")]
    return {name: value for name, _, value in (line.partition(" ") for line in lines)}


def _untracked_names(output: bytes) -> list[str]:
    return [os.fsdecode(entry[2:]) for entry in output.split(b"\0") if entry.startswith(b"? ")][:MOST_FILES]


def _distance(value: str) -> tuple[int, int]:
    parts = value.split()
    return (int(parts[0]), -int(parts[1])) if len(parts) == 2 else (0, 0)


def _numbers(output: bytes) -> list[dict[str, object]]:
    files: list[dict[str, object]] = []
    for entry in output.decode("utf-8", "surrogateescape").split("\0"):
        added, _, rest = entry.partition("\t")
        removed, _, name = rest.partition("\t")
        if name:
            binary = added == "-"
            counts = (0, 0) if binary else (int(added), int(removed))
            files.append(
                {"path": name, "status": "changed", "added": counts[0], "removed": counts[1], "binary": binary}
            )
    return files
