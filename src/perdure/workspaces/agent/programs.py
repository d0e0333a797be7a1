"""The place for finding programs. The standard library's `which` would bring compression libraries into memory."""

from __future__ import annotations

import os


def find_program(name: str, path: str) -> str | None:
    for directory in path.split(":"):
        candidate = os.path.join(directory, name)
        if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return candidate
    return None
