"""A file out of a form, and what it is by its content: the type that is said must be the type that it has."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

import msgspec

from perdure.core.errors import InvalidInput, TooLarge, Validation

FILE_LIMIT = 10 * 1024 * 1024
NAME_LIMIT = 255

_MAGIC = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"%PDF-": "application/pdf",
}
TEXTS = ("application/json", "text/csv", "text/markdown", "text/plain")
MEDIA_TYPES = (*dict.fromkeys(_MAGIC.values()), "image/webp", *TEXTS)
_ENDINGS = {".json": "application/json", ".csv": "text/csv", ".md": "text/markdown", ".markdown": "text/markdown"}


def sniffed(content: bytes, said: str, name: str) -> str:
    """The file's type. What is said only chooses between kinds of text."""
    if not content:
        raise InvalidInput("The file is empty.")
    found = _of_content(content)
    said = said.partition(";")[0].strip().lower()
    if found != "text/plain":
        if said in MEDIA_TYPES and said != found:
            raise _refused(f"is {found}, not {said}")
        return found
    said = said if said in TEXTS else _by_ending(name)
    if said == "application/json" and not _is_json(content):
        raise _refused("is not JSON")
    return said


def _of_content(content: bytes) -> str:
    for magic, media_type in _MAGIC.items():
        if content.startswith(magic):
            return media_type
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise _refused(f"must be one of: {', '.join(MEDIA_TYPES)}") from None
    if "\0" in text or text.lstrip().lower().startswith(("<svg", "<?xml", "<!doctype", "<html")):
        raise _refused(f"must be one of: {', '.join(MEDIA_TYPES)}")
    return "text/plain"


def _by_ending(name: str) -> str:
    return next((kind for ending, kind in _ENDINGS.items() if name.lower().endswith(ending)), "text/plain")


def _is_json(content: bytes) -> bool:
    try:
        msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _refused(detail: str) -> InvalidInput:
    return InvalidInput("This kind of file is not accepted.", Validation("content-type", detail))


def file_name(text: str) -> str:
    """A name without folders and control characters, as long as we keep one."""
    name = "".join(c for c in text.replace("\\", "/").rsplit("/", 1)[-1] if c.isprintable()).strip()
    if not name or len(name.encode()) > NAME_LIMIT:
        raise InvalidInput("The file needs a name.", Validation("x-file-name", f"1 to {NAME_LIMIT} bytes"))
    return name


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
