"""Skills that people keep for themselves, in the database."""

from collections.abc import Sequence

import msgspec

from perdure.config.config import Config
from perdure.store.pool import Pool
from perdure.store.tables import skills
from perdure.tools.skills import Asker, Skill

MAIN = "SKILL.md"


class PersonalSkills:
    """A person's own skills. The index is part of their configuration; a skill is read when it is needed."""

    def __init__(self, config: Config, pool: Pool) -> None:
        self._config = config
        self._pool = pool

    async def index(self, asker: Asker) -> Sequence[Skill]:
        known = (await self._config.personal(asker.owner_id)).skills
        return [Skill(name, description) for name, description in known.items()]

    async def read(self, asker: Asker, name: str, path: str) -> bytes | None:
        skill = await skills.read_of_person(self._pool, asker.owner_id, name)
        if skill is None:
            return None
        if path == MAIN:
            return skill.content.encode()
        files = msgspec.json.decode(skill.files, type=dict[str, str])
        return files[path].encode() if path in files else None
