"""What drives chats: the worker, and all that its runners work with."""

from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta

from perdure.agent.configured_models import ConfiguredModels
from perdure.agent.configured_sources import ConfiguredSources
from perdure.agent.history import Histories
from perdure.agent.kept_responses import BackgroundResponses
from perdure.agent.prepare import Preparation
from perdure.agent.run_tools import ToolRunner
from perdure.agent.stored_files import StoredFiles
from perdure.app.foundation import Foundation
from perdure.app.parts import Parts
from perdure.app.tool_parts import ToolParts, make_tool_parts
from perdure.core.timing import SystemClock
from perdure.core.version import product_version
from perdure.live.episodes import Episodes
from perdure.live.segments import Segments
from perdure.objects.contents import Contents
from perdure.observe.calls import CallMeter, CallSpans, Watcher
from perdure.observe.tool_watch import ToolWatch
from perdure.providers.catalog import Catalog
from perdure.providers.client import ProviderClient
from perdure.providers.proxy import Proxies
from perdure.store.connection import connect
from perdure.store.journal import Journal
from perdure.tools.reports import Waits
from perdure.worker.budget_reservations import BudgetReservations
from perdure.worker.capacity import Capacity
from perdure.worker.database_watch import DatabaseWatch
from perdure.worker.draining import Limits
from perdure.worker.journal_cleanup import JournalCleanup
from perdure.worker.lease import Lease
from perdure.worker.recorder import Recorder
from perdure.worker.services import RunnerServices
from perdure.worker.worker import Worker


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerParts:
    tools: ToolParts
    runner_services: RunnerServices
    lease: Lease
    worker: Worker
    recorder: Recorder
    database: DatabaseWatch


async def make_worker_parts(
    stack: AsyncExitStack, foundation: Foundation, parts: Parts, *, address: str | None
) -> WorkerParts:
    config, clock = foundation.config, foundation.clock
    recorder = Recorder(foundation.pool, config, clock, foundation.measures.calls)
    client = await stack.enter_async_context(make_provider_client(foundation, recorder))
    models = parts.models or ConfiguredModels(config, Catalog.load())
    tools = make_tool_parts(stack, foundation, parts, models=models, client=client)
    files = StoredFiles(foundation.pool, Contents(foundation.objects))
    preparation = Preparation(
        models,
        parts.toolbox or tools.toolbox,
        parts.sources
        or ConfiguredSources(config, tools.workspaces.contexts, tools.services.skills, tools.services.memories.block),
        files,
        parts.servers or tools.mcp.tools,
    )
    lease = make_lease(foundation, address)
    runner_services = make_runner_services(foundation, parts, tools, preparation, files, client, lease)
    return WorkerParts(
        tools=tools,
        runner_services=runner_services,
        lease=lease,
        worker=make_worker(foundation, parts, runner_services, lease),
        recorder=recorder,
        database=DatabaseWatch(foundation.url, foundation.pool, lease, SystemClock(), foundation.losses),
    )


def make_provider_client(foundation: Foundation, recorder: Recorder) -> ProviderClient:
    settings, tracing = foundation.settings, foundation.tracing
    watchers: list[Watcher] = [CallMeter(foundation.measures.calls, foundation.clock), recorder]
    if tracing.on:
        watchers.append(CallSpans(tracing.tracer))
    proxies = Proxies(http=settings.http_proxy, https=settings.https_proxy, exempt=settings.no_proxy)
    ca_file = str(settings.ca_file) if settings.ca_file else None
    return ProviderClient(SystemClock(), proxies=proxies, ca_file=ca_file, watchers=watchers)


def make_lease(foundation: Foundation, address: str | None) -> Lease:
    url, capacity = foundation.url, foundation.settings.capacity
    return Lease(lambda: connect(url), SystemClock(), address=address, version=product_version(), capacity=capacity)


def make_runner_services(
    foundation: Foundation,
    parts: Parts,
    tools: ToolParts,
    preparation: Preparation,
    files: StoredFiles,
    client: ProviderClient,
    lease: Lease,
) -> RunnerServices:
    """What runners work with."""
    pool, clock, measures, episodes = foundation.pool, foundation.clock, foundation.measures, Episodes()
    journal, watch = Journal(pool, foundation.losses), ToolWatch(clock, measures.tools, foundation.tracing.tracer)
    return RunnerServices(
        machine=foundation.machine,
        hooks=tools.hooks,
        histories=Histories(pool, clock=clock),
        preparation=preparation,
        client=client,
        tools=ToolRunner(journal, files, clock, tools.services, parts.crash_points.reached, watch),
        journal=journal,
        family=tools.services.family,
        waits=Waits(pool, foundation.machine, measures.agents),
        episodes=episodes,
        segments=Segments(pool, episodes, clock),
        clock=clock,
        lease=lease,
        budgets=BudgetReservations(pool, clock),
        crash_points=parts.crash_points,
        measures=measures,
        traced=foundation.spans.step,
        background_responses=BackgroundResponses(pool),
        journal_cleanup=JournalCleanup(journal, tools.workspaces.workspaces, clock),
    )


def make_worker(foundation: Foundation, parts: Parts, runner_services: RunnerServices, lease: Lease) -> Worker:
    settings = foundation.settings
    limits = Limits(timedelta(seconds=settings.drain_seconds), timedelta(seconds=settings.drain_once_seconds))
    return Worker(
        runner_services,
        lease,
        foundation.pool,
        foundation.announcer,
        foundation.pubsub,
        capacity=Capacity(settings.capacity, settings.capacity_per_user),
        limits=parts.limits or limits,
    )
