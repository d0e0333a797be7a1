"""The rows of templates that organisations brought."""

from dataclasses import dataclass

import msgspec

from perdure.core.ids import OrganisationId
from perdure.store.pool import Pool
from perdure.store.tables import templates

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

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def load(self, organisation_id: OrganisationId, name: str) -> TemplateRow | None:
        row = await templates.load(self._pool, organisation_id, name)
        if row is None:
            return None
        return TemplateRow(row.name, row.recipe, row.readme, _files.decode(row.files))

    async def list(self, organisation_id: OrganisationId) -> list[TemplateRow]:
        rows = await templates.listed(self._pool, organisation_id)
        return [TemplateRow(row.name, row.recipe, row.readme, {}) for row in rows]
