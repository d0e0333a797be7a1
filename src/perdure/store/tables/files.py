"""Files that people attach and tools hand over."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from msgspec import Struct

from perdure.core.ids import ChatId, FileId, OrganisationId, UserId
from perdure.store.query import query
from perdure.store.scopes import Database, PersonScope


class KeptFile(Struct, frozen=True):
    """A file with its content, or with the object that holds it."""

    id: FileId
    organisation_id: OrganisationId
    name: str
    media_type: str
    size: int
    content: bytes | None
    object_id: int | None
    hash: bytes | None


class FileRow(Struct, frozen=True):
    """What is known of a file besides its content."""

    id: FileId
    name: str
    size: int
    created_at: datetime


class UsableFile(Struct, frozen=True):
    """A file of somebody's own, and whether a chat holds it already."""

    id: FileId
    name: str
    media_type: str
    held: bool


class HandedOver(Struct, frozen=True):
    """A file that a tool hands over."""

    id: UUID
    organisation_id: OrganisationId
    owner_id: UserId
    name: str
    media_type: str
    size: int
    content: bytes


@query
async def add(scope: PersonScope, file_id: FileId, name: str, media_type: str, size: int, content: bytes) -> None: ...


@query
async def known(scope: PersonScope, file_id: FileId) -> FileId | None: ...


@query
async def read(scope: PersonScope, file_id: FileId) -> KeptFile | None: ...


@query
async def described(scope: PersonScope, file_id: FileId) -> FileRow | None: ...


@query
async def owned(scope: PersonScope, most: int) -> list[FileRow]: ...


@query
async def discard(scope: PersonScope, file_id: FileId) -> FileId | None: ...


@query
async def usable(scope: PersonScope, files: Sequence[UUID], chat_id: ChatId | None) -> list[UsableFile]: ...


@query
async def contents(db: Database, chat_id: ChatId, files: Sequence[UUID]) -> list[KeptFile]: ...


@query
async def keep(db: Database, file: HandedOver) -> None: ...


@query
async def forget_unused(db: Database, organisation_id: OrganisationId, kept: timedelta) -> list[FileId]: ...
