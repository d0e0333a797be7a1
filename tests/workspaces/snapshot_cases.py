"""A tree as anybody sees it, apart from how snapshots look at it."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from perdure.workspaces.snapshots import SnapshotTerms

ROOM = 256 * 1024 * 1024
TERMS = SnapshotTerms(ROOM)


def tree_hash(root: Path) -> str:
    """The same for the same names, kinds, modes, contents and targets."""
    digest = hashlib.sha256()
    for path in sorted(_below(root)):
        digest.update(b"%s\0%o\0" % (bytes(path.relative_to(root)), path.lstat().st_mode))
        if path.is_symlink():
            digest.update(bytes(path.readlink()))
        elif path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _below(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from _below(path)
