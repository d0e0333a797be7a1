"""The place for what files held: small ones side by side in a pack, large ones as objects that share their blocks."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import io
import os
from collections.abc import Iterable
from typing import NamedTuple

from perdure.workspaces.agent.durable import Folder
from perdure.workspaces.agent.kept import Kept
from perdure.workspaces.agent.problems import Problem

SMALL_BYTES = 256 * 1024
BLOCK_BYTES = 1024 * 1024
ZEROS = bytes(BLOCK_BYTES)
CLONE = 0x40049409
RACY_NANOSECONDS = 50_000_000
"""A file that changed so lately may change again and look the same."""


class Quota(Exception):
    """There is no room for more."""


class Damaged(Problem):
    """What is kept is not what was put there."""

    def __init__(self) -> None:
        super().__init__(500, "damaged", "a part of the snapshot is damaged on disk, so nothing was changed")


def hashed(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=32).hexdigest()


class Read(NamedTuple):
    """What a file held, and where that is kept now."""

    size: int
    id: str
    pack: str = ""
    offset: int = 0


class Hashing:
    """Reads files without keeping anything: enough to see what changed."""

    def take(self, descriptor: int, size: int, known: Kept | None) -> Read:  # noqa: ARG002
        if size <= SMALL_BYTES:
            content = _whole(descriptor)
            return Read(len(content), hashed(content))
        return Read(size, _copied(descriptor, None, size))


class Contents:
    """Everything that snapshots keep, in folders that no command can reach."""

    def __init__(self, folder: Folder) -> None:
        self.packs = folder.inside("packs")
        self.objects = folder.inside("objects")

    def used(self) -> int:
        return self.packs.size() + self.objects.size()

    def small(self, entry: Kept) -> bytes:
        """A small file's content, as it was put there."""
        with self._file(self.packs, entry.pack) as pack:
            pack.seek(entry.offset)
            content = pack.read(entry.size)
        if hashed(content) != entry.id:
            raise Damaged
        return content

    def give(self, entry: Kept, target: int) -> None:
        """Write a file's content to an open, empty file."""
        if entry.pack:
            with os.fdopen(os.dup(target), "wb") as file:
                file.write(self.small(entry))
            return
        with self._file(self.objects, entry.id) as source:
            if not _cloned(source.fileno(), target):
                _copied(source.fileno(), target, entry.size)
            if _copied(target, None, entry.size) != entry.id:
                raise Damaged

    def large(self, entry: Kept) -> io.BufferedReader:
        """A large file's content, open, once it was seen to be whole."""
        found = self._file(self.objects, entry.id)
        if _copied(found.fileno(), None, entry.size) != entry.id:
            found.close()
            raise Damaged
        return found

    def beginning(self, entry: Kept, most: int) -> bytes:
        """At most so many bytes, for showing."""
        if entry.pack:
            return self.small(entry)[:most]
        with self._file(self.objects, entry.id) as source:
            return source.read(most)

    def sweep(self, live: Iterable[Kept]) -> None:
        """Let go of what no snapshot names."""
        packs, objects = set[str](), set[str]()
        for entry in live:
            (packs if entry.pack else objects).add(entry.pack or entry.id)
        for folder, needed in ((self.packs, packs), (self.objects, objects)):
            for name in folder.all_names():
                if name not in needed:
                    folder.remove(name)

    def _file(self, folder: Folder, name: str) -> io.BufferedReader:
        try:
            return os.fdopen(folder.opened(name, os.O_RDONLY), "rb")
        except FileNotFoundError:
            raise Damaged from None


