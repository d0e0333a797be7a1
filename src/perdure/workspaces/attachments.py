"""Which files of a workspace may become files of a chat, and as what."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from perdure.core.errors import WorkspaceRefused

MOST_BYTES = 10 * 1024 * 1024
NAME_BYTES = 255
SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
)
TEXTS = {".json": "application/json", ".csv": "text/csv", ".md": "text/markdown", ".markdown": "text/markdown"}


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file on its way into a chat."""

    name: str
    media_type: str
    content: bytes


def attachment(path: str, name: str | None, content: bytes) -> Attachment:
    """A file with the type its bytes say, not the one its name claims."""
    chosen = PurePosixPath(name or path).name
    if not chosen or len(chosen.encode()) > NAME_BYTES:
        raise WorkspaceRefused("invalid", f"The name must have 1 to {NAME_BYTES} bytes.")
    kind = media_type(chosen, content)
    if kind is None:
        raise WorkspaceRefused(
            "not_attachable",
            f"{path} cannot be attached: only PNG, JPEG, GIF, WebP, PDF, JSON, CSV, Markdown and plain text can. "
            "Convert it first.",
        )
    return Attachment(chosen, kind, content)


def media_type(name: str, content: bytes) -> str | None:
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    for signature, kind in SIGNATURES:
        if content.startswith(signature):
            return kind
    suffix = PurePosixPath(name).suffix.lower()
    if b"\0" in content or suffix == ".svg":
        return None
    try:
        content.decode()
    except UnicodeDecodeError:
        return None
    return TEXTS.get(suffix, "text/plain")
