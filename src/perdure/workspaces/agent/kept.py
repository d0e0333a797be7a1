"""The place for one entry of the tree as a snapshot knows it."""

from __future__ import annotations

import marshal
import stat
from typing import NamedTuple, cast


class Kept(NamedTuple):
    """A file, a link or a folder. `id` is a file's content by its hash, or where a link leads.

    `pack` and `offset` say where the content is kept; a large file is an object of its own and has no pack. The
    last three are how the file system described it when it was read, so that what did not change is not read again.
    """

    mode: int
    size: int = 0
    id: str = ""
    pack: str = ""
    offset: int = 0
    changed: int = 0
    written: int = 0
    inode: int = 0

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.mode)

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.mode)

    @property
    def permissions(self) -> int:
        return stat.S_IMODE(self.mode)

    def same(self, other: Kept | None) -> bool:
        """Whether both are the same to whoever looks at the tree. A link's mode means nothing."""
        if other is None or stat.S_IFMT(self.mode) != stat.S_IFMT(other.mode):
            return False
        return self.id == other.id and (self.is_link or self.mode == other.mode) and self.size == other.size


class Listed(NamedTuple):
    """A folder: its entries, and a hash of how the file system described them all when they were read.

    Entries are decoded only where something changed: most folders are the same from look to look.
    """

    digest: bytes
    below: tuple[str, ...]
    rows: bytes
    left_out: tuple[tuple[str, str], ...] = ()
    """What is in it and not kept: why, and its name."""

    @classmethod
    def of(cls, digest: bytes, entries: dict[str, Kept], left_out: tuple[tuple[str, str], ...] = ()) -> Listed:
        below = tuple(name for name, entry in entries.items() if entry.is_folder)
        settled = all(entry.changed or entry.is_folder for entry in entries.values())
        rows = marshal.dumps({name: tuple(entry) for name, entry in entries.items()})
        return cls(digest if settled else b"", below, rows, left_out)

    def entries(self) -> dict[str, Kept]:
        rows = cast("dict[str, tuple[int, int, str, str, int, int, int, int]]", marshal.loads(self.rows))  # noqa: S302 - ours
        return {name: Kept(*row) for name, row in rows.items()}


Index = dict[str, Listed]
"""Every folder of the tree by its path: `` or with a `/` at its end."""
Changes = dict[str, "Kept | None"]
"""Entries by path that are new or different, and nothing for those that are gone."""


def alike(one: Kept | None, other: Kept | None) -> bool:
    return one is other if one is None else one.same(other)


def flat(index: Index) -> dict[str, Kept]:
    return {folder + name: entry for folder, listed in index.items() for name, entry in listed.entries().items()}


def shown(path: str) -> str:
    """A name that may be no UTF-8, as it can be told."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
