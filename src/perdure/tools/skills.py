"""Skills: instructions that a model reads when it needs them. Where they come from, and how tools ask for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from perdure.core.card import Card
from perdure.core.ids import ChatId, OrganisationId, UserId
from perdure.tools.call import CallContext, ToolFailed

TEXT_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Asker:
    """On whose behalf skills are looked for, and in which chat. `home` is the chat whose workspace is meant."""

    chat_id: ChatId
    home: ChatId
    owner_id: UserId
    organisation_id: OrganisationId
    has_workspace: bool = True
    """False where it is known that there is none, so that a plain chat costs no question."""

    @classmethod
    def of_card(cls, card: Card) -> "Asker":
        workspace = card.workspace_id is not None or card.root_id is not None
        return cls(card.id, card.root_id or card.id, card.owner_id, card.organisation_id, workspace)

    @classmethod
    def of_call(cls, ctx: CallContext) -> "Asker":
        return cls(ctx.key.chat_id, ctx.home, ctx.owner_id, ctx.organisation_id)


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
        raise ToolFailed(f"{path} is not a text.")
    text = content[:TEXT_BYTES].decode(errors="replace")
    return text if len(content) <= TEXT_BYTES else f"{text}\n[Cut after {TEXT_BYTES} bytes.]"
