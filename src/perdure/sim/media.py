"""Attached images and documents: what base64 content really is, judged by its first bytes."""

import base64

IMAGE_TOKENS = 1_600
DOCUMENT_TOKENS = 3_000

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
)


def content(data: str) -> bytes | None:
    """The bytes, or nothing when the text is not base64."""
    try:
        return base64.b64decode(data, validate=True)
    except ValueError:
        return None


def media_type(data: bytes) -> str | None:
    """What the bytes are, when they are something a model takes."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((name for magic, name in _MAGIC if data.startswith(magic)), None)
