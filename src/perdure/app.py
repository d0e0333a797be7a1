"""From settings to a running system: the one file that names every part."""

import asyncio
import re
import ssl
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

import asyncpg

import perdure
from perdure.access.entrance import Entrance
from perdure.access.key_file import open_keyring
from perdure.access.login_services import LoginServices
from perdure.access.oidc import Oidc
from perdure.access.rows import ActorRows
from perdure.access.signed_urls import SignedUrls
from perdure.access.signing_in import Household, Reception, first_household
from perdure.access.vapid import VapidKeys
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
from perdure.api.build_stream import PATTERN as BUILD_PATTERN
from perdure.api.build_stream import BuildStream
from perdure.api.door import ApiDoor
from perdure.api.operation import Asgi, Operation
from perdure.api.page import Page
from perdure.api.probe import Probe
from perdure.api.server import Api
from perdure.api.services import Services
from perdure.api.site import Site, Stream
from perdure.api.table import TABLE
from perdure.api.taker import Nobody
from perdure.api.terminal import PATTERN as TERMINAL_PATTERN
from perdure.api.terminal import TerminalStream
from perdure.api.titles import Titles
from perdure.config.config import Config
from perdure.config.demo import offer_demo
from perdure.core.clock import Clock, SystemClock
from perdure.core.errors import Misconfigured
from perdure.core.timing import CONNECT_PATIENCE, READINESS_PATIENCE
from perdure.live.episodes import Episodes
from perdure.live.segments import Segments
from perdure.machine.announcer import Announcer
from perdure.machine.machine import Committed, Machine
from perdure.observe.call_meter import CallMeter
from perdure.observe.call_spans import CallSpans
from perdure.observe.calls import Watcher
from perdure.observe.measures.all import Measures
from perdure.observe.measures.database import DatabaseMeasures
from perdure.observe.measures.workspaces import WorkspaceMeasures
from perdure.observe.metrics import Metrics
from perdure.observe.tool_watch import ToolWatch
from perdure.observe.tracing import Tracing
from perdure.providers.catalog import Catalog
from perdure.providers.client import ProviderClient
from perdure.providers.proxy import Proxies
from perdure.settings import Settings
from perdure.store.connection import connect
from perdure.store.database import open_database
from perdure.store.execution import Execution
from perdure.store.fleet_pubsub import FleetPubsub
from perdure.store.journal import Journal
from perdure.store.migrations.runner import migrate
from perdure.store.nats_pubsub import NatsPubsub
from perdure.store.pool import Pool, open_pool
from perdure.store.pool import measure as measure_pool
from perdure.store.postgres_pubsub import PostgresPubsub
from perdure.store.pubsub import Pubsub
from perdure.store.search import SearchIndex
from perdure.store.templates import TemplateRows
from perdure.store.workspace_contexts import WorkspaceContextRows
from perdure.store.workspaces import WorkspaceRows
from perdure.stream.chat_stream import PATTERN as CHAT_STREAM
from perdure.stream.chat_stream import ChatStream
from perdure.stream.hubs import Hubs
from perdure.stream.readings import read_streams
from perdure.stream.relay.outlet import Outlet
from perdure.stream.relay.relay import Relay
from perdure.stream.relay.wire import PATTERN as RELAY_PATTERN
from perdure.stream.visitors import Visitors
from perdure.stream.watch.streams import INBOX_PATTERN, LIST_PATTERN, WatchStream
from perdure.stream.watch.watches import Watches
from perdure.tools.advisor import Advisor
from perdure.tools.family import Family
from perdure.tools.hooks.hooks import Hooks
from perdure.tools.hooks.post import Post
from perdure.tools.mcp.exchange import Exchange, open_exchange
from perdure.tools.mcp.way import Outside
from perdure.tools.personal_skills import PersonalSkills
from perdure.tools.recall import Recall
from perdure.tools.reports import Waits
from perdure.tools.skills import Skills
from perdure.tools.tool import Tool
from perdure.tools.workspace_skills import WorkspaceSkills
from perdure.worker.aftermath import Aftermath
from perdure.worker.draining import Limits
from perdure.worker.forgetting import Forgetting
from perdure.worker.housekeeping import Housekeeping
from perdure.worker.kit import Kit
from perdure.worker.lease import Lease
from perdure.worker.meter import Meter
from perdure.worker.points import Points, Unarmed
from perdure.worker.purses import Purses
from perdure.worker.push import Push
from perdure.worker.recorder import Recorder
from perdure.worker.runners import Capacity
from perdure.worker.turn_spans import TurnSpans
from perdure.worker.worker import Worker
from perdure.workspaces.contexts import Contexts
from perdure.workspaces.drivers import Drivers
from perdure.workspaces.forge import Forge
from perdure.workspaces.local.driver import LocalDriver
from perdure.workspaces.lookout import Lookout
from perdure.workspaces.pull_requests import PullRequests
from perdure.workspaces.service import Workspaces
from perdure.workspaces.templates.shelf import Shelf

