"""The files of a folder in a workspace as one archive."""

import zipfile
from collections import deque
from io import BytesIO

from perdure.core.errors import InvalidInput
from perdure.workspaces.client import FileClient
from perdure.workspaces.wire import Entry

# It is put together in memory: who wants more asks for a folder, or packs it inside the workspace.
ARCHIVE_BYTES = 64 * 1024 * 1024
ARCHIVE_FILES = 5_000
_WIDE = 1
# What zip can say of a time at the earliest: the same files give the same archive.
_EPOCH = (1980, 1, 1, 0, 0, 0)


async def zipped(files: FileClient, path: str) -> bytes:
    """Every regular file under a folder. Links are left out: they may lead anywhere."""
    found = await _files(files, path)
    packed = BytesIO()
    left = ARCHIVE_BYTES
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry in found:
            content = await files.content(_under(path, entry.path), left)
            left -= len(content)
            archive.writestr(zipfile.ZipInfo(entry.path, _EPOCH), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


async def _files(files: FileClient, path: str) -> list[Entry]:
    found: list[Entry] = []
    folders = deque([""])
    while folders:
        folder = folders.popleft()
        listing = await files.list(_under(path, folder), _WIDE)
        if not listing.complete:
            raise _too_much(f"{folder or path} holds too many files")
        for entry in listing.entries:
            inner = Entry(f"{folder}/{entry.path}".lstrip("/"), entry.kind, entry.bytes)
            if inner.kind == "directory":
                folders.append(inner.path)
            elif inner.kind == "file":
                found.append(inner)
        if len(found) > ARCHIVE_FILES or sum(entry.bytes for entry in found) > ARCHIVE_BYTES:
            raise _too_much("it has more than 5,000 files or 64 MB")
    return found


def _under(path: str, inner: str) -> str:
    return f"{path}/{inner}" if inner else path


def _too_much(why: str) -> InvalidInput:
    return InvalidInput(f"This is too large for one archive: {why}. Download a folder of it instead.")
