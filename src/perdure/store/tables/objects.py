"""Bytes of files that are in object storage: from before they are written there until after they are removed."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec import Struct

from perdure.core.ids import FileId, OrganisationId
from perdure.store.query import Written, query
from perdure.store.scopes import Database


class MovingFile(Struct, frozen=True):
    """A file whose content is still in its row, taken to be moved."""

    id: FileId
    organisation_id: OrganisationId
    content: bytes


class MovedFile(Struct, frozen=True):
    """A file whose content is in an object."""

    id: FileId
    organisation_id: OrganisationId
    object_id: int
    hash: bytes


class Begun(Struct, frozen=True):
    id: int
    stored: bool
    """Whether the object is there already: somebody else keeps the same content."""


class StoredObject(Struct, frozen=True):
    id: int
    organisation_id: OrganisationId
    hash: bytes


class Amount(Struct, frozen=True):
    files: int
    bytes: int


@query
async def take(db: Database, smallest: int, taken: timedelta, most: int) -> list[MovingFile]: ...


@query
async def begin(
    db: Database, organisation_id: OrganisationId, content_hash: bytes, size: int, taken: timedelta
) -> Begun | None: ...


@query
async def release(db: Database, file_id: FileId) -> None: ...


@query
async def give_up(db: Database, object_id: int) -> None: ...


@query
async def settle(db: Database, file_id: FileId, object_id: int) -> Written: ...


@query
async def waiting(db: Database, smallest: int) -> Amount: ...


@query
async def held(db: Database) -> Amount: ...


@query
async def mark_unused(db: Database, fresh: timedelta) -> Written: ...


@query
async def to_remove(db: Database, kept: timedelta, taken: timedelta, most: int) -> list[StoredObject]: ...


@query
async def forget(db: Database, object_id: int) -> None: ...


@query
async def strangers(db: Database, object_ids: Sequence[int], organisations: Sequence[OrganisationId]) -> list[int]: ...


@query
async def moved(db: Database, after: FileId | None, most: int) -> list[MovedFile]: ...


@query
async def bring_back(db: Database, file_id: FileId, object_id: int, content: bytes) -> Written: ...
