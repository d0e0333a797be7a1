"""The foundation that everything else of a replica stands on: the database, notices, and what handlers work with."""

import asyncio
import ssl
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from importlib.metadata import version

from perdure.access.entrance import Entrance
from perdure.access.key_file import open_keyring
from perdure.access.login_services import LoginServices
from perdure.access.oidc import Oidc
from perdure.access.rows import ActorRows
from perdure.access.signed_urls import SignedUrls
from perdure.access.signing_in import Household, Reception, first_household
from perdure.access.vapid import VapidKeys
from perdure.api.local_worker import NoWorker
from perdure.api.services import Services
from perdure.config.config import Config
from perdure.core.clock import SystemClock
from perdure.core.errors import Misconfigured
from perdure.core.extras import require
from perdure.core.timing import CONNECT_PATIENCE
from perdure.machine.announcer import Announcer
from perdure.machine.machine import Machine
from perdure.observe.measures.all import Measures
from perdure.observe.measures.database import DatabaseMeasures
from perdure.observe.tracing import Tracing
from perdure.providers.proxy import Proxies
from perdure.settings import Settings
from perdure.store.connection import connect
from perdure.store.database import open_database
from perdure.store.execution import Execution
from perdure.store.fleet_pubsub import FleetPubsub
from perdure.store.migrations.runner import migrate
from perdure.store.pool import Pool, open_pool
from perdure.store.pool import measure as measure_pool
from perdure.store.postgres_pubsub import PostgresPubsub
from perdure.store.pubsub import Pubsub
from perdure.tools.family import Family
from perdure.tools.hooks.hooks import Hooks
from perdure.tools.hooks.post import Post
from perdure.tools.mcp.way import Outside
from perdure.tools.reports import Waits
from perdure.worker.meter import Meter
from perdure.worker.turn_spans import TurnSpans


@dataclass(frozen=True, slots=True, kw_only=True)
class Foundation:
    """What everything else stands on."""

    url: str
    pool: Pool
    household: Household
    pubsub: FleetPubsub
    announcer: Announcer
    services: Services
    spans: TurnSpans


async def open_foundation(stack: AsyncExitStack, settings: Settings) -> Foundation:
    """The database, and what is made of it alone."""
    url = await stack.enter_async_context(open_database(settings))
    await migrate_database(url, patience=CONNECT_PATIENCE)
    pool = await stack.enter_async_context(open_pool(url, size=settings.database_pool))
    household = await first_household(pool)
    require_login(settings, household)
    pubsub = make_pubsub(settings, url, pool)
    announcer = Announcer(pubsub)
    services = make_services(settings, pool, pubsub, announcer)
    stack.callback(services.entrance.follow())
    stack.callback(services.config.follow())
    watch_database(services.measures.database, pool, pubsub, services.config)
    stack.callback(announcer.follow(Meter(services.measures.turns).committed))
    stack.push_async_callback(asyncio.to_thread, services.tracing.close)
    spans = TurnSpans(services.tracing, pool, services.clock)
    stack.callback(announcer.follow(spans.committed))
    return Foundation(
        url=url,
        pool=pool,
        household=household,
        pubsub=pubsub,
        announcer=announcer,
        services=services,
        spans=spans,
    )


def make_services(settings: Settings, pool: Pool, pubsub: Pubsub, announcer: Announcer) -> Services:
    """What handlers work with."""
    clock, measures = SystemClock(), Measures()
    keyring = open_keyring(settings.secret_key, settings.data_dir)
    config = Config(pool, pubsub, keyring, clock)
    machine = Machine(Execution(pool, measures=measures.database), announcer)
    outside = outside_network(settings)
    return Services(
        machine=machine,
        hooks=Hooks(pool, config, keyring, clock, measures.hooks, Post(clock, outside.proxy, outside.trusted)),
        family=Family(pool, machine, config, measures.agents),
        waits=Waits(pool, machine, measures.agents),
        rows=lambda actor: ActorRows(actor, pool),
        entrance=Entrance(pool, pubsub, clock),
        reception=Reception(pool, clock),
        login_services=LoginServices(pool, keyring, Oidc(clock, proxy=outside.proxy, trusted=outside.trusted), clock),
        public_url=settings.public_url,
        config=config,
        keyring=keyring,
        pubsub=pubsub,
        signed_urls=SignedUrls(keyring, clock),
        vapid=VapidKeys(pool, keyring),
        taker=NoWorker(),
        clock=clock,
        measures=measures,
        tracing=Tracing(settings.otlp_endpoint, version=version("perdure")),
    )


def make_pubsub(settings: Settings, url: str, pool: Pool) -> FleetPubsub:
    """What carries notices: NATS where the environment names one, else the database."""
    if settings.nats_url is None:
        return PostgresPubsub(url, pool)
    # Only a deployment that has NATS pays for loading its library.
    require("nats")
    from perdure.store.nats_pubsub import NatsPubsub  # noqa: PLC0415

    keyring = open_keyring(settings.secret_key, settings.data_dir)
    return NatsPubsub(settings.nats_url, keyring.derived("notices")[:32])


def watch_database(measures: DatabaseMeasures, pool: Pool, pubsub: FleetPubsub, config: Config) -> None:
    measure_pool(pool, measures)
    pubsub.measure(measures)
    config.measure(measures)


def outside_network(settings: Settings) -> Outside:
    """What stands between us and the network."""
    proxies = Proxies(http=settings.http_proxy, https=settings.https_proxy, exempt=settings.no_proxy)
    trusted = ssl.create_default_context(cafile=settings.ca_file) if settings.ca_file else None
    return Outside(proxy=proxies.for_url, trusted=trusted)


def require_login(settings: Settings, household: Household) -> None:
    """An address that others can reach needs somebody who can sign in."""
    if not household.reachable and not settings.bind.loopback:
        raise Misconfigured(
            f"Nobody could sign in at {settings.bind} yet. Set a password first: "
            "perdure users password owner@localhost. Or listen on 127.0.0.1."
        )


async def migrate_database(url: str, *, patience: timedelta = timedelta(0)) -> tuple[str, ...]:
    """Migrate the database, once it is there. Says what was applied."""
    connection = await connect(url, patience=patience)
    try:
        return tuple(f"{migration.number:04} {migration.name}" for migration in await migrate(connection))
    finally:
        await connection.close()
