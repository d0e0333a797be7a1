"""Skills that people keep for themselves, in the database."""

from collections.abc import Sequence

import msgspec
from asyncpg import Pool, Record

from perdure.config.config import Config
from perdure.store.queries import query
from perdure.tools.skills import Asker, Skill

MAIN = "SKILL.md"


class PersonalSkills:
    """A person's own skills. The index is part of their configuration; a skill is read when it is needed."""

    def __init__(self, config: Config, pool: "Pool[Record]") -> None:
        self._config = config
        self._pool = pool

    async def index(self, asker: Asker) -> Sequence[Skill]:
        known = (await self._config.personal(asker.owner_id)).skills
        return [Skill(name, description) for name, description in known.items()]

    async def read(self, asker: Asker, name: str, path: str) -> bytes | None:
        row = await self._pool.fetchrow(query("skills/read"), asker.owner_id, name)
        if row is None:
            return None
        if path == MAIN:
            return row["content"].encode()
        files = msgspec.json.decode(row["files"], type=dict[str, str])
        return files[path].encode() if path in files else None
