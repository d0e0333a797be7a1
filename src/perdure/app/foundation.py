"""What everything else of a replica stands on: the database, notices, and what is made of them alone."""

import asyncio
import ssl
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta

from perdure.access.keyring import Keyring, open_keyring
from perdure.access.signing_in import FirstAccount, first_account
from perdure.app.parts import Parts
from perdure.app.siblings import Siblings
from perdure.config.config import Config
from perdure.core.errors import Misconfigured
from perdure.core.extras import require
from perdure.core.timing import CONNECT_PATIENCE, Clock
from perdure.core.version import product_version
from perdure.machine.announcer import Announcer
from perdure.machine.machine import Machine
from perdure.objects.client import ObjectClient
from perdure.objects.opening import object_client
from perdure.observe.measures.all import Measures
from perdure.observe.measures.service import DatabaseMeasures
from perdure.observe.tracing import Tracing
from perdure.providers.proxy import Proxies
from perdure.settings import NO_LISTENING, Settings
from perdure.store.connection import connect
from perdure.store.database import open_database
from perdure.store.execution import Execution
from perdure.store.fleet_pubsub import FleetPubsub
from perdure.store.losses import Losses
from perdure.store.migrations.runner import migrate
from perdure.store.pool import Pool, open_pool, when_moved
from perdure.store.pool import measure as measure_pool
from perdure.store.postgres_pubsub import PollingPubsub, PostgresPubsub
from perdure.store.primaries import require_one_primary
from perdure.tools.network import Network
from perdure.worker.meter import Meter
from perdure.worker.turn_spans import TurnSpans


@dataclass(frozen=True, slots=True, kw_only=True)
class Foundation:
    """What everything else stands on."""

    settings: Settings
    url: str
    pool: Pool
    clock: Clock
    measures: Measures
    tracing: Tracing
    network: Network
    objects: ObjectClient | None
    """Where the bytes of files go, if the environment says so."""
    keyring: Keyring
    pubsub: FleetPubsub
    announcer: Announcer
    config: Config
    machine: Machine
    losses: Losses
    spans: TurnSpans
    account: FirstAccount
    siblings: Siblings | None
    """The processes that share its address, if there are several."""


async def open_foundation(
    stack: AsyncExitStack, settings: Settings, parts: Parts, siblings: Siblings | None = None
) -> Foundation:
    url = await stack.enter_async_context(open_database(settings))
    pool, clock, measures = parts.pool or await opened_pool(stack, settings, url), parts.clock, Measures()
    account = await first_account(pool)
    require_login(settings, account)
    keyring = open_keyring(settings.secret_key, settings.data_dir)
    pubsub = parts.pubsub or make_pubsub(settings, url, pool, keyring)
    announcer, config = Announcer(pubsub), Config(pool, pubsub, keyring, clock)
    network = outside_network(settings)
    tracing = Tracing(settings.otlp_endpoint, version=product_version())
    spans = TurnSpans(tracing, pool, clock)
    watch_database(measures.database, pool, pubsub, config)
    stack.callback(config.follow())
    losses = Losses(pool, measures.database, clock=clock)
    stack.callback(when_moved(pool, losses.moved))
    stack.callback(when_moved(pool, config.forget))
    stack.callback(announcer.follow(losses.committed))
    stack.callback(pubsub.listen(losses.heard))
    stack.callback(announcer.follow(Meter(measures.turns).committed))
    stack.push_async_callback(asyncio.to_thread, tracing.close)
    stack.callback(announcer.follow(spans.committed))
    return Foundation(
        settings=settings,
        url=url,
        pool=pool,
        clock=clock,
        measures=measures,
        tracing=tracing,
        network=network,
        objects=open_objects(stack, settings, clock, measures, network),
        keyring=keyring,
        pubsub=pubsub,
        announcer=announcer,
        config=config,
        machine=Machine(Execution(pool, measures=measures.database, losses=losses), announcer, clock),
        losses=losses,
        spans=spans,
        account=account,
        siblings=siblings,
    )


async def opened_pool(stack: AsyncExitStack, settings: Settings, url: str) -> Pool:
    """Connections to the database, once it is there and has the newest schema."""
    await migrate_database(url, patience=CONNECT_PATIENCE)
    pool = open_pool(url, size=settings.database_pool, prepare=settings.prepared_statements)
    return await stack.enter_async_context(pool)


def make_pubsub(settings: Settings, url: str, pool: Pool, keyring: Keyring) -> FleetPubsub:
    """What carries notices: NATS where the environment names one, else the database, or nobody."""
    if settings.nats_url is None and settings.listen_url == NO_LISTENING:
        return PollingPubsub()
    if settings.nats_url is None:
        return PostgresPubsub(settings.listen_url or url, pool)
    # Only a deployment that has NATS pays for loading its library.
    require("nats")
    from perdure.store.nats_pubsub import NatsPubsub  # noqa: PLC0415

    return NatsPubsub(settings.nats_url, keyring.derived("notices")[:32])


def watch_database(measures: DatabaseMeasures, pool: Pool, pubsub: FleetPubsub, config: Config) -> None:
    measure_pool(pool, measures)
    pubsub.measure(measures)
    config.measure(measures)


def open_objects(
    stack: AsyncExitStack, settings: Settings, clock: Clock, measures: Measures, network: Network
) -> ObjectClient | None:
    client = object_client(settings, clock, measures.objects, proxy=network.proxy, trusted=network.trusted)
    if client is not None:
        stack.push_async_callback(client.close)
    return client


def outside_network(settings: Settings) -> Network:
    """What stands between us and the network."""
    proxies = Proxies(http=settings.http_proxy, https=settings.https_proxy, exempt=settings.no_proxy)
    trusted = ssl.create_default_context(cafile=settings.ca_file) if settings.ca_file else None
    return Network(proxy=proxies.for_url, trusted=trusted)


def require_login(settings: Settings, account: FirstAccount) -> None:
    """An address that others can reach needs somebody who can sign in."""
    if not account.reachable and not settings.bind.loopback:
        raise Misconfigured(
            f"Nobody can sign in at {settings.bind} yet. Set a password first: "
            "perdure users password owner@localhost. Or listen on 127.0.0.1."
        )


async def migrate_database(url: str, *, patience: timedelta = timedelta(0)) -> tuple[str, ...]:
    """Migrate the database, once it is there. Says what was applied."""
    connection = await connect(url, patience=patience, writable=True)
    try:
        await require_one_primary(url, patience=patience)
        return tuple(f"{migration.number:04} {migration.name}" for migration in await migrate(connection))
    finally:
        await connection.close()