class Keeping:
    """Reads files and keeps what they hold, within so many bytes; all of it counts once `finish` was called."""

    def __init__(self, contents: Contents, name: str, room: int, known: Iterable[Kept] = ()) -> None:
        self._contents = contents
        self._name = name
        self._room = room
        self._pack = -1
        self._offset = 0
        self._known = {entry.id: Read(entry.size, entry.id, entry.pack, entry.offset) for entry in known if entry.pack}

    def take(self, descriptor: int, size: int, known: Kept | None) -> Read:
        """Keep what an open file holds, unless that is what it held before."""
        if size <= SMALL_BYTES:
            return self._small(_whole(descriptor), known)
        if known is not None and known.size == size and _copied(descriptor, None, size) == known.id:
            return Read(size, known.id)
        return self._large(descriptor, size)

    def finish(self) -> None:
        if self._pack >= 0:
            os.fsync(self._pack)
            os.close(self._pack)
            self._contents.packs.rename(self._name + ".new", self._name)
            self._contents.packs.sync()

    def abandon(self) -> None:
        if self._pack >= 0:
            os.close(self._pack)
        self._contents.packs.remove(self._name + ".new")
        self._contents.objects.remove(self._name + ".new")

    def _small(self, content: bytes, before: Kept | None) -> Read:
        digest = hashed(content)
        if before is not None and before.pack and before.id == digest:
            return Read(len(content), digest, before.pack, before.offset)
        known = self._known.get(digest)
        if known is None:
            self._spend(len(content))
            if self._pack < 0:
                flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
                self._pack = self._contents.packs.opened(self._name + ".new", flags)
            _write_all(self._pack, content)
            known = self._known[digest] = Read(len(content), digest, self._name, self._offset)
            self._offset += len(content)
        return known

    def _large(self, descriptor: int, size: int) -> Read:
        """A copy that shares its blocks with the file where the file system can do that, and has its holes anyway."""
        self._spend(min(size, os.fstat(descriptor).st_blocks * 512))
        fresh, objects = self._name + ".new", self._contents.objects
        copy = objects.opened(fresh, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        try:
            if _cloned(descriptor, copy):
                size = os.fstat(copy).st_size
                digest = _copied(copy, None, size)
            else:
                digest = _copied(descriptor, copy, size)
            os.fsync(copy)
        finally:
            os.close(copy)
        objects.rename(fresh, digest)
        objects.sync()
        return Read(size, digest)

    def _spend(self, size: int) -> None:
        self._room -= size
        if self._room < 0:
            raise Quota


def _whole(descriptor: int) -> bytes:
    """All of a file that is small, or was when somebody looked: one that grows meanwhile is cut there."""
    pieces: list[bytes] = []
    room = BLOCK_BYTES
    while room > 0 and (piece := os.read(descriptor, room)):
        pieces.append(piece)
        room -= len(piece)
    return b"".join(pieces)


def _copied(source: int, target: int | None, size: int) -> str:
    """The hash of what a file holds besides zeros and where that stands, copied on the way; holes are not read."""
    digest = hashlib.blake2b(b"large %d" % size, digest_size=32)
    place = 0
    while place < size:
        start = next_data(source, place)
        if start is None or start >= size:
            break
        place = start - start % BLOCK_BYTES
        block = os.pread(source, min(BLOCK_BYTES, size - place), place)
        if not block:
            break
        if block != ZEROS[: len(block)]:
            digest.update(b"%d " % place + block)
            if target is not None:
                _write_all(target, block, place)
        place += BLOCK_BYTES
    if target is not None:
        os.ftruncate(target, size)
    return digest.hexdigest()


def next_data(source: int, place: int) -> int | None:
    """Where the next data is; nowhere if only a hole is left."""
    try:
        return os.lseek(source, place, os.SEEK_DATA)
    except OSError as error:
        if error.errno == errno.ENXIO:
            return None
        return place


def _cloned(source: int, target: int) -> bool:
    with contextlib.suppress(OSError):
        fcntl.ioctl(target, CLONE, source)
        return True
    return False


def _write_all(target: int, content: bytes, place: int | None = None) -> None:
    rest = memoryview(content)
    while rest:
        written = os.write(target, rest) if place is None else os.pwrite(target, rest, place)
        rest = rest[written:]
        place = None if place is None else place + written
