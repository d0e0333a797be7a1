"""What tools reach the rest of the system through: one typed record, made once per replica."""

from dataclasses import dataclass
from typing import Protocol

from perdure.config.config import Config
from perdure.core.card import Card
from perdure.core.ids import ChatId
from perdure.tools.call import CallContext, ToolOutput
from perdure.tools.family import Family
from perdure.tools.skill_sources import Skills
from perdure.workspaces.chat_files import ChatFiles
from perdure.workspaces.proposals import Proposals
from perdure.workspaces.service import Workspaces


class Archive(Protocol):
    """What was said before the newest summary."""

    async def read(self, chat_id: ChatId, *, words: str, before: int | None, limit: int) -> str: ...


class MemoryStore(Protocol):
    """What is kept for later chats, and told them."""

    async def block(self, card: Card) -> str | None: ...

    async def keep(self, ctx: CallContext, text: str, label: str) -> str: ...

    async def find(self, chat_id: ChatId, words: str, limit: int) -> str: ...


class ScheduleStore(Protocol):
    """What begins by itself, of whoever asked."""

    async def add(self, ctx: CallContext, name: str, rule: str, prompt: str, zone: str, *, here: bool) -> str: ...

    async def listed(self, ctx: CallContext) -> str: ...

    async def remove(self, ctx: CallContext, schedule: str) -> str: ...


class Advisor(Protocol):
    """Whoever gives advice."""

    async def advise(self, ctx: CallContext, question: str) -> ToolOutput: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolServices:
    workspaces: Workspaces
    chat_files: ChatFiles
    proposals: Proposals
    config: Config
    family: Family
    skills: Skills
    archive: Archive
    advisor: Advisor
    memories: MemoryStore
    schedules: ScheduleStore
