"""The web page: files of one folder, read once, with a policy that lets no foreign script in."""

import asyncio
import gzip
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from perdure.api.errors import Problem
from perdure.api.http import Answer, Receive, Scope, Send, headers_of

INDEX = "/index.html"
HASHED = "/assets/"

# Styles that a terminal inserts count because the page adopts them as sheets of its own.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; frame-src 'self'{frames}; manifest-src 'self'; worker-src 'self'; "
    "media-src 'self' blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
# Diagrams are drawn in a frame without an origin, by a library that writes styles into what it draws.
DRAWING = "/diagram.html"
DRAWING_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"
)
_HEADERS = (
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
)
_PLACES = ("/chats", "/settings", "/admin", "/login", "/inbox", "/workspaces", "/shared")
_MISSING = b"<!doctype html><title>Perdure</title><p>The web page is not built. Run <code>make run</code>.</p>"


@dataclass(frozen=True)
class _File:
    content: bytes
    media_type: str

    @classmethod
    def read(cls, path: Path) -> "_File":
        return cls(path.read_bytes(), mimetypes.guess_type(path.name)[0] or "application/octet-stream")

    @cached_property
    def squeezed(self) -> bytes | None:
        """Made for the first who asks. To squeeze every file took longer than all else that a replica does to start."""
        return gzip.compress(self.content, 6) if _texty(self.media_type) else None


def _texty(media_type: str) -> bool:
    return media_type.startswith("text/") or media_type.endswith(("javascript", "json", "svg+xml"))


class Page:
    """Serves the files, and the page itself at every place that only the page knows."""

    def __init__(self, folder: Path | None, *, frames: str = "") -> None:
        self._policy = POLICY.format(frames=f" {frames}" if frames else "")
        self._files = _files(folder) if folder is not None and folder.is_dir() else {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        headers = headers_of(scope)
        # In a thread, as whoever asks first has the file squeezed.
        answer = await asyncio.to_thread(self._answer, scope["method"], scope["path"], headers)
        await answer.send(send)

    def _answer(self, method: str, path: str, headers: Mapping[str, str]) -> Answer:
        if method not in ("GET", "HEAD"):
            return Answer.json(405, Problem("This address is only read."), ("allow", "GET, HEAD"))
        file = self._files.get(path)
        squeeze = "gzip" in headers.get("accept-encoding", "")
        if file is not None:
            return self._served(file, path, squeeze=squeeze)
        index = self._files.get(INDEX) or _File(_MISSING, "text/html")
        if _known(path):
            return self._served(index, path, squeeze=squeeze)
        if "text/html" in headers.get("accept", "") and not path.startswith(HASHED):
            # The page itself says that nothing is here, and where to go from it.
            return replace(self._served(index, path, squeeze=squeeze), status=404)
        return Answer.json(404, Problem("There is nothing at this address."))

    def _served(self, file: _File, path: str, *, squeeze: bool) -> Answer:
        # A file whose name holds a hash of its content never changes.
        kept = "public, max-age=31536000, immutable" if path.startswith(HASHED) else "no-cache"
        kind = f"{file.media_type}; charset=utf-8" if _texty(file.media_type) else file.media_type
        headers = (
            ("content-type", kind),
            ("cache-control", kept),
            ("vary", "accept-encoding"),
            *self._rules(path),
            *_HEADERS,
        )
        if squeeze and file.squeezed is not None:
            return Answer(200, file.squeezed, (*headers, ("content-encoding", "gzip")))
        return Answer(200, file.content, headers)

    def _rules(self, path: str) -> tuple[tuple[str, str], ...]:
        policy = ("content-security-policy", DRAWING_POLICY if path == DRAWING else self._policy)
        # They are the same for everybody, and to a frame without an origin everything is foreign.
        return (policy, ("access-control-allow-origin", "*")) if path.startswith(HASHED) else (policy,)


def _known(path: str) -> bool:
    return path == "/" or any(path == place or path.startswith(f"{place}/") for place in _PLACES)


def _files(folder: Path) -> dict[str, _File]:
    return {f"/{path.relative_to(folder).as_posix()}": _File.read(path) for path in folder.rglob("*") if path.is_file()}
