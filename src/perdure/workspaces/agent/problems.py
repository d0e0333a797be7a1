"""The place for what can go wrong inside a workspace, as one kind of error that travels as JSON."""

from __future__ import annotations

import errno


class Problem(Exception):
    """Something the caller can act on: a status for HTTP, a code for programs, a sentence for whoever must act."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message

    def body(self) -> dict[str, object]:
        return {"error": {"code": self.code, "message": self.message}}


def invalid(message: str) -> Problem:
    return Problem(400, "invalid", message)


def missing(message: str) -> Problem:
    return Problem(404, "not_found", message)


def refused(code: str, message: str) -> Problem:
    return Problem(422, code, message)


def of_os_error(error: OSError, what: str) -> Problem:
    """An operating system's refusal, in words a model can act on."""
    known = {
        errno.ENOSPC: (507, "disk_full", "the disk is full; delete files that are not needed, then try again"),
        errno.EDQUOT: (507, "disk_full", "the disk quota is used up; delete files that are not needed, then try again"),
        errno.EFBIG: (507, "file_too_large", "the file would exceed the workspace's file size limit"),
        errno.EROFS: (
            403,
            "read_only",
            "this view of the workspace is read-only; leave plan or explore mode to change it",
        ),
        errno.EACCES: (403, "permission_denied", "permission denied"),
        errno.EPERM: (403, "permission_denied", "permission denied"),
        errno.ENOENT: (404, "not_found", "no such file or directory; list the directory to see what is there"),
        errno.ENOTDIR: (422, "not_a_directory", "a part of the path is a file, not a directory"),
        errno.EISDIR: (422, "is_a_directory", "is a directory; use list_files"),
        errno.ENAMETOOLONG: (422, "invalid", "the name is too long"),
        errno.ELOOP: (422, "outside", "the path went through a symbolic link that changed meanwhile; try again"),
        errno.EAGAIN: (
            503,
            "process_limit",
            "the workspace's process limit is reached; stop processes that are not needed",
        ),
        errno.EMFILE: (503, "busy", "too many open files in the workspace's agent; try again"),
    }
    status, code, message = known.get(error.errno or 0, (500, "io", error.strerror or str(error)))
    return Problem(status, code, f"{what}: {message}")
