"""Templates of workspaces that organisations brought."""

import msgspec
from msgspec import Struct

from perdure.core.ids import OrganisationId
from perdure.store.query import query
from perdure.store.scopes import Database, OrganisationScope

_files = msgspec.msgpack.Decoder(dict[str, bytes])


class TemplateTexts(Struct, frozen=True):
    name: str
    recipe: str
    readme: str


class StoredTemplate(Struct, frozen=True):
    name: str
    recipe: str
    readme: str
    files: bytes

    @property
    def unpacked(self) -> dict[str, bytes]:
        return _files.decode(self.files)


def packed(files: dict[str, bytes]) -> bytes:
    return msgspec.msgpack.encode(files)


@query
async def listed(db: Database, organisation_id: OrganisationId) -> list[TemplateTexts]: ...


@query
async def everybodys(db: Database) -> list[TemplateTexts]: ...


@query
async def load(db: Database, organisation_id: OrganisationId, name: str) -> StoredTemplate | None: ...


@query
async def put(scope: OrganisationScope, name: str, recipe: str, readme: str, files: bytes) -> None: ...


@query
async def remove(scope: OrganisationScope, name: str) -> str | None: ...
