"""From settings to a running system: started from the bottom up, stopped in reverse."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Protocol

from perdure.api.probe import Probe
from perdure.api.services import Services
from perdure.api.titles import Titles
from perdure.app.audience import open_audience
from perdure.app.ground import Ground, lay_ground
from perdure.app.system import System
from perdure.app.workshop import NOTHING, Brought, Workshop, open_workshop
from perdure.config.demo import offer_demo
from perdure.core.clock import SystemClock
from perdure.core.errors import Misconfigured
from perdure.core.timing import CONNECT_PATIENCE
from perdure.machine.announcer import Announcer
from perdure.machine.machine import Committed
from perdure.observe.upkeep import kept_up
from perdure.providers.catalog import Catalog
from perdure.settings import ReplicaRole, Settings
from perdure.store.fleet_pubsub import FleetPubsub
from perdure.store.pool import Pool
from perdure.store.search import SearchIndex
from perdure.worker.aftermath import Aftermath
from perdure.worker.housekeeping import Housekeeping
from perdure.worker.push import Push
from perdure.worker.refills import Refills
from perdure.worker.wording import Wording

# Push services want to know whom to write to; a deployment that has no address of its own has nobody.
CONTACT = "mailto:nobody@perdure.invalid"


@asynccontextmanager
async def running(
    settings: Settings, *, address: str | None = None, demo: str | None = None, brought: Brought = NOTHING
) -> AsyncGenerator[System]:
    """Everything a replica is made of, started from the bottom up and stopped in reverse.

    `address` is where other replicas reach this one, `demo` where a simulated model is that this one may use.
    """
    if settings.role is ReplicaRole.API:
        settings = replace(settings, capacity=0)
    async with AsyncExitStack() as stack:
        ground = await lay_ground(stack, settings)
        shop = await open_workshop(stack, settings, ground, address=address, brought=brought)
        crowd = open_audience(stack, ground, shop)
        worker, wording = shop.worker, wording_of(shop)
        services = with_workshop(ground, shop, wording)
        aftermath = Aftermath(ground.pool, services.machine, shop.kit.histories, wording, ground.pubsub, services.clock)
        stack.callback(ground.announcer.follow(aftermath.committed))
        await heard(stack, ground.pubsub)
        if demo is not None:
            # Before any work is taken: the simulator that its chats used last may be gone.
            await offer_demo(ground.pool, ground.household.organisation, demo)
            services.config.changed(ground.household.organisation)
        await shop.lease.start()
        search = follow_search(stack, ground.pool, services, ground.announcer)
        await started(stack, worker, shop.yard.workspaces, shop.yard.lookout, shop.exchange.lines, aftermath, search)
        hooks = [services.hooks] if services.hooks else []
        await started(stack, shop.recorder, ground.spans, make_push(stack, ground), *hooks)
        await started(
            stack, Housekeeping(ground.pool, services.machine, services.config, ground.pubsub, services.clock)
        )
        await started(stack, follow_refills(stack, ground))
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
            outlet=crowd.outlet,
            serves=settings.role is not ReplicaRole.WORKER,
        )


def wording_of(shop: Workshop) -> Wording:
    """Who finds titles, labels and summaries: with the models and the budgets of turns."""
    kit = shop.kit
    return Wording(
        models=kit.preparation.models,
        rules=kit.preparation.sources.rules,
        client=kit.client,
        purses=kit.purses,
        replica_id=lambda: shop.lease.id,
    )


def with_workshop(ground: Ground, shop: Workshop, wording: Wording) -> Services:
    """What handlers work with where chats are driven too."""
    kit, services = shop.kit, ground.services
    return replace(
        services,
        taker=shop.worker.runners,
        probe=Probe(services.config, Catalog.load(), kit.client, services.clock),
        titles=Titles(ground.pool, wording),
        workspaces=shop.yard.workspaces,
        contexts=shop.yard.contexts,
        mcp=shop.exchange.desk,
    )


class Service(Protocol):
    """Something that runs until it is cancelled."""

    async def run(self) -> None: ...


async def started(stack: AsyncExitStack, *services: Service) -> None:
    """Start services that end with the stack."""
    clock = SystemClock()
    tasks = [asyncio.create_task(kept_up(service.run, clock)) for service in services]
    stack.push_async_callback(stopped, tasks)


async def stopped(tasks: list["asyncio.Task[None]"]) -> None:
    """End the services of a replica."""
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


async def heard(stack: AsyncExitStack, pubsub: FleetPubsub) -> None:
    """Listen to other replicas before they are told that this one is there."""
    await started(stack, pubsub)
    try:
        async with asyncio.timeout(CONNECT_PATIENCE.total_seconds()):
            await pubsub.listening.wait()
    except TimeoutError:
        raise Misconfigured("Notices of other replicas cannot be heard. Is PERDURE_NATS_URL right?") from None


def make_push(stack: AsyncExitStack, ground: Ground) -> Push:
    """What tells browsers of turns that end while nobody looks."""
    services = ground.services
    push = Push(ground.pool, services.vapid, services.clock, contact=services.public_url or CONTACT)
    stack.callback(ground.announcer.follow(push.committed))
    return push


def follow_refills(stack: AsyncExitStack, ground: Ground) -> Refills:
    """What lets chats go on whose budget was raised, told of every change of settings."""
    services = ground.services
    refills = Refills(ground.pool, services.machine, services.config, services.clock)
    stack.callback(ground.pubsub.listen(refills.heard))
    return refills


def follow_search(stack: AsyncExitStack, pool: Pool, services: Services, announcer: Announcer) -> SearchIndex:
    """What people search, told of every chat whose history this replica changes."""
    search = SearchIndex(pool, services.clock)

    def committed(committed: Committed) -> None:
        if committed.chat.history_version == committed.chat.snapshot_version:
            search.moved(committed.chat.id)

    stack.callback(announcer.follow(committed))
    return search
