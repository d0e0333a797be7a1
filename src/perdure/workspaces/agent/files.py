"""The place for reading, listing and writing files one at a time."""

from __future__ import annotations

import base64
import os
import stat
from collections.abc import Iterator

from perdure.workspaces.agent.places import Place, Places
from perdure.workspaces.agent.problems import missing, refused

READABLE_BYTES = 1024 * 1024
LINE_BYTES = 1024
PAGE_LINES = 2000
PAGE_BYTES = 32 * 1024
NUMBER_BYTES = 8
CONTENT_BYTES = 16 * 1024 * 1024
LISTED_ENTRIES = 1000
LISTED_DEPTH = 10
IMAGES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}


def read_lines(places: Places, path: str, offset: int, limit: int) -> dict[str, object]:
    """A page of a text file, lines cut to a size; images come whole; other binary files are refused."""
    with places.find(path) as place:
        content = read_bytes(place, places.shown(place.path), CONTENT_BYTES)
    kind = image_kind(content)
    if kind:
        return {"kind": "image", "media_type": kind, "base64": base64.b64encode(content).decode()}
    if len(content) > READABLE_BYTES:
        instead = "use search_files, or execute with head, tail or sed"
        raise refused("too_large", f"{path} has {len(content)} bytes, more than {READABLE_BYTES}; {instead}")
    if b"\0" in content:
        raise refused("binary", f"{path} is a binary file; use execute with a tool for it, or attach_file")
    lines = content.decode("utf-8", "replace").split("\n")
    if lines[-1] == "":
        lines.pop()
    if offset > max(1, len(lines)):
        raise refused("past_the_end", f"{path} has {len(lines)} lines; offset must be at most {max(1, len(lines))}")
    shown = list(_page(lines[offset - 1 : offset - 1 + limit]))
    return {"kind": "text", "lines": shown, "offset": offset, "total_lines": len(lines), "bytes": len(content)}


def _page(lines: list[str]) -> Iterator[str]:
    room = PAGE_BYTES
    for line in lines:
        content = line.rstrip("\r").encode("utf-8", "surrogateescape")
        over = len(content) - LINE_BYTES
        room -= min(len(content), LINE_BYTES) + NUMBER_BYTES
        if room < 0:
            return
        shown = content[:LINE_BYTES].decode("utf-8", "ignore")
        yield f"{shown}… [{over} more bytes in this line]" if over > 0 else shown


def read_bytes(place: Place, shown: str, most: int) -> bytes:
    """The whole of a regular file; a pipe, a device or a directory is refused before anything is read."""
    status = place.status()
    if status is None:
        raise missing(f"{shown} does not exist; list the directory to see what is there")
    if stat.S_ISDIR(status.st_mode):
        raise refused("is_a_directory", f"{shown} is a directory; use list_files")
    if not stat.S_ISREG(status.st_mode):
        raise refused("not_a_file", f"{shown} is not a regular file")
    with os.fdopen(place.open(os.O_RDONLY), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise refused("not_a_file", f"{shown} is not a regular file")
        content = file.read(most + 1)
    if len(content) > most:
        raise refused("too_large", f"{shown} has more than {most} bytes")
    return content


def make_executable(place: Place) -> None:
    descriptor = place.open(os.O_RDONLY)
    try:
        os.fchmod(descriptor, 0o755)
    finally:
        os.close(descriptor)


def image_kind(content: bytes) -> str:
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in IMAGES.items() if content.startswith(start)), "")


def list_tree(places: Places, path: str, depth: int) -> dict[str, object]:
    """A bounded tree, directories before their content; links are named, never entered."""
    with places.find(path) as place:
        root = place.open(os.O_RDONLY | os.O_DIRECTORY) if place.name != "." else os.dup(place.directory)
        shown = places.shown(place.path)
    entries: list[dict[str, object]] = []
    try:
        complete = _list(root, "", min(depth, LISTED_DEPTH), entries)
    finally:
        os.close(root)
    return {"path": shown, "entries": entries, "complete": complete}


def _list(directory: int, prefix: str, depth: int, entries: list[dict[str, object]]) -> bool:
    for name in sorted(os.listdir(directory)):
        if len(entries) >= LISTED_ENTRIES:
            return False
        try:
            entry = _entry(directory, prefix, name)
        except FileNotFoundError:
            # It was deleted after it had been listed.
            continue
        entries.append(entry)
        if (
            entry["kind"] == "directory"
            and depth > 1
            and name != ".git"
            and not _descend(directory, name, prefix, depth, entries)
        ):
            return False
    return True


def _entry(directory: int, prefix: str, name: str) -> dict[str, object]:
    status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    kind = "directory" if stat.S_ISDIR(status.st_mode) else "link" if stat.S_ISLNK(status.st_mode) else "file"
    entry: dict[str, object] = {"path": prefix + name, "kind": kind}
    if kind == "file":
        entry["bytes"] = status.st_size
    if kind == "link":
        entry["target"] = os.readlink(name, dir_fd=directory)
    return entry


def _descend(directory: int, name: str, prefix: str, depth: int, entries: list[dict[str, object]]) -> bool:
    try:
        inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
    except OSError:
        return True
    try:
        return _list(inner, f"{prefix}{name}/", depth - 1, entries)
    finally:
        os.close(inner)
