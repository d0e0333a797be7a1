"""The place for files that must be there after a crash: written whole, synced, under a directory held open."""

from __future__ import annotations

import contextlib
import fcntl
import os


class Folder:
    """A directory known by an open descriptor, so that it needs no path that commands could follow."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def open(cls, path: str) -> Folder:
        os.makedirs(path, mode=0o700, exist_ok=True)
        return cls(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))

    def inside(self, name: str) -> Folder:
        try:
            os.mkdir(name, 0o700, dir_fd=self._descriptor)
            os.fsync(self._descriptor)
        except FileExistsError:
            pass
        return Folder(
            os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._descriptor)
        )

    @property
    def descriptor(self) -> int:
        return self._descriptor

    def opened(self, name: str, flags: int) -> int:
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=self._descriptor)

    def sync(self) -> None:
        os.fsync(self._descriptor)

    def lock(self) -> None:
        """Wait until no other process works here. It ends with this process and those that it came from."""
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def size(self) -> int:
        """What the files here take on disk."""
        sizes = (os.stat(name, dir_fd=self._descriptor, follow_symlinks=False) for name in self.all_names())
        return sum(status.st_blocks * 512 for status in sizes)

    @property
    def deleted(self) -> bool:
        """Whether somebody removed the directory itself, while we hold it open."""
        return os.fstat(self._descriptor).st_nlink == 0

    def names(self) -> list[str]:
        return [name for name in self.all_names() if not name.endswith(".new")]

    def clear(self) -> None:
        """Remove what somebody began to write and did not complete."""
        for name in self.all_names():
            if name.endswith(".new"):
                self.remove(name)

    def all_names(self) -> list[str]:
        """With what somebody began to write."""
        return sorted(os.listdir(self._descriptor))

    def read(self, name: str) -> bytes | None:
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._descriptor)
        except FileNotFoundError:
            return None
        with os.fdopen(descriptor, "rb") as file:
            return file.read()

    def write(self, name: str, content: bytes) -> None:
        """After this returns, the whole content survives a crash; before, the old content or none does."""
        fresh = name + ".new"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(fresh, flags, 0o600, dir_fd=self._descriptor)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.rename(fresh, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        except OSError:
            self.remove(fresh)
            raise
        os.fsync(self._descriptor)

    def put(self, name: str, content: bytes) -> None:
        """Whole or not at all after a kill; a power cut may take it."""
        fresh = name + ".new"
        with os.fdopen(self.opened(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
            file.write(content)
        self.rename(fresh, name)

    def rename(self, name: str, to: str) -> None:
        """Takes no room on the disk, unlike writing."""
        os.rename(name, to, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)

    def remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._descriptor)

    def age(self, name: str, now: float) -> float:
        """Seconds since the file was written; nothing for one that is gone."""
        try:
            return now - os.stat(name, dir_fd=self._descriptor, follow_symlinks=False).st_mtime
        except FileNotFoundError:
            return 0.0
