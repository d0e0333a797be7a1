"""Skills: instructions that a model reads when it needs them, and where they come from."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol

import msgspec

from perdure.config.config import Config
from perdure.core.card import Card
from perdure.core.errors import WorkspaceRefused
from perdure.core.ids import ChatId, OrganisationId, UserId
from perdure.store.pool import Pool
from perdure.store.tables import skills
from perdure.tools.call import CallContext, ToolFailed
from perdure.workspaces import wire
from perdure.workspaces.contexts import Contexts
from perdure.workspaces.service import Workspaces

TEXT_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Asker:
    """On whose behalf skills are looked for, and in which chat. `home` is the chat whose workspace is meant."""

    chat_id: ChatId
    home: ChatId
    user_id: UserId
    organisation_id: OrganisationId
    has_workspace: bool = True
    """False where it is known that there is none, so that a plain chat costs no question."""

    @classmethod
    def of_card(cls, card: Card) -> "Asker":
        workspace = card.workspace_id is not None or card.root_id is not None
        return cls(card.id, card.root_id or card.id, card.asker, card.organisation_id, workspace)

    @classmethod
    def of_call(cls, ctx: CallContext) -> "Asker":
        return cls(ctx.key.chat_id, ctx.home, ctx.asker, ctx.organisation_id)


@dataclass(frozen=True, slots=True)
class Skill:
    """One entry of the index."""

    name: str
    description: str


class SkillSource(Protocol):
    """One place that skills come from."""

    async def index(self, asker: Asker) -> Sequence[Skill]:
        """What there is, in an order that stays."""
        ...

    async def read(self, asker: Asker, name: str, path: str) -> bytes | None:
        """A file of a skill of ours, such as `SKILL.md`; None where the skill is not ours or has no such file."""
        ...


class Skills:
    """All sources. Where two have a skill of one name, the first one counts."""

    def __init__(self, *sources: SkillSource) -> None:
        self._sources = sources

    async def index(self, asker: Asker) -> list[Skill]:
        found: dict[str, Skill] = {}
        for source in self._sources:
            for skill in await source.index(asker):
                found.setdefault(skill.name, skill)
        return list(found.values())

    async def read(self, asker: Asker, name: str, path: str = "SKILL.md") -> str:
        for source in self._sources:
            if name not in {skill.name for skill in await source.index(asker)}:
                continue
            content = await source.read(asker, name, path)
            if content is None:
                raise ToolFailed(
                    f"The skill {name!r} has no file {path!r}. Read it with read_skill to see what it names."
                )
            return _text(path, content)
        names = ", ".join(skill.name for skill in await self.index(asker)) or "none"
        raise ToolFailed(f"There is no skill {name!r}. There are: {names}.")


def _text(path: str, content: bytes) -> str:
    if b"\0" in content:
        raise ToolFailed(f"{path} is not text.")
    text = content[:TEXT_BYTES].decode(errors="replace")
    return text if len(content) <= TEXT_BYTES else f"{text}\n[Cut after {TEXT_BYTES} bytes.]"


MOST_BYTES = 4 * 1024 * 1024
"""More is read than is shown, so that what is cut can be said to be."""


class WorkspaceSkills:
    """The `SKILL.md` folders of a chat's workspace."""

    def __init__(self, contexts: Contexts, workspaces: Workspaces) -> None:
        self._contexts = contexts
        self._workspaces = workspaces

    async def index(self, asker: Asker) -> Sequence[Skill]:
        return [Skill(skill.name, skill.description) for skill in await self._pinned(asker)]

    async def read(self, asker: Asker, name: str, path: str) -> bytes | None:
        skill = next((each for each in await self._pinned(asker) if each.name == name), None)
        row = await self._workspaces.of_chat(asker.home)
        if skill is None or row is None or not _within(path):
            return None
        client = await self._workspaces.client(row)
        try:
            return await client.files.content(str(PurePosixPath(skill.path).parent / path), MOST_BYTES)
        except WorkspaceRefused as refusal:
            if refusal.code != "not_found":
                raise ToolFailed(f"{path} cannot be read: {refusal}") from refusal
            return None

    async def _pinned(self, asker: Asker) -> Sequence[wire.Skill]:
        pinned = await self._contexts.known(asker.chat_id, asker.home) if asker.has_workspace else None
        return pinned.skills if pinned else ()


def _within(path: str) -> bool:
    steps = PurePosixPath(path)
    return not steps.is_absolute() and ".." not in steps.parts


MAIN = "SKILL.md"


class PersonalSkills:
    """A person's own skills. The index is part of their configuration; a skill is read when it is needed."""

    def __init__(self, config: Config, pool: Pool) -> None:
        self._config = config
        self._pool = pool

    async def index(self, asker: Asker) -> Sequence[Skill]:
        known = (await self._config.personal(asker.user_id)).skills
        return [Skill(name, description) for name, description in known.items()]

    async def read(self, asker: Asker, name: str, path: str) -> bytes | None:
        skill = await skills.read_of_person(self._pool, asker.user_id, name)
        if skill is None:
            return None
        if path == MAIN:
            return skill.content.encode()
        files = msgspec.json.decode(skill.files, type=dict[str, str])
        return files[path].encode() if path in files else None
