"""The place for the chain of snapshots: each says what changed since the one before, and by whom."""

from __future__ import annotations

import hashlib
import json
import marshal
import zlib
from typing import NamedTuple, cast

from perdure.workspaces.agent.durable import Folder
from perdure.workspaces.agent.kept import Changes, Index, Kept, Listed
from perdure.workspaces.agent.problems import Problem

MOST_KEPT = 400
INDEX = "index"
CHATS = "chats"
VERSION = 1
OUTSIDE = ""
"""Who changed what no chat's turn did."""


class Snapshot(NamedTuple):
    """One link of the chain. `by` are the chats whose turns were open since the one before."""

    number: int
    kind: str
    """`before` a turn, `after` it, `held` before files go back, `back` when they have."""
    chat: str
    turn: int
    at: int
    by: tuple[str, ...]
    open: dict[str, int]
    """The turns that are open from here on, by chat."""
    left_out: dict[str, object]
    gone: dict[str, int]
    """Up to which turn of a chat nothing is kept any more."""
    setting: tuple[str, ...]
    base: bool = False


class Link(NamedTuple):
    snapshot: Snapshot
    changes: Changes


class Chain:
    """All links, from the one that holds the whole tree to the newest."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self.folder = folder.inside("links")
        self.links: list[Link] = []

    def load(self) -> list[Link]:
        """Every link. What lies before the newest base is what a crash left, and goes."""
        links = [self._read(name) for name in self.folder.names()]
        start = max((at for at, link in enumerate(links) if link.snapshot.base), default=len(links))
        for link in links[:start]:
            self.folder.remove(_name(link.snapshot.number))
        self.links = links[start:]
        return self.links

    def head(self) -> Snapshot | None:
        """The newest, without reading the others."""
        names = self.folder.names()
        return self._read(names[-1]).snapshot if names else None

    def add(self, link: Link) -> None:
        content = json.dumps([link.snapshot, {path: entry and entry[:5] for path, entry in link.changes.items()}])
        if link.snapshot.chat not in (known := self.chats()):
            self._folder.put(CHATS, "\n".join(sorted({*known, link.snapshot.chat} - {OUTSIDE})).encode())
        self.folder.write(_name(link.snapshot.number), zlib.compress(content.encode(), 1))

    def used(self) -> int:
        return self.folder.size()

    def clear(self) -> None:
        for link in reversed(self.load()):
            self.folder.remove(_name(link.snapshot.number))

    def tree(self, number: int) -> dict[str, Kept]:
        """Every entry as it was at one link."""
        found: dict[str, Kept] = {}
        for link in self.links:
            if link.snapshot.number > number:
                break
            _apply(found, link.changes)
        return found

    def drop_oldest(self, count: int) -> None:
        """Let go of the oldest: the next one becomes the base. Nothing happens until that is on disk."""
        gone = dict(self.links[0].snapshot.gone)
        for link in self.links[:count]:
            if link.snapshot.kind == "before":
                gone[link.snapshot.chat] = max(gone.get(link.snapshot.chat, 0), link.snapshot.turn)
        base = self.links[count]
        changes: Changes = {**self.tree(base.snapshot.number)}
        self.add(Link(base.snapshot._replace(base=True, gone=gone), changes))
        self.load()

    def chats(self) -> set[str]:
        """Whose snapshots there are."""
        return set((self._folder.read(CHATS) or b"").decode().splitlines())

    def forget(self, there: frozenset[str]) -> None:
        """Let go of what belongs to chats that are gone; what they changed is then of nobody."""
        at = 0
        while at < len(self.links):
            link = self.links[at]
            if link.snapshot.chat in (*there, OUTSIDE):
                at += 1
            elif at + 1 < len(self.links):
                self._join(at)
            else:
                opened = {chat: turn for chat, turn in link.snapshot.open.items() if chat in there}
                anonymous = link.snapshot._replace(kind="", chat=OUTSIDE, open=opened)
                self.links[at] = Link(anonymous, link.changes)
                self.add(self.links[at])
                at += 1
        self._folder.put(CHATS, "\n".join(sorted(self.chats() & there)).encode())

    def _join(self, at: int) -> None:
        """Put one link's changes into the next, durably, before it goes."""
        link, later = self.links[at : at + 2]
        by = tuple(sorted({*link.snapshot.by, *later.snapshot.by}))
        joined = later.snapshot._replace(by=by, base=link.snapshot.base, gone={**link.snapshot.gone})
        changes: Changes = {**link.changes, **later.changes}
        if link.snapshot.base:
            changes = {path: entry for path, entry in changes.items() if entry is not None}
        self.links[at : at + 2] = [Link(joined, changes)]
        self.add(self.links[at])
        self.folder.remove(_name(link.snapshot.number))

    def save_index(self, number: int, index: Index) -> None:
        """What the next look compares with. It can be made again, so it need not survive a power cut."""
        content = marshal.dumps((VERSION, number, {folder: tuple(listed) for folder, listed in index.items()}))
        self._folder.put(INDEX, hashlib.blake2b(content, digest_size=32).digest() + content)

    def index(self, number: int) -> Index:
        """The tree at the newest link. Without a file of just that it is made of the links: slower, the same."""
        content = self._folder.read(INDEX) or b""
        if content and hashlib.blake2b(content[32:], digest_size=32).digest() == content[:32]:
            # No command can reach the folder that this lies in.
            version, of, folders = cast("tuple[int, int, dict[str, Listed]]", marshal.loads(content[32:]))  # noqa: S302
            if (version, of) == (VERSION, number):
                return {folder: Listed(*listed) for folder, listed in folders.items()}
        self.load()
        entries: dict[str, dict[str, Kept]] = {"": {}}
        for path, entry in self.tree(number).items():
            folder, slash, name = path.rpartition("/")
            entries.setdefault(folder + slash, {})[name] = entry
            if entry.is_folder:
                entries.setdefault(path + "/", {})
        return {folder: Listed.of(b"", inside) for folder, inside in entries.items()}

    def _read(self, name: str) -> Link:
        try:
            header, rows = cast(
                "tuple[list[object], dict[str, list[object] | None]]",
                json.loads(zlib.decompress(self.folder.read(name) or b"")),
            )
        except (ValueError, zlib.error):
            raise Problem(500, "damaged", "the list of snapshots is damaged on disk; nothing was changed") from None
        snapshot = Snapshot(*header)  # pyright: ignore[reportArgumentType]
        snapshot = snapshot._replace(by=tuple(snapshot.by), setting=tuple(snapshot.setting))
        changes: Changes = {path: Kept(*row) if row else None for path, row in rows.items()}  # pyright: ignore[reportArgumentType]
        return Link(snapshot, changes)


def _apply(tree: dict[str, Kept], changes: Changes) -> None:
    for path, entry in changes.items():
        if entry is None:
            tree.pop(path, None)
        else:
            tree[path] = entry


def _name(number: int) -> str:
    return f"{number:010d}"
