"""The workshop of a replica: the worker, and all that its runners work with."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import timedelta
from importlib.metadata import version

from perdure.agent.archive import StoredArchive
from perdure.agent.configured_models import ConfiguredModels
from perdure.agent.configured_sources import ConfiguredSources
from perdure.agent.continuity import Bookmarks
from perdure.agent.counsel import ModelCounsel
from perdure.agent.history import Histories
from perdure.agent.prepare import Preparation
from perdure.agent.run_tools import ToolRunner
from perdure.agent.stored_files import StoredFiles
from perdure.agent.toolbox import Toolbox
from perdure.app.foundation import Foundation, outside_network
from perdure.config.config import Config
from perdure.core.clock import Clock
from perdure.live.episodes import Episodes
from perdure.live.segments import Segments
from perdure.observe.call_meter import CallMeter
from perdure.observe.call_spans import CallSpans
from perdure.observe.calls import Watcher
from perdure.observe.measures.workspaces import WorkspaceMeasures
from perdure.observe.tool_watch import ToolWatch
from perdure.providers.catalog import Catalog
from perdure.providers.client import ProviderClient
from perdure.providers.proxy import Proxies
from perdure.settings import Settings
from perdure.store.connection import connect
from perdure.store.journal import Journal
from perdure.store.pool import Pool
from perdure.store.pubsub import Pubsub
from perdure.store.templates import TemplateRows
from perdure.store.workspace_contexts import WorkspaceContextRows
from perdure.store.workspaces import WorkspaceRows
from perdure.tools.advisor import Advisor
from perdure.tools.family import Family
from perdure.tools.hooks.hooks import Hooks
from perdure.tools.mcp.exchange import Exchange, open_exchange
from perdure.tools.personal_skills import PersonalSkills
from perdure.tools.recall import Recall
from perdure.tools.skills import Skills
from perdure.tools.tool import Tool
from perdure.tools.workspace_skills import WorkspaceSkills
from perdure.worker.capacity import Capacity
from perdure.worker.draining import Limits
from perdure.worker.forgetting import Forgetting
from perdure.worker.kit import Kit
from perdure.worker.lease import Lease
from perdure.worker.points import Points, Unarmed
from perdure.worker.purses import Purses
from perdure.worker.recorder import Recorder
from perdure.worker.worker import Worker
from perdure.workspaces.contexts import Contexts
from perdure.workspaces.drivers import Drivers
from perdure.workspaces.forge import Forge
from perdure.workspaces.local.driver import LocalDriver
from perdure.workspaces.lookout import Lookout
from perdure.workspaces.pull_requests import PullRequests
from perdure.workspaces.service import Workspaces
from perdure.workspaces.templates.shelf import Shelf


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What whoever starts a replica brings along."""

    points: Points = field(default_factory=Unarmed)
    """Hears of every step, for tests that end it there."""
    tools: Sequence[Tool] = ()
    """Offered beside those that ship."""


NO_PARTS = Parts()


@dataclass(frozen=True, slots=True)
class WorkspaceParts:
    """Where tools act, what is told there, and who looks at it."""

    workspaces: Workspaces
    contexts: Contexts
    lookout: Lookout


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerParts:
    """What drives chats."""

    kit: Kit
    lease: Lease
    worker: Worker
    workspaces: WorkspaceParts
    recorder: Recorder
    exchange: Exchange


async def make_worker_parts(
    stack: AsyncExitStack, settings: Settings, foundation: Foundation, *, address: str | None, parts: Parts
) -> WorkerParts:
    """The worker, and all that its runners work with."""
    services, clock = foundation.services, foundation.services.clock
    recorder = Recorder(foundation.pool, services.config, clock, services.measures.calls)
    meter = CallMeter(services.measures.calls, clock)
    spans = [CallSpans(services.tracing.tracer)] if services.tracing.on else []
    client = await stack.enter_async_context(make_provider_client(settings, clock, meter, recorder, *spans))
    workspaces = make_workspace_parts(settings, foundation.pool, foundation.pubsub, clock, services.measures.workspaces)
    stack.push_async_callback(workspaces.workspaces.close)
    lease = Lease(
        lambda: connect(foundation.url), clock, address=address, version=version("perdure"), capacity=settings.capacity
    )
    exchange = make_exchange(settings, foundation, workspaces)
    kit = replace(make_kit(foundation, client, workspaces, exchange, parts), lease=lease)
    worker = make_worker(settings, kit, lease, foundation)
    worker.counted = foundation.pubsub.count
    return WorkerParts(kit=kit, lease=lease, worker=worker, workspaces=workspaces, recorder=recorder, exchange=exchange)


