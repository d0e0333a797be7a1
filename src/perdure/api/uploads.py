"""What a file is, by its content: the type that is said must be the type that it has."""

import msgspec

from perdure.core.errors import InvalidInput, Validation

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
            raise _refused(f"is {found}, and not {said}")
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
    return InvalidInput("This kind of file is not taken.", Validation("content-type", detail))


def file_name(text: str) -> str:
    """A name without folders and control characters, as long as we keep one."""
    name = "".join(c for c in text.replace("\\", "/").rsplit("/", 1)[-1] if c.isprintable()).strip()
    if not name or len(name.encode()) > NAME_LIMIT:
        raise InvalidInput("The file needs a name.", Validation("x-file-name", f"1 to {NAME_LIMIT} bytes"))
    return name