# Push services want to know whom to write to; a deployment that has no address of its own has nobody.
CONTACT = "mailto:nobody@perdure.invalid"
_LOOPBACK = ("127.", "::1", "localhost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """What whoever starts a replica brings along."""

    points: Points = field(default_factory=Unarmed)
    """Hears of every step, for tests that end it there."""
    tools: Sequence[Tool] = ()
    """Offered beside those that ship."""


NOTHING = Brought()


@dataclass(slots=True, kw_only=True)
class System:
    """A replica that runs."""

    pool: Pool
    metrics: Metrics
    services: Services
    household: Household
    worker: Worker
    lease: Lease
    hubs: Hubs
    watches: Watches
    streams: tuple[Stream, ...] = ()
    draining: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def asgi(self) -> Asgi:
        site = Site(api=Api(self.services, TABLE), page=Page(page_folder()), streams=self.streams)
        return Operation(readiness=self.obstacles, metrics=self.metrics, rest=site)

    async def obstacles(self) -> Mapping[str, str]:
        """What keeps this replica from taking traffic."""
        if self.draining.is_set():
            return {"replica": "it is shutting down"}
        if self.lease.joining:
            return {"replica": "the others have not heard of it yet"}
        try:
            async with asyncio.timeout(READINESS_PATIENCE.total_seconds()):
                await self.pool.fetchval("SELECT 1")
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            return {"database": str(error) or type(error).__name__}
        return {}

    async def drain(self) -> None:
        """Hand every chat over, then ask those who follow to come again elsewhere."""
        self.draining.set()
        await self.worker.drain()
        self.hubs.end()
        self.watches.end()

    async def login_link(self) -> str | None:
        """A path that signs the owner in once, while nobody could sign in otherwise."""
        if self.household.reachable:
            return None
        return f"/api/v1/login/link?token={await self.services.reception.link(self.household.owner)}"

    async def offer_demo(self, url: str) -> bool:
        """Whether the simulator at this address is the deployment's model now."""
        offered = await offer_demo(self.pool, self.household.organisation, url)
        self.services.config.changed(self.household.organisation)
        return offered


def reach_models(settings: Settings, clock: Clock, *watchers: Watcher) -> ProviderClient:
    proxies = Proxies(http=settings.http_proxy, https=settings.https_proxy, exempt=settings.no_proxy)
    ca_file = str(settings.ca_file) if settings.ca_file else None
    return ProviderClient(clock, proxies=proxies, ca_file=ca_file, watchers=watchers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What everything else stands on."""

    url: str
    pool: Pool
    household: Household
    pubsub: FleetPubsub
    announcer: Announcer
    services: Services
    spans: TurnSpans


@dataclass(frozen=True, slots=True)
class Yard:
    """Where tools act, what is told there, and who looks at it."""

    workspaces: Workspaces
    contexts: Contexts
    lookout: Lookout


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """What drives chats."""

    kit: Kit
    lease: Lease
    worker: Worker
    yard: Yard
    recorder: Recorder
    exchange: Exchange


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """What follows chats."""

    hubs: Hubs
    visitors: Visitors
    relay: Relay
    watches: Watches
    streams: tuple[Stream, ...]


@asynccontextmanager
async def running(
    settings: Settings, *, address: str | None = None, brought: Brought = NOTHING
) -> AsyncGenerator[System]:
    """Everything a replica is made of, started from the bottom up and stopped in reverse.

    `address` is where other replicas reach this one.
    """
    async with AsyncExitStack() as stack:
        ground = await lay_ground(stack, settings)
        shop = await open_workshop(stack, settings, ground, address=address, brought=brought)
        crowd = open_audience(stack, ground, shop)
        kit, worker, services = shop.kit, shop.worker, ground.services
        probe = Probe(kit.preparation.models, kit.client, services.clock)
        services = replace(
            services,
            taker=worker.runners,
            probe=probe,
            titles=Titles(kit.preparation.models, kit.client),
            workspaces=shop.yard.workspaces,
            contexts=shop.yard.contexts,
            mcp=shop.exchange.desk,
        )
        aftermath = Aftermath(ground.pool, kit.histories, kit.preparation, kit.client, ground.pubsub)
        stack.callback(ground.announcer.follow(aftermath.committed))
        await heard(stack, ground.pubsub)
        await shop.lease.start()
        search = follow_search(stack, ground.pool, services, ground.announcer)
        await started(stack, worker, shop.yard.workspaces, shop.yard.lookout, shop.exchange.lines, aftermath, search)
        hooks = [services.hooks] if services.hooks else []
        await started(stack, shop.recorder, ground.spans, make_push(stack, ground), *hooks)
        await started(
            stack, Housekeeping(ground.pool, services.machine, services.config, ground.pubsub, services.clock)
        )
        await started(stack, crowd.hubs, crowd.visitors, crowd.relay, crowd.watches)
        yield System(
            pool=ground.pool,
            metrics=services.measures.metrics,
            services=services,
            household=ground.household,
            worker=worker,
            lease=shop.lease,
            hubs=crowd.hubs,
            watches=crowd.watches,
            streams=crowd.streams,
        )


def make_worker(settings: Settings, kit: Kit, lease: Lease, ground: Ground) -> Worker:
    limits = Limits(timedelta(seconds=settings.drain_seconds), timedelta(seconds=settings.drain_once_seconds))
    capacity = Capacity(settings.capacity, settings.capacity_per_user)
    return Worker(kit, lease, ground.pool, ground.announcer, ground.pubsub, capacity=capacity, limits=limits)


async def lay_ground(stack: AsyncExitStack, settings: Settings) -> Ground:
    """The database, and what is made of it alone."""
    url = await stack.enter_async_context(open_database(settings))
    await bring_up_to_date(url, patience=CONNECT_PATIENCE)
    pool = await stack.enter_async_context(open_pool(url, size=settings.database_pool))
    household = await first_household(pool)
    refuse_open_door(settings, household)
    pubsub = make_pubsub(settings, url, pool)
    announcer = Announcer(pubsub)
    services = assemble(settings, pool, pubsub, announcer)
    stack.callback(services.entrance.follow())
    stack.callback(services.config.follow())
    watch_database(services.measures.database, pool, pubsub, services.config)
    stack.callback(announcer.follow(Meter(services.measures.turns, services.clock).committed))
    stack.push_async_callback(asyncio.to_thread, services.tracing.close)
    spans = TurnSpans(services.tracing, pool, services.clock)
    stack.callback(announcer.follow(spans.committed))
    return Ground(
        url=url,
        pool=pool,
        household=household,
        pubsub=pubsub,
        announcer=announcer,
        services=services,
        spans=spans,
    )


async def open_workshop(
    stack: AsyncExitStack, settings: Settings, ground: Ground, *, address: str | None, brought: Brought
) -> Workshop:
    """The worker, and all that its runners work with."""
    services, clock = ground.services, ground.services.clock
    recorder = Recorder(ground.pool, services.config, clock, services.measures.calls)
    meter = CallMeter(services.measures.calls, clock)
    spans = [CallSpans(services.tracing.tracer)] if services.tracing.on else []
    client = await stack.enter_async_context(reach_models(settings, clock, meter, recorder, *spans))
    yard = lay_out(settings, ground.pool, ground.pubsub, clock, services.measures.workspaces)
    stack.push_async_callback(yard.workspaces.close)
    lease = Lease(
        lambda: connect(ground.url), clock, address=address, version=version("perdure"), capacity=settings.capacity
    )
    exchange = connect_servers(settings, ground, yard)
    kit = replace(equip(ground, client, yard, exchange, brought), lease=lease)
    worker = make_worker(settings, kit, lease, ground)
    worker.counted = ground.pubsub.count
    return Workshop(kit=kit, lease=lease, worker=worker, yard=yard, recorder=recorder, exchange=exchange)


def open_audience(stack: AsyncExitStack, ground: Ground, shop: Workshop) -> Audience:
    """The streams, and who may open them."""
    services, episodes = ground.services, shop.kit.episodes
    pool, clock, secret = ground.pool, services.clock, relay_secret(services)
    door = ApiDoor(services.entrance, pool, services.rows)
    hubs, visitors = Hubs(pool, episodes, clock), Visitors(door, clock)
    stack.callback(hubs.listen(ground.announcer, ground.pubsub))
    relay = hubs.remote = Relay(pool, secret, lambda: shop.lease.id, clock)
    watches = Watches(pool, ground.pubsub, clock)
    read_streams(services.measures.streams, hubs=hubs, visitors=visitors, relay=relay, episodes=episodes)
    streams = (
        Stream(re.compile(CHAT_STREAM), ChatStream(hubs, visitors, door)),
        Stream(re.compile(LIST_PATTERN), WatchStream(watches.follow, visitors, door)),
        Stream(re.compile(INBOX_PATTERN), WatchStream(watches.follow_inbox, visitors, door)),
        Stream(re.compile(BUILD_PATTERN), BuildStream(shop.yard.workspaces, door)),
        Stream(re.compile(TERMINAL_PATTERN), TerminalStream(shop.yard.workspaces, visitors, door, clock)),
        Stream(re.compile(RELAY_PATTERN), Outlet(episodes, secret)),
    )
    return Audience(hubs=hubs, visitors=visitors, relay=relay, watches=watches, streams=streams)


def watch_database(measures: DatabaseMeasures, pool: Pool, pubsub: FleetPubsub, config: Config) -> None:
    measure_pool(pool, measures)
    pubsub.measure(measures)
    config.measure(measures)


def lay_out(settings: Settings, pool: Pool, pubsub: Pubsub, clock: Clock, measures: WorkspaceMeasures) -> Yard:
    local = LocalDriver(settings.data_dir / "workspaces", unsandboxed=settings.unsandboxed)
    shelf = Shelf(TemplateRows(pool))
    drivers = Drivers(settings.data_dir, local)
    workspaces = Workspaces(WorkspaceRows(pool), drivers, shelf, pubsub, clock, measures)
    contexts = Contexts(WorkspaceContextRows(pool), workspaces, pubsub)
    forge = Forge(settings.forge_url, settings.forge_token) if settings.forge_token else None
    return Yard(workspaces, contexts, Lookout(workspaces, contexts, PullRequests(forge, clock), clock))


def beyond(settings: Settings) -> Outside:
    """What stands between us and the network."""
    proxies = Proxies(http=settings.http_proxy, https=settings.https_proxy, exempt=settings.no_proxy)
    trusted = ssl.create_default_context(cafile=settings.ca_file) if settings.ca_file else None
    return Outside(proxy=proxies.for_url, trusted=trusted)


def connect_servers(settings: Settings, ground: Ground, yard: Yard) -> Exchange:
    services, outside = ground.services, beyond(settings)
    return open_exchange(
        ground.pool,
        services.config,
        services.keyring,
        services.clock,
        services.measures.mcp,
        yard.workspaces,
        outside,
    )


class Service(Protocol):
    """Something that runs until it is cancelled."""

    async def run(self) -> None: ...


async def started(stack: AsyncExitStack, *services: Service) -> None:
    """Start services that end with the stack."""
    tasks = [asyncio.create_task(service.run()) for service in services]
    stack.push_async_callback(stopped, tasks)


def make_push(stack: AsyncExitStack, ground: Ground) -> Push:
    """What tells browsers of turns that end while nobody looks."""
    services = ground.services
    push = Push(ground.pool, services.vapid, services.clock, contact=services.public_url or CONTACT)
    stack.callback(ground.announcer.follow(push.committed))
    return push


def follow_search(stack: AsyncExitStack, pool: Pool, services: Services, announcer: Announcer) -> SearchIndex:
    """What people search, told of every chat whose history this replica changes."""
    search = SearchIndex(pool, services.clock)

    def committed(committed: Committed) -> None:
        if committed.chat.history_version == committed.chat.snapshot_version:
            search.moved(committed.chat.id)

    stack.callback(announcer.follow(committed))
    return search


def make_pubsub(settings: Settings, url: str, pool: Pool) -> FleetPubsub:
    """What carries notices: NATS where the environment names one, else the database."""
    if settings.nats_url is None:
        return PostgresPubsub(url, pool)
    keyring = open_keyring(settings.secret_key, settings.data_dir)
    return NatsPubsub(settings.nats_url, keyring.derived("notices")[:32])


async def heard(stack: AsyncExitStack, pubsub: FleetPubsub) -> None:
    """Listen to other replicas before they are told that this one is there."""
    await started(stack, pubsub)
    try:
        async with asyncio.timeout(CONNECT_PATIENCE.total_seconds()):
            await pubsub.listening.wait()
    except TimeoutError:
        raise Misconfigured("Notices of other replicas cannot be heard. Is PERDURE_NATS_URL right?") from None


def relay_secret(services: Services) -> str:
    """What replicas prove to each other that they belong together: they share the key of the deployment."""
    return services.keyring.derived("relay")


async def stopped(tasks: list["asyncio.Task[None]"]) -> None:
    """End the services of a replica."""
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


def equip(ground: Ground, client: ProviderClient, yard: Yard, exchange: Exchange, brought: Brought) -> Kit:
    """What runners work with."""
    pool, services, episodes = ground.pool, ground.services, Episodes()
    files, journal, clock = StoredFiles(pool), Journal(pool), services.clock
    models = ConfiguredModels(services.config, Catalog.load())
    skills = Skills(WorkspaceSkills(yard.contexts, yard.workspaces), PersonalSkills(services.config, pool))
    counsel = ModelCounsel(pool, services.config, models, client, clock, services.measures.agents)
    known = {
        Workspaces: yard.workspaces,
        Recall: Recall(StoredArchive(pool)),
        Family: services.family,
        Config: services.config,
        Skills: skills,
        Advisor: Advisor(counsel),
        Hooks: services.hooks,
    }
    sources = ConfiguredSources(services.config, yard.contexts, skills)
    toolbox = Toolbox(services.config, yard.workspaces, counsel, brought.tools)
    return Kit(
        machine=services.machine,
        hooks=services.hooks,
        histories=Histories(pool),
        preparation=Preparation(models, toolbox, sources, files, exchange.tools),
        client=client,
        tools=ToolRunner(
            journal,
            files,
            clock,
            known,
            brought.points.reached,
            ToolWatch(clock, services.measures.tools, services.tracing.tracer),
        ),
        journal=journal,
        family=services.family,
        waits=services.waits,
        episodes=episodes,
        segments=Segments(pool, episodes, clock),
        clock=clock,
        purses=Purses(pool, clock),
        points=brought.points,
        measures=services.measures,
        traced=ground.spans.step,
        bookmarks=Bookmarks(pool),
        forgetting=Forgetting(journal, yard.workspaces, clock),
    )


def assemble(settings: Settings, pool: Pool, pubsub: Pubsub, announcer: Announcer) -> Services:
    """What handlers work with."""
    clock, measures = SystemClock(), Measures()
    keyring = open_keyring(settings.secret_key, settings.data_dir)
    config = Config(pool, pubsub, keyring, clock)
    machine = Machine(Execution(pool, measures=measures.database), announcer)
    outside = beyond(settings)
    return Services(
        machine=machine,
        hooks=Hooks(pool, config, keyring, clock, measures.hooks, Post(clock, outside.proxy, outside.trusted)),
        family=Family(pool, machine, config, measures.agents),
        waits=Waits(pool, machine, measures.agents),
        rows=lambda actor: ActorRows(actor, pool),
        entrance=Entrance(pool, pubsub, clock),
        reception=Reception(pool, clock),
        login_services=LoginServices(pool, keyring, Oidc(clock, proxy=settings.https_proxy), clock),
        public_url=settings.public_url,
        config=config,
        keyring=keyring,
        pubsub=pubsub,
        signed_urls=SignedUrls(keyring, clock),
        vapid=VapidKeys(pool, keyring),
        taker=Nobody(),
        clock=clock,
        measures=measures,
        tracing=Tracing(settings.otlp_endpoint, version=version("perdure")),
    )


def refuse_open_door(settings: Settings, household: Household) -> None:
    """An address that others can reach needs somebody who can sign in."""
    if not household.reachable and not settings.bind.host.startswith(_LOOPBACK):
        raise Misconfigured(
            f"Nobody could sign in at {settings.bind} yet. Set a password first: "
            "perdure users password owner@localhost. Or listen on 127.0.0.1."
        )


def page_folder() -> Path | None:
    """Where the built web page is: in the package, or in the checkout that we run from."""
    package = Path(perdure.__file__).parent
    folders = (package / "page", package.parents[1] / "web" / "dist")
    return next((folder for folder in folders if folder.is_dir()), None)


async def bring_up_to_date(url: str, *, patience: timedelta = timedelta(0)) -> tuple[str, ...]:
    """Migrate the database, once it is there. Says what was applied."""
    connection = await connect(url, patience=patience)
    try:
        return tuple(f"{migration.number:04} {migration.name}" for migration in await migrate(connection))
    finally:
        await connection.close()
