"""Files on the wire."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from perdure.core.ids import FileId


class UploadQuery(Struct, frozen=True, forbid_unknown_fields=True):
    chat_id: UUID | None = None
    """The chat that it is meant for. The message that names the file links it."""


class StoredFile(Struct, frozen=True):
    id: FileId
    name: str
    media_type: str
    size: int


class FileUrl(Struct, frozen=True):
    url: str
    expires_in_s: int


class SignedQuery(Struct, frozen=True, forbid_unknown_fields=True):
    signature: Annotated[str, Meta(max_length=400)]
