"""What a replica does beside turns and requests: titles, search, pushes, upkeep."""

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Protocol

from perdure.access.chats import Chats
from perdure.access.vapid import VapidKeys
from perdure.api.services import Services
from perdure.app.foundation import Foundation
from perdure.app.request_parts import make_describer
from perdure.app.worker_parts import WorkerParts
from perdure.channels.receiver import ChannelReceiver
from perdure.channels.sender import ChannelSender
from perdure.core.card import ChatSource
from perdure.core.commit import Commit
from perdure.core.ids import OrganisationId, UserId
from perdure.core.timing import SystemClock
from perdure.faces.a2a.pushing import Pushing
from perdure.objects.mover import Mover
from perdure.store.pool import when_moved
from perdure.store.search import SearchIndex
from perdure.stream.hubs import Hubs
from perdure.triggers.admission import Admission, Occasion
from perdure.triggers.deliveries import DeliveryRunner
from perdure.triggers.schedules import ScheduleRunner
from perdure.worker.describing import Describing
from perdure.worker.housekeeping import Housekeeping
from perdure.worker.push import Push
from perdure.worker.refills import Refills
from perdure.worker.webhooks import Ways, WebhookSender

# Push services want to know whom to write to; a deployment that has no address of its own has nobody.
CONTACT = "mailto:nobody@perdure.invalid"


class Service(Protocol):
    """Something that runs until it is cancelled."""

    async def run(self) -> None: ...


def make_background(
    stack: AsyncExitStack, foundation: Foundation, workers: WorkerParts, services: Services, hubs: Hubs
) -> Sequence[Service]:
    """All of it, told of what it follows from now on."""
    pool, machine, pubsub, clock = foundation.pool, foundation.machine, foundation.pubsub, foundation.clock
    tools = workers.tools
    return (
        workers.database,
        tools.workspaces.workspaces,
        tools.workspaces.workspaces.warm,
        tools.workspaces.workspaces.orphans,
        tools.workspaces.watch,
        tools.accounts,
        tools.services.chat_files,
        tools.mcp.connections,
        tools.hooks,
        workers.recorder,
        foundation.spans,
        make_describing(stack, foundation, workers),
        make_search(stack, foundation),
        make_push(stack, foundation, services.vapid),
        make_refills(stack, foundation),
        make_webhook_sender(stack, foundation, services, hubs),
        make_schedule_runner(stack, foundation, services),
        make_delivery_runner(stack, foundation, services),
        Housekeeping(pool, machine, foundation.config, pubsub, clock),
        *make_mover(foundation),
    )


def make_mover(foundation: Foundation) -> Sequence[Service]:
    """What moves files into object storage, where there is one."""
    settings, client = foundation.settings, foundation.objects
    if client is None:
        return ()
    kept = timedelta(days=settings.s3_kept_days)
    return (Mover(foundation.pool, client, SystemClock(), smallest=settings.s3_from, kept=kept),)


def make_describing(stack: AsyncExitStack, foundation: Foundation, workers: WorkerParts) -> Describing:
    describing = Describing(
        foundation.pool,
        foundation.machine,
        workers.runner_services.histories,
        make_describer(foundation, workers),
        foundation.pubsub,
        foundation.clock,
    )
    stack.callback(foundation.announcer.follow(describing.committed))
    stack.callback(when_moved(foundation.pool, describing.forget))
    return describing


def make_push(stack: AsyncExitStack, foundation: Foundation, keys: VapidKeys) -> Push:
    """What tells browsers of turns that end while nobody looks."""
    contact = foundation.settings.public_url or CONTACT
    push = Push(foundation.pool, keys, foundation.clock, contact=contact)
    stack.callback(foundation.announcer.follow(push.committed))
    return push


def make_refills(stack: AsyncExitStack, foundation: Foundation) -> Refills:
    """What lets chats go on whose budget was raised, told of every change of settings."""
    refills = Refills(foundation.pool, foundation.machine, foundation.config, foundation.clock)
    stack.callback(foundation.pubsub.listen(refills.heard))
    return refills


def reading(services: Services) -> Callable[[UserId, OrganisationId, str], Chats]:
    """The chats that somebody may read who is not there."""
    admission = Admission(services)

    def chats_of(user_id: UserId, organisation_id: OrganisationId, role: str) -> Chats:
        return admission.caller(Occasion("", ChatSource.API, user_id, organisation_id, role, "")).chats

    return chats_of


def make_webhook_sender(stack: AsyncExitStack, foundation: Foundation, services: Services, hubs: Hubs) -> WebhookSender:
    """What tells other programs, woken by every change that they may want to hear of."""
    sender = WebhookSender(
        foundation.pool,
        foundation.machine.outbox,
        foundation.keyring,
        foundation.clock,
        foundation.measures.webhooks,
        ways=Ways(
            foundation.network,
            channels=ChannelSender(foundation.pool, Admission(services)),
            tasks=Pushing(foundation.pool, hubs, reading(services)),
        ),
    )
    stack.callback(foundation.announcer.follow(sender.committed))
    stack.callback(foundation.pubsub.listen(sender.heard))
    return sender


def make_schedule_runner(stack: AsyncExitStack, foundation: Foundation, services: Services) -> ScheduleRunner:
    """What begins chats that are due, told of every change of a schedule."""
    measures = foundation.measures.schedules
    runner = ScheduleRunner(foundation.pool, Admission(services), foundation.pubsub, foundation.clock, measures)
    stack.callback(foundation.pubsub.listen(runner.heard))
    return runner


def make_delivery_runner(stack: AsyncExitStack, foundation: Foundation, services: Services) -> DeliveryRunner:
    """What brings deliveries to chats, told of every one."""
    admission, measures = Admission(services), foundation.measures.triggers
    receiver = ChannelReceiver(foundation.pool, admission)
    runner = DeliveryRunner(foundation.pool, admission, foundation.clock, measures, receiver)
    stack.callback(foundation.pubsub.listen(runner.heard))
    return runner


def make_search(stack: AsyncExitStack, foundation: Foundation) -> SearchIndex:
    """What people search, told of every chat whose history this replica changes."""
    search = SearchIndex(foundation.pool, foundation.clock)

    def committed(committed: Commit) -> None:
        if committed.chat.history_version == committed.chat.snapshot_version:
            search.moved(committed.chat.id)

    stack.callback(foundation.announcer.follow(committed))
    return search
