"""From settings to a running replica: put together from the bottom up, stopped in reverse."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

from perdure.app.background import Service, make_background
from perdure.app.foundation import Foundation, open_foundation
from perdure.app.parts import NO_PARTS, Parts, Runs
from perdure.app.replica import Replica
from perdure.app.request_parts import make_services, make_stream_parts
from perdure.app.siblings import Siblings
from perdure.app.worker_parts import make_worker_parts
from perdure.config.demo import offer_demo
from perdure.core.errors import Misconfigured
from perdure.core.timing import CONNECT_PATIENCE, SystemClock
from perdure.observe.upkeep import kept_up
from perdure.settings import ReplicaRole, Settings
from perdure.store.fleet_pubsub import FleetPubsub


@asynccontextmanager
async def assemble(
    settings: Settings,
    *,
    parts: Parts = NO_PARTS,
    address: str | None = None,
    demo: str | None = None,
    siblings: Siblings | None = None,
) -> AsyncGenerator[Replica]:
    """Everything a replica is made of, started from the bottom up and stopped in reverse.

    `address` is where other replicas reach this one, `demo` where a simulated model is that this one may use,
    `siblings` the processes that share its address.
    """
    if settings.role is ReplicaRole.API:
        settings = replace(settings, capacity=0)
    async with AsyncExitStack() as stack:
        foundation = await open_foundation(stack, settings, parts, siblings)
        workers = await make_worker_parts(stack, foundation, parts, address=address)
        services = make_services(stack, foundation, workers)
        streams = make_stream_parts(stack, foundation, workers, services.authentication)
        if parts.runs is Runs.EVERYTHING:
            await hear_others(stack, foundation.pubsub)
        if demo is not None:
            # Before any work is taken: the simulator that its chats used last may be gone.
            await use_demo(foundation, demo)
        background = (
            make_background(stack, foundation, workers, services, streams.hubs) if parts.runs is Runs.EVERYTHING else ()
        )
        if parts.runs is not Runs.NOTHING:
            await workers.lease.start()
            start(stack, workers.worker)
        start(stack, *background)
        if parts.runs is Runs.EVERYTHING:
            start(stack, streams.hubs, streams.open_streams, streams.relay, streams.watches, streams.presence)
        yield Replica(foundation=foundation, workers=workers, services=services, streams=streams)


async def use_demo(foundation: Foundation, simulator_url: str) -> None:
    organisation = foundation.account.organisation
    await offer_demo(foundation.pool, organisation, simulator_url)
    foundation.config.changed(organisation)


def start(stack: AsyncExitStack, *services: Service) -> None:
    """Start services that end with the stack."""
    clock = SystemClock()
    tasks = [asyncio.create_task(kept_up(service.run, clock)) for service in services]
    if tasks:
        stack.push_async_callback(stopped, tasks)


async def stopped(tasks: Iterable["asyncio.Task[None]"]) -> None:
    """End the services of a replica."""
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


async def hear_others(stack: AsyncExitStack, pubsub: FleetPubsub) -> None:
    """Listen to other replicas before they are told that this one is there."""
    start(stack, pubsub)
    try:
        async with asyncio.timeout(CONNECT_PATIENCE.total_seconds()):
            await pubsub.listening.wait()
    except TimeoutError:
        raise Misconfigured(
            "Notices from other replicas do not arrive. Is PERDURE_NATS_URL right? "
            "Behind a pooler in transaction mode, set PERDURE_LISTEN_URL to the database itself."
        ) from None
