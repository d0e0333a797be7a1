"""From settings to a running replica: started from the bottom up, stopped in reverse."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Protocol

from perdure.api.probe import Probe
from perdure.api.services import Services
from perdure.api.titles import Titles
from perdure.app.foundation import Foundation, open_foundation
from perdure.app.replica import Replica
from perdure.app.stream_parts import make_stream_parts
from perdure.app.worker_parts import NO_PARTS, Parts, WorkerParts, make_worker_parts
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
async def assemble(
    settings: Settings, *, address: str | None = None, demo: str | None = None, parts: Parts = NO_PARTS
) -> AsyncGenerator[Replica]:
    """Everything a replica is made of, started from the bottom up and stopped in reverse.

    `address` is where other replicas reach this one, `demo` where a simulated model is that this one may use.
    """
    if settings.role is ReplicaRole.API:
        settings = replace(settings, capacity=0)
    async with AsyncExitStack() as stack:
        foundation = await open_foundation(stack, settings)
        workers = await make_worker_parts(stack, settings, foundation, address=address, parts=parts)
        crowd = make_stream_parts(stack, foundation, workers)
        worker, wording = workers.worker, wording_of(workers)
        services = with_workshop(foundation, workers, wording)
        aftermath = Aftermath(
            foundation.pool, services.machine, workers.kit.histories, wording, foundation.pubsub, services.clock
        )
        stack.callback(foundation.announcer.follow(aftermath.committed))
        await heard(stack, foundation.pubsub)
        if demo is not None:
            # Before any work is taken: the simulator that its chats used last may be gone.
            await offer_demo(foundation.pool, foundation.household.organisation, demo)
            services.config.changed(foundation.household.organisation)
        await workers.lease.start()
        search = follow_search(stack, foundation.pool, services, foundation.announcer)
        await started(
            stack,
            worker,
            workers.workspaces.workspaces,
            workers.workspaces.lookout,
            workers.exchange.lines,
            aftermath,
            search,
        )
        hooks = [services.hooks] if services.hooks else []
        await started(stack, workers.recorder, foundation.spans, make_push(stack, foundation), *hooks)
        await started(
            stack, Housekeeping(foundation.pool, services.machine, services.config, foundation.pubsub, services.clock)
        )
        await started(stack, follow_refills(stack, foundation))
        await started(stack, crowd.hubs, crowd.visitors, crowd.relay, crowd.watches)
        yield Replica(
            pool=foundation.pool,
            metrics=services.measures.metrics,
            services=services,
            household=foundation.household,
            worker=worker,
            lease=workers.lease,
            hubs=crowd.hubs,
            watches=crowd.watches,
            streams=crowd.streams,
            outlet=crowd.outlet,
            serves=settings.role is not ReplicaRole.WORKER,
        )


def wording_of(workers: WorkerParts) -> Wording:
    """Who finds titles, labels and summaries: with the models and the budgets of turns."""
    kit = workers.kit
    return Wording(
        models=kit.preparation.models,
        rules=kit.preparation.sources.rules,
        client=kit.client,
        purses=kit.purses,
        replica_id=lambda: workers.lease.id,
    )


def with_workshop(foundation: Foundation, workers: WorkerParts, wording: Wording) -> Services:
    """What handlers work with where chats are driven too."""
    kit, services = workers.kit, foundation.services
    return replace(
        services,
        taker=workers.worker.runners,
        probe=Probe(services.config, Catalog.load(), kit.client, services.clock),
        titles=Titles(foundation.pool, wording),
        workspaces=workers.workspaces.workspaces,
        contexts=workers.workspaces.contexts,
        mcp=workers.exchange.desk,
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


def make_push(stack: AsyncExitStack, foundation: Foundation) -> Push:
    """What tells browsers of turns that end while nobody looks."""
    services = foundation.services
    push = Push(foundation.pool, services.vapid, services.clock, contact=services.public_url or CONTACT)
    stack.callback(foundation.announcer.follow(push.committed))
    return push


def follow_refills(stack: AsyncExitStack, foundation: Foundation) -> Refills:
    """What lets chats go on whose budget was raised, told of every change of settings."""
    services = foundation.services
    refills = Refills(foundation.pool, services.machine, services.config, services.clock)
    stack.callback(foundation.pubsub.listen(refills.heard))
    return refills


def follow_search(stack: AsyncExitStack, pool: Pool, services: Services, announcer: Announcer) -> SearchIndex:
    """What people search, told of every chat whose history this replica changes."""
    search = SearchIndex(pool, services.clock)

    def committed(committed: Committed) -> None:
        if committed.chat.history_version == committed.chat.snapshot_version:
            search.moved(committed.chat.id)

    stack.callback(announcer.follow(committed))
    return search