def make_worker(settings: Settings, kit: Kit, lease: Lease, foundation: Foundation) -> Worker:
    limits = Limits(timedelta(seconds=settings.drain_seconds), timedelta(seconds=settings.drain_once_seconds))
    capacity = Capacity(settings.capacity, settings.capacity_per_user)
    return Worker(
        kit, lease, foundation.pool, foundation.announcer, foundation.pubsub, capacity=capacity, limits=limits
    )


def make_provider_client(settings: Settings, clock: Clock, *watchers: Watcher) -> ProviderClient:
    proxies = Proxies(http=settings.http_proxy, https=settings.https_proxy, exempt=settings.no_proxy)
    ca_file = str(settings.ca_file) if settings.ca_file else None
    return ProviderClient(clock, proxies=proxies, ca_file=ca_file, watchers=watchers)


def make_workspace_parts(
    settings: Settings, pool: Pool, pubsub: Pubsub, clock: Clock, measures: WorkspaceMeasures
) -> WorkspaceParts:
    local = LocalDriver(settings.data_dir / "workspaces", unsandboxed=settings.unsandboxed)
    shelf = Shelf(TemplateRows(pool))
    drivers = Drivers(settings.data_dir, local)
    workspaces = Workspaces(WorkspaceRows(pool), drivers, shelf, pubsub, clock, measures)
    contexts = Contexts(WorkspaceContextRows(pool), workspaces, pubsub)
    outside = outside_network(settings)
    forge = Forge(settings.forge_url, settings.forge_token, outside.proxy, outside.trusted)
    return WorkspaceParts(workspaces, contexts, Lookout(workspaces, contexts, PullRequests(forge, clock), clock))


def make_exchange(settings: Settings, foundation: Foundation, workspaces: WorkspaceParts) -> Exchange:
    services, outside = foundation.services, outside_network(settings)
    return open_exchange(
        foundation.pool,
        services.config,
        services.keyring,
        services.clock,
        services.measures.mcp,
        workspaces.workspaces,
        outside,
    )


def make_kit(
    foundation: Foundation, client: ProviderClient, workspaces: WorkspaceParts, exchange: Exchange, parts: Parts
) -> Kit:
    """What runners work with."""
    pool, services, episodes = foundation.pool, foundation.services, Episodes()
    files, journal, clock = StoredFiles(pool), Journal(pool), services.clock
    models = ConfiguredModels(services.config, Catalog.load())
    skills = Skills(WorkspaceSkills(workspaces.contexts, workspaces.workspaces), PersonalSkills(services.config, pool))
    counsel = ModelCounsel(pool, services.config, models, client, clock, services.measures.agents)
    known = {
        Workspaces: workspaces.workspaces,
        Recall: Recall(StoredArchive(pool)),
        Family: services.family,
        Config: services.config,
        Skills: skills,
        Advisor: Advisor(counsel),
        Hooks: services.hooks,
    }
    sources = ConfiguredSources(services.config, workspaces.contexts, skills)
    toolbox = Toolbox(services.config, workspaces.workspaces, counsel, parts.tools)
    return Kit(
        machine=services.machine,
        hooks=services.hooks,
        histories=Histories(pool, clock=clock),
        preparation=Preparation(models, toolbox, sources, files, exchange.tools),
        client=client,
        tools=ToolRunner(
            journal,
            files,
            clock,
            known,
            parts.points.reached,
            ToolWatch(clock, services.measures.tools, services.tracing.tracer),
        ),
        journal=journal,
        family=services.family,
        waits=services.waits,
        episodes=episodes,
        segments=Segments(pool, episodes, clock),
        clock=clock,
        purses=Purses(pool, clock),
        points=parts.points,
        measures=services.measures,
        traced=foundation.spans.step,
        bookmarks=Bookmarks(pool),
        forgetting=Forgetting(journal, workspaces.workspaces, clock),
    )
