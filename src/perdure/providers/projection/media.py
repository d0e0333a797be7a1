"""Files on their way to a model: pictures that fit, documents it reads, and words for everything else."""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perdure.core.message import Text
from perdure.providers.request import FileContent

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_TEXT_BYTES = 128 * 1024
MAX_PICTURE_BYTES = 3_750_000
"""Anthropic refuses pictures over 5 MiB of base64; the others take more."""
MAX_PICTURE_EDGE = 2_000
"""Anthropic's limit when a request holds many pictures. Models look at less than that."""
MAX_PICTURE_PIXELS = 60_000_000
MAX_DOCUMENT_BYTES = 10 * 1024 * 1024

PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
DOCUMENT = "application/pdf"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A picture or a document as bytes."""

    name: str
    media_type: str
    data: bytes

    @property
    def picture(self) -> bool:
        return self.media_type in PICTURES


def resolved(
    file_id: str,
    name: str,
    *,
    files: Mapping[str, FileContent],
    images: bool,
    documents: bool,
) -> Text | Attachment:
    """What a model gets for a file: itself where the model takes it, else a text. Never an error."""
    content = files.get(file_id)
    if content is None:
        return _said(name, "is no longer available")
    if content.media_type in PICTURES:
        if not images:
            return _said(name, "is a picture, which this model cannot see")
        return fitted(content) or _said(name, "is a picture that could not be read")
    if content.media_type == DOCUMENT:
        if not documents:
            return _said(name, "is a PDF, which this model cannot read")
        if len(content.data) > MAX_DOCUMENT_BYTES:
            return _said(name, "is a PDF too large to send")
        return Attachment(name, DOCUMENT, content.data)
    return _text(name, content)


def shrunk(content: FileContent, *, whole: bool = False) -> FileContent:
    """The file as small as models get to see it. Slow for a large picture: do it once, and in a thread.

    A picture that breaks off in the middle is none: providers refuse the whole request for it. That is not looked at
    again where somebody knows that it is whole.
    """
    if content.media_type not in PICTURES:
        return content
    small = fitted(content, to_the_end=not whole)
    media_type, data = (content.media_type, b"") if small is None else (small.media_type, small.data)
    return FileContent(content.name, media_type, data)


def fitted(content: FileContent, *, to_the_end: bool = False) -> Attachment | None:
    """The picture within every provider's limits, scaled down if it must be. None if it is not a picture.

    One that goes as it is is only read to its end where somebody asks for it.
    """
    # Only those who send pictures pay for loading what reads them.
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415

    try:
        with Image.open(io.BytesIO(content.data)) as picture:
            found = _within(content, picture, Image.MIME.get(picture.format or "", ""))
            if to_the_end and found is not None and found.data is content.data:
                picture.load()
            return found
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError, SyntaxError):
        return None


def _within(content: FileContent, picture: "Image", truth: str) -> Attachment | None:
    width, height = picture.size
    if width * height > MAX_PICTURE_PIXELS:
        return None
    if len(content.data) <= MAX_PICTURE_BYTES and max(width, height) <= MAX_PICTURE_EDGE and truth in PICTURES:
        return Attachment(content.name, truth, content.data)
    small = picture.convert("RGB")
    edge = MAX_PICTURE_EDGE
    while edge >= 250:
        small.thumbnail((edge, edge))
        scaled = io.BytesIO()
        small.save(scaled, "JPEG", quality=85)
        if scaled.tell() <= MAX_PICTURE_BYTES:
            return Attachment(content.name, "image/jpeg", scaled.getvalue())
        edge //= 2
    return None


def _text(name: str, content: FileContent) -> Text:
    words = content.data[:MAX_TEXT_BYTES].decode("utf-8", "replace")
    if "\x00" in words:
        return _said(name, "is not a text that can be shown")
    cut = "\n[… the file goes on]" if len(content.data) > MAX_TEXT_BYTES else ""
    return Text(f'<file name="{name}">\n{words}{cut}\n</file>')


def _said(name: str, what: str) -> Text:
    return Text(f"[The file {name!r} {what}.]")
