"""The rows of templates that organisations brought."""

from dataclasses import dataclass

import msgspec
from asyncpg import Pool, Record

from perdure.core.ids import OrganisationId
from perdure.store.queries import query

_files = msgspec.msgpack.Decoder(dict[str, bytes])


@dataclass(frozen=True, slots=True)
class TemplateRow:
    """A template as its texts. `files` are left out of lists."""

    name: str
    recipe: str
    readme: str
    files: dict[str, bytes]


def packed(files: dict[str, bytes]) -> bytes:
    return msgspec.msgpack.encode(files)


class TemplateRows:
    """Reads the rows."""

    def __init__(self, pool: "Pool[Record]") -> None:
        self._pool = pool

    async def load(self, organisation_id: OrganisationId, name: str) -> TemplateRow | None:
        row = await self._pool.fetchrow(query("templates/load"), organisation_id, name)
        if row is None:
            return None
        return TemplateRow(row["name"], row["recipe"], row["readme"], _files.decode(row["files"]))

    async def list(self, organisation_id: OrganisationId) -> list[TemplateRow]:
        rows = await self._pool.fetch(query("templates/list"), organisation_id)
        return [TemplateRow(row["name"], row["recipe"], row["readme"], {}) for row in rows]
