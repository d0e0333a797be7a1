"""The place for copies of a workspace's files: sent as one stream by one agent program, laid down by another.

A stream is entries, each a header with what follows of a file: pieces by offset, so that holes stay holes. Only what
came to its end says so; whatever is cut off is a copy that failed.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import struct
from typing import BinaryIO, NamedTuple

from perdure.workspaces.agent.contents import BLOCK_BYTES, Contents, next_data
from perdure.workspaces.agent.fields import Fields
from perdure.workspaces.agent.kept import Kept
from perdure.workspaces.agent.problems import Problem
from perdure.workspaces.agent.rewinding import Tree
from perdure.workspaces.agent.scanning import FILE, FOLDER

HEADER = struct.Struct(">I")
PIECE = struct.Struct(">QI")
MOST_HEADER = 1 << 20
HOME, TREE = "home", "tree"
CUT = "the copy of the files was cut off"

Different = dict[str, "Kept | None"]
"""What is to be different in the copy, by path in the tree: what was kept, or nothing."""


class CopiedEntry(NamedTuple):
    """The header of one entry. Its path begins with `tree/` or `home/`."""

    path: str
    mode: int
    size: int = 0
    written: int = 0
    link: str = ""


class Sender:
    """Walks the files and sends them. What goes while somebody looks is not there; sockets and the like stay behind."""

    def __init__(self, target: BinaryIO, contents: Contents) -> None:
        self._target = target
        self._contents = contents
        self.left_out = 0

    def send(self, tree: str, home: str, different: Different) -> dict[str, object]:
        """All of it, with what is to be different. How much stayed behind is told at the end."""
        left = dict(different)
        self._walk(home, HOME, {})
        self._walk(tree, TREE, left)
        for path in sorted(left):
            self._kept(path, left[path])
        end: dict[str, object] = {"left_out": self.left_out}
        self._header({"end": end})
        return end

    def problem(self, problem: Problem) -> None:
        self._header(problem.body())

    def _walk(self, root: str, prefix: str, different: Different) -> None:
        descriptor = os.open(root, FOLDER)
        try:
            self._folder(descriptor, prefix, "", different)
        finally:
            os.close(descriptor)

    def _folder(self, descriptor: int, prefix: str, folder: str, different: Different) -> None:
        with os.scandir(descriptor) as entries:
            names = [entry.name for entry in entries]
        for name in names:
            path = folder + name
            if path in different:
                kept = different.pop(path)
                self._kept(path, kept)
                if kept is None or not kept.is_folder or not _is_folder(descriptor, name):
                    continue
            with contextlib.suppress(FileNotFoundError):
                self._entry(descriptor, name, prefix, path, different)

    def _entry(self, descriptor: int, name: str, prefix: str, path: str, different: Different) -> None:
        status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        entry = CopiedEntry(f"{prefix}/{path}", status.st_mode, status.st_size, status.st_mtime_ns)
        try:
            if stat.S_ISLNK(status.st_mode):
                self._header(entry._replace(link=os.readlink(name, dir_fd=descriptor))._asdict())
            elif stat.S_ISDIR(status.st_mode):
                inner = os.open(name, FOLDER, dir_fd=descriptor)
                try:
                    self._header(entry._asdict())
                    self._folder(inner, prefix, path + "/", different)
                finally:
                    os.close(inner)
            elif stat.S_ISREG(status.st_mode):
                file = os.open(name, FILE, dir_fd=descriptor)
                try:
                    self._file(entry, file)
                finally:
                    os.close(file)
            else:
                self.left_out += 1
        except PermissionError:
            self.left_out += 1

    def _kept(self, path: str, kept: Kept | None) -> None:
        """Something as a snapshot has it."""
        if kept is None:
            return
        entry = CopiedEntry(f"{TREE}/{path}", kept.mode, kept.size)
        if kept.is_link:
            self._header(entry._replace(link=kept.id)._asdict())
        elif kept.is_folder:
            self._header(entry._asdict())
        elif kept.pack:
            self._header(entry._asdict())
            self._piece(0, self._contents.small(kept))
            self._piece(0, b"")
        else:
            with self._contents.large(kept) as file:
                self._file(entry, file.fileno())

    def _file(self, entry: CopiedEntry, file: int) -> None:
        """What a file holds as far as it goes now; of its holes nothing."""
        self._header(entry._asdict())
        place = 0
        while place < entry.size:
            start = next_data(file, place)
            if start is None or start >= entry.size:
                break
            content = os.pread(file, min(BLOCK_BYTES, entry.size - start), start)
            if not content:
                break
            self._piece(start, content)
            place = start + len(content)
        self._piece(0, b"")

    def _piece(self, offset: int, content: bytes) -> None:
        self._target.write(PIECE.pack(offset, len(content)) + content)

    def _header(self, values: dict[str, object]) -> None:
        text = json.dumps(values).encode()
        self._target.write(HEADER.pack(len(text)) + text)


class Receiver:
    """Lays entries down. No link on the way is followed, and what may not be written to is shut at the end."""

    def __init__(self, source: BinaryIO, tree: str, home: str) -> None:
        self._source = source
        self._trees = {TREE: Tree(tree), HOME: Tree(home)}
        self._folders: list[CopiedEntry] = []

    def receive(self) -> dict[str, object]:
        """All of it. What was copied is counted."""
        count = 0
        while True:
            header = self._header()
            if header.has("end"):
                for entry in reversed(self._folders):
                    self._shut(entry)
                return {"entries": count, "left_out": header.object("end").integer("left_out")}
            if header.has("error"):
                error = header.object("error")
                raise Problem(422, error.text("code"), error.text("message"))
            self._entry(_entry(header))
            count += 1

    def _header(self) -> Fields:
        (size,) = HEADER.unpack(self._exactly(HEADER.size))
        if size > MOST_HEADER:
            raise Problem(422, "cut", CUT)
        return Fields.parse(self._exactly(size))

    def _entry(self, entry: CopiedEntry) -> None:
        tree, path = self._place(entry)
        with tree.parent(path, writing=True) as (folder, name):
            if stat.S_ISLNK(entry.mode):
                os.symlink(entry.link, name, dir_fd=folder)
            elif stat.S_ISDIR(entry.mode):
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=folder)
                self._folders.append(entry)
            else:
                self._file(folder, name, entry)

    def _file(self, folder: int, name: str, entry: CopiedEntry) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(name, flags, 0o600, dir_fd=folder)
        try:
            while True:
                offset, length = PIECE.unpack(self._exactly(PIECE.size))
                if not length:
                    break
                content = memoryview(self._exactly(length))
                while content:
                    written = os.pwrite(file, content, offset)
                    content, offset = content[written:], offset + written
            os.ftruncate(file, entry.size)
            os.fchmod(file, stat.S_IMODE(entry.mode))
            if entry.written:
                os.utime(file, ns=(entry.written, entry.written))
        finally:
            os.close(file)

    def _shut(self, entry: CopiedEntry) -> None:
        tree, path = self._place(entry)
        with tree.parent(path) as (folder, name):
            inner = os.open(name, FOLDER, dir_fd=folder)
            try:
                os.fchmod(inner, stat.S_IMODE(entry.mode))
            finally:
                os.close(inner)

    def _place(self, entry: CopiedEntry) -> tuple[Tree, str]:
        root, _, path = entry.path.partition("/")
        if root not in self._trees or not path or any(step in ("", ".", "..") for step in path.split("/")):
            raise Problem(422, "cut", CUT)
        return self._trees[root], path

    def _exactly(self, size: int) -> bytes:
        content = self._source.read(size)
        if len(content) < size:
            raise Problem(422, "cut", CUT)
        return content


def _is_folder(descriptor: int, name: str) -> bool:
    try:
        return stat.S_ISDIR(os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False


def _entry(header: Fields) -> CopiedEntry:
    mode, size, written = (header.integer(name) for name in ("mode", "size", "written"))
    return CopiedEntry(header.text("path"), mode, size, written, header.text("link", ""))
