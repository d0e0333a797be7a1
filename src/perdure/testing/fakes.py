"""What a replica has where a deployment has its configuration: models, tools, servers and rules that a test chooses."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from msgspec import structs

from perdure.agent.models import ResolvedModel
from perdure.agent.prepare import NoServers, Rules, Servers, Tools
from perdure.agent.prompt import PromptContext
from perdure.app.parts import Parts, Runs
from perdure.core.card import Card
from perdure.core.ids import ModelName
from perdure.core.message import Effort
from perdure.core.timing import Clock
from perdure.providers.model import Model, Price, Thinking
from perdure.providers.request import ModelSettings
from perdure.providers.route import Route
from perdure.providers.service import ProviderSettings, Service
from perdure.store.fleet_pubsub import FleetPubsub
from perdure.store.pool import Pool
from perdure.tools.mcp.tools import McpOffer
from perdure.tools.tool import Tool
from perdure.worker.draining import Limits

SECRET = "a secret key that only tests use"  # noqa: S105

SERVICES = {
    "anthropic_messages": Service.ANTHROPIC,
    "openai_responses": Service.OPENAI,
    "openai_chat": Service.OPENAI,
    "gemini": Service.GOOGLE,
}


THINKING = dict.fromkeys(SERVICES, Thinking.EFFORT) | {"anthropic_messages": Thinking.BUDGET}


class SimulatedModels:
    """Every model name leads to the simulator."""

    def __init__(
        self, url: str, *, dialect: str = "anthropic_messages", window: int = 200_000, thinks: bool = False
    ) -> None:
        self.url = url
        self.dialect = dialect
        self._thinking = THINKING[dialect] if thinks else Thinking.NONE
        self.window = window
        self.windows: dict[str, int] = {}
        """Those of models that differ, by name."""
        self.threshold = 0.7
        self.computer = False
        self.price: Price | None = Price(3_000_000, 15_000_000)
        self.settings = ModelSettings()
        self.fallbacks: dict[str, tuple[ModelName, ...]] = {}
        self.gone: set[str] = set()
        """Names that lead nowhere any more: the default answers instead."""

    async def resolve(self, card: Card, name: ModelName | None, effort: Effort | None) -> ResolvedModel:  # noqa: ARG002
        chosen = name if name and name not in self.gone else ModelName("demo")
        model = Model(
            id=chosen,
            dialect=self.dialect,
            context_window=self.windows.get(chosen, self.window),
            thinking=self._thinking,
            computer=self.computer,
            price=self.price,
        )
        route = replace(
            Route.to(ProviderSettings(service=SERVICES[self.dialect], base_url=self.url), model, "sim-key"),
            provider="Simulator",
        )
        return ResolvedModel(
            name=chosen,
            route=route,
            settings=self.settings if effort is None else structs.replace(self.settings, effort=effort),
            threshold=self.threshold,
            fallbacks=self.fallbacks.get(chosen, ()),
            notice=f"{name} is gone; {chosen} answers instead." if name in self.gone else None,
        )


class FixedTools:
    """The same tools for everybody, unless a test brings a toolbox."""

    def __init__(self, tools: Sequence[Tool] = ()) -> None:
        self.tools = tools
        self.toolbox: Tools | None = None

    async def available(self, card: Card) -> Sequence[Tool]:
        return self.tools if self.toolbox is None else await self.toolbox.available(card)


class ChosenServers:
    """No MCP servers, until a test chooses some."""

    def __init__(self) -> None:
        self.source: Servers = NoServers()

    async def offer(self, card: Card, *, looking: bool) -> McpOffer:
        return await self.source.offer(card, looking=looking)


class PlainSources:
    """Nothing surrounds the prompt; the rules are the defaults."""

    def __init__(self) -> None:
        self.rules_now = Rules()

    async def context(self, card: Card) -> PromptContext:  # noqa: ARG002
        return PromptContext()

    async def rules(self, card: Card) -> Rules:  # noqa: ARG002
        return self.rules_now


class LocalPubsub(FleetPubsub):
    """Notices of a replica that is alone."""

    failures = ()

    async def _follow(self) -> None:
        self._begun()
        await asyncio.Event().wait()

    async def _deliver(self, batch: Sequence[str]) -> None:
        """Nobody else is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What a test may still change while its replica runs."""

    models: SimulatedModels
    tools: FixedTools = field(default_factory=FixedTools)
    sources: PlainSources = field(default_factory=PlainSources)
    servers: ChosenServers = field(default_factory=ChosenServers)

    def parts(self, pool: Pool, clock: Clock, limits: Limits) -> Parts:
        """A replica that drives chats, and does nothing else by itself."""
        return Parts(
            clock=clock,
            pool=pool,
            pubsub=LocalPubsub(),
            models=self.models,
            toolbox=self.tools,
            sources=self.sources,
            servers=self.servers,
            limits=limits,
            runs=Runs.TURNS,
        )
