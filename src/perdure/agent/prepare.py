"""What one turn needs before the model can be asked: which model, which tools, what surrounds the history."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

from msgspec import structs

from perdure.agent.compaction.shorten import Fitted, fitted, without
from perdure.agent.compaction.size import UNKNOWN_WINDOW, Frame, may_compact
from perdure.agent.decision import STEP_LIMIT, Policy
from perdure.agent.history import History, newest_user_message
from perdure.agent.kept_responses import chained
from perdure.agent.models import Models, ResolvedModel, resolved, switched_to
from perdure.agent.prompt import PromptContext, system_blocks
from perdure.agent.toolset import Room, Toolset, mode_of, toolset_for
from perdure.core.action import Approvers
from perdure.core.card import Card
from perdure.core.errors import ProviderFailure
from perdure.core.failure import ChatError, ErrorKind
from perdure.core.ids import ModelName
from perdure.core.message import Effort, Message, NewMessage, Usage
from perdure.providers.estimate import file_tokens
from perdure.providers.model import cost
from perdure.providers.projection.media import DOCUMENT, PICTURES
from perdure.providers.projection.media import resolved as resolved_file
from perdure.providers.request import FileContent, ModelRequest
from perdure.tools.call import LOOKING
from perdure.tools.mcp.search import found_in
from perdure.tools.mcp.tools import McpOffer
from perdure.tools.tool import Tool

EXCLUDED = ChatError(
    "Whoever asked for this cannot write in this chat any more, so it is not answered.", ErrorKind.CONFIG
)
FOREIGN_SHARE = 10
"""The descriptions of foreign tools may take a tenth of the window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a chat's owner and their organisation may spend in a month, in micro-dollars. None means no limit."""

    user: int | None = None
    organisation: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the deployment and the owner settle about turns."""

    step_limit: int = STEP_LIMIT
    policies: dict[str, Policy] = field(default_factory=dict[str, Policy])
    forbidden: frozenset[str] = frozenset()
    """Tools that the organisation denies, whatever a chat has settled for itself."""
    summary_model: ModelName | None = None
    tool_search: bool = False
    """Whether foreign tools have to be looked for where there are too many."""
    title_model: ModelName | None = None
    approvers: Approvers = Approvers.ANYBODY
    """Who may approve calls in every chat; anybody: what the chat says."""
    limits: Limits = field(default_factory=Limits)


class Tools(Protocol):
    """Where tools come from besides those that ship: MCP servers, skills, the workspace."""

    async def available(self, card: Card) -> Sequence[Tool]: ...


class Servers(Protocol):
    """The MCP servers that a chat may use."""

    async def offer(self, card: Card, *, looking: bool) -> McpOffer: ...


class NoServers:
    async def offer(self, card: Card, *, looking: bool) -> McpOffer:  # noqa: ARG002
        return McpOffer()


class Sources(Protocol):
    """Where the context of a prompt and the rules of a turn come from."""

    async def context(self, card: Card) -> PromptContext: ...

    async def rules(self, card: Card) -> Rules: ...


class Files(Protocol):
    """Where the contents of attached files come from."""

    async def contents(self, card: Card, file_ids: Sequence[str]) -> dict[str, FileContent]: ...


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """Everything but the messages. It stays the same from step to step, and so do its bytes."""

    model: ResolvedModel
    toolset: Toolset
    system: tuple[str, ...]
    rules: Rules = field(default_factory=Rules)
    files: dict[str, FileContent] = field(default_factory=dict[str, FileContent])
    file_ids: tuple[str, ...] = ()
    """Those that were asked for; some may be gone."""
    file_sizes: dict[str, int] = field(default_factory=dict[str, int])
    """Tokens of each file as the model gets it."""
    summarising: ResolvedModel | None = None
    """The model that is set for summaries, where there is one that can be used."""

    @property
    def summariser(self) -> ResolvedModel:
        return self.summarising or self.model

    @property
    def window(self) -> int:
        """How much may be told at once: what fits the model that answers, and the one that summarises it."""
        return min(model.window or UNKNOWN_WINDOW for model in (self.model, self.summariser))

    @cached_property
    def frame(self) -> Frame:
        return Frame(self.system, self.toolset.specs, self.file_sizes)

    def worst_case(self, tokens: int) -> int:
        """What a call with a prompt of so many tokens may cost at list price. A model without a price costs nothing."""
        price = self.model.route.model.price
        if price is None:
            return 0
        return cost(Usage(input=tokens, output=self.model.settings.max_output_tokens), price)

    def request(self, history: History, messages: Sequence[NewMessage]) -> ModelRequest:
        settings, continuation = chained(self.model.settings, history, self.system)
        return structs.replace(
            self.beginning(history),
            messages=messages,
            settings=settings,
            continuation=continuation,
            settled=history.settled,
        )

    def beginning(self, history: History) -> ModelRequest:
        """What all requests of a chat begin with, and its files: what a provider has cached is found again by it."""
        return ModelRequest(
            messages=(),
            system=self.system,
            tools=self.toolset.specs,
            web_search=self.model.web_search,
            screen=self.toolset.screen,
            settings=self.model.settings,
            files=self.files,
            cache_key=str(history.card.id),
        )

    def told(self, history: History) -> Fitted:
        """The messages. Where no compaction helps any more, what is largest is cut or left out in the prompt only."""
        prompt = history.prompt()
        if self.model.window is None or may_compact(history):
            return Fitted(prompt)
        output = min(self.model.settings.max_output_tokens, self.model.window // 4)
        return fitted(prompt, max(1, self.model.window - output - self.frame.tokens), self.frame)

    def told_less(self, history: History, refused: Fitted) -> Fitted | None:
        """Half of what the provider refused for its size, where neither a compaction nor leaving out is done yet."""
        if may_compact(history):
            return None
        frame = self.frame
        try:
            return fitted(history.prompt(), frame.of(refused.messages) // 2, frame)
        except ProviderFailure:
            return None

    def told_in_words(self, refused: Fitted) -> Fitted | None:
        """The same without pictures and documents, of which the provider refused one; nothing where there are none."""
        kinds = PICTURES | {DOCUMENT}
        return without(refused, {file_id for file_id, file in self.files.items() if file.media_type in kinds})


@dataclass(frozen=True, slots=True)
class Preparation:
    """Answers the questions of a turn."""

    models: Models
    tools: Tools
    sources: Sources
    files: Files
    servers: Servers = field(default_factory=NoServers)

    async def prepare(self, history: History, turn: int) -> Prepared:
        """What the turn needs that the message of this number began."""
        card = history.card
        if card.excluded:
            raise ProviderFailure(EXCLUDED)
        model = await self.model(history, turn)
        rules = await self.sources.rules(card)
        offer = await self.servers.offer(card, looking=mode_of(card) in LOOKING)
        tools = [tool for tool in await self.tools.available(card) if tool.screen is None or model.sees_screens]
        toolset = toolset_for(card, tools, offer, _room(history, model, rules))
        context = await self.sources.context(card)
        files = await self.files.contents(card, history.view.files)
        return Prepared(
            model=model,
            toolset=toolset,
            system=system_blocks(history, toolset, context),
            rules=rules,
            files=files,
            file_ids=history.view.files,
            file_sizes=_sizes(history.view.files, files, model),
            summarising=await self._summarising(card, rules),
        )

    async def kept_up(self, prepared: Prepared, history: History) -> Prepared:
        """The same with the files that the history names by now: tools hand some over in the middle of a turn."""
        named = history.view.files
        if named == prepared.file_ids:
            return prepared
        new = [file_id for file_id in named if file_id not in prepared.file_ids]
        files = await self.files.contents(history.card, new)
        return replace(
            prepared,
            files={**prepared.files, **files},
            file_ids=named,
            file_sizes={**prepared.file_sizes, **_sizes(new, files, prepared.model)},
        )

    async def _summarising(self, card: Card, rules: Rules) -> ResolvedModel | None:
        if rules.summary_model is None:
            return None
        try:
            model = await self.models.resolve(card, rules.summary_model, None)
        except ProviderFailure:
            return None
        # Another one would answer in its place: then the one that knows the chat does it better.
        return model if model.notice is None else None

    async def model(self, history: History, turn: int) -> ResolvedModel:
        """Who answers: the message's choice before the chat's, unless another had to take over."""
        card = history.card
        asked = history.message(turn) or newest_user_message(history)
        chosen = await self.models.resolve(card, *_chosen(asked, card))
        return await resolved(self.models, card, chosen, switched_to(history, turn))


def _chosen(asked: Message | None, card: Card) -> tuple[ModelName | None, Effort | None]:
    """The model and the effort of a turn. A message that waited brings those of its sending, also no effort."""
    if asked is None:
        return card.model, card.effort
    if asked.queued_as is not None and asked.model is not None:
        return asked.model, asked.effort
    return asked.model or card.model, asked.effort or card.effort


def _sizes(file_ids: Iterable[str], files: Mapping[str, FileContent], model: ResolvedModel) -> dict[str, int]:
    known = model.route.model
    return {
        file_id: file_tokens(resolved_file(file_id, "", files=files, images=known.images, documents=known.documents))
        for file_id in file_ids
    }


def _room(history: History, model: ResolvedModel, rules: Rules) -> Room:
    tokens = (model.window or UNKNOWN_WINDOW) // FOREIGN_SHARE
    found = found_in(history.messages) if rules.tool_search else ()
    return Room(tokens=tokens, searching=rules.tool_search, found=found)
