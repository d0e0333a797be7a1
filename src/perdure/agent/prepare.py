"""What one turn needs before the model can be asked: which model, which tools, what surrounds the history."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from perdure.agent.history import History, newest_user_message
from perdure.agent.models import Models, ResolvedModel
from perdure.agent.prompt import Surroundings, system_blocks
from perdure.agent.toolset import Toolset, toolset_for
from perdure.core.card import Card
from perdure.core.message import Message
from perdure.core.parts import File
from perdure.providers.request import FileContent, ModelRequest
from perdure.tools.tool import Tool


class Tools(Protocol):
    """Where tools come from besides those that ship: MCP servers, skills, the workspace."""

    async def available(self, card: Card) -> Sequence[Tool]: ...


class Sources(Protocol):
    """Where the surroundings of a prompt come from."""

    async def surroundings(self, card: Card) -> Surroundings: ...


class Files(Protocol):
    """Where the contents of attached files come from."""

    async def contents(self, card: Card, file_ids: Sequence[str]) -> dict[str, FileContent]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Everything but the messages. It stays the same from step to step, and so do its bytes."""

    model: ResolvedModel
    toolset: Toolset
    system: tuple[str, ...]
    files: dict[str, FileContent] = field(default_factory=dict[str, FileContent])

    def request(self, history: History) -> ModelRequest:
        return ModelRequest(
            messages=history.prompt(),
            system=self.system,
            tools=self.toolset.specs(),
            web_search=self.model.web_search,
            settings=self.model.settings,
            files=self.files,
            cache_key=str(history.card.id),
        )


@dataclass(frozen=True, slots=True)
class Preparation:
    """Answers the questions of a turn."""

    models: Models
    tools: Tools
    sources: Sources
    files: Files

    async def prepare(self, history: History) -> Prepared:
        asked = newest_user_message(history)
        card = history.card
        model = await self.models.resolve(
            card, (asked and asked.model) or card.model, (asked and asked.effort) or card.effort
        )
        toolset = toolset_for(card, await self.tools.available(card))
        surroundings = await self.sources.surroundings(card)
        files = await self.files.contents(card, _file_ids(history.prompt()))
        return Prepared(
            model=model, toolset=toolset, system=system_blocks(history, toolset.mode, surroundings), files=files
        )


def _file_ids(messages: Iterable[Message]) -> list[str]:
    found = [part.file_id for message in messages for part in message.parts if isinstance(part, File)]
    return list(dict.fromkeys(found))
