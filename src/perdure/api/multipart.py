"""A file out of a form."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from perdure.core.errors import InvalidInput, TooLarge

_BOUNDARY = re.compile(r'boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))', re.IGNORECASE)
_NAME = re.compile(r'[;\s]filename=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))', re.IGNORECASE)
_ENCODED_NAME = re.compile(r"[;\s]filename\*=utf-8'[^']*'([^\s;]+)", re.IGNORECASE)
_HEAD_BYTES = 8 * 1024
_MOST_PARTS = 100


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it was sent, before anybody looked inside."""

    name: str
    media_type: str
    content: bytes

    def within(self, limit: int) -> "Upload":
        if len(self.content) > limit:
            raise TooLarge(limit)
        return self


def upload_of(body: bytes, content_type: str, *, limit: int) -> Upload:
    """The one file of a form."""
    boundary = _BOUNDARY.search(content_type)
    mark = (boundary[1] or boundary[2]).encode("latin-1") if boundary else b""
    files = [upload for upload in _parts(body, mark) if upload.name] if mark else []
    if len(files) != 1:
        raise InvalidInput("The form must hold exactly one file.")
    return files[0].within(limit)


def _parts(body: bytes, mark: bytes) -> Iterator[Upload]:
    """What stands between the marks. A part that is no file has no name."""
    pieces = (b"\r\n" + body).split(b"\r\n--" + mark, _MOST_PARTS)
    if len(pieces) > _MOST_PARTS:
        raise InvalidInput("The form has too many parts.")
    for piece in pieces[1:]:
        if piece.startswith(b"--"):
            return
        head, _, content = piece.partition(b"\r\n\r\n")
        if len(head) > _HEAD_BYTES:
            raise InvalidInput("The form cannot be read.")
        yield _upload(head.decode(errors="replace"), content)


def _upload(head: str, content: bytes) -> Upload:
    lines = (line.partition(":") for line in head.split("\r\n"))
    headers = {name.strip().lower(): value.strip() for name, _, value in lines}
    disposition = headers.get("content-disposition", "")
    return Upload(_name(disposition), headers.get("content-type", "text/plain"), content)


def _name(disposition: str) -> str:
    if encoded := _ENCODED_NAME.search(disposition):
        return unquote(encoded[1])
    found = _NAME.search(disposition)
    # Browsers write a quotation mark as %22, other programs put a backslash before it.
    return (found[1] or found[2] or "").replace('\\"', '"').replace("%22", '"') if found else ""
