"""What requests are handled with, and what follows chats: the streams of a replica, and who may open them."""

import re
from contextlib import AsyncExitStack
from dataclasses import dataclass

from perdure.access.actor import ActorRows
from perdure.access.authentication import Authentication
from perdure.access.known_chats import KnownChats
from perdure.access.login_services import LoginServices
from perdure.access.oidc import Oidc
from perdure.access.previews import Previews
from perdure.access.signed_urls import SignedUrls
from perdure.access.signing_in import SignIn
from perdure.access.vapid import VapidKeys
from perdure.api.asgi_app import StreamRoute
from perdure.api.build_stream import PATTERN as BUILD_PATTERN
from perdure.api.build_stream import BuildStream
from perdure.api.preview.addresses import PreviewAddresses
from perdure.api.probe import Probe
from perdure.api.services import Services
from perdure.api.stream_access import StreamAccess
from perdure.api.terminal import PATTERN as TERMINAL_PATTERN
from perdure.api.terminal import TerminalStream
from perdure.app.foundation import Foundation
from perdure.app.worker_parts import WorkerParts
from perdure.config.receiving import Receiving
from perdure.objects.contents import Contents
from perdure.providers.catalog import Catalog
from perdure.store.pool import when_moved
from perdure.stream.endpoints import INBOX_PATTERN, LIST_PATTERN, ChatStream, WatchStream
from perdure.stream.endpoints import PATTERN as CHAT_STREAM
from perdure.stream.gauges import observe_streams
from perdure.stream.hubs import Hubs
from perdure.stream.open_streams import OpenStreams
from perdure.stream.presence import Presence
from perdure.stream.relay.peer import nobody_near
from perdure.stream.relay.relay import Relay
from perdure.stream.relay.server import RelayServer
from perdure.stream.relay.wire import PATTERN as RELAY_PATTERN
from perdure.stream.watch.watches import Watches
from perdure.worker.describer import Describer


def make_services(stack: AsyncExitStack, foundation: Foundation, workers: WorkerParts) -> Services:
    pool, clock, keyring, network = foundation.pool, foundation.clock, foundation.keyring, foundation.network
    catalog, authentication = Catalog.load(), Authentication(pool, foundation.pubsub, clock)
    tools, runner_services = workers.tools, workers.runner_services
    stack.callback(authentication.follow())
    stack.callback(when_moved(pool, authentication.forget_here))
    known_chats = KnownChats()
    stack.callback(foundation.announcer.follow(known_chats.committed))
    stack.callback(when_moved(pool, known_chats.clear))
    return Services(
        machine=foundation.machine,
        known_chats=known_chats,
        family=runner_services.family,
        waits=runner_services.waits,
        hooks=tools.hooks,
        rows=lambda actor: ActorRows(actor, pool),
        authentication=authentication,
        sign_in=SignIn(pool, clock),
        login_services=LoginServices(pool, keyring, Oidc(clock, proxy=network.proxy, trusted=network.trusted), clock),
        public_url=foundation.settings.public_url,
        config=foundation.config,
        keyring=keyring,
        pubsub=foundation.pubsub,
        signed_urls=SignedUrls(pool, keyring, clock),
        previews=Previews(pool, keyring, clock),
        preview_addresses=PreviewAddresses(foundation.settings.preview_url, foundation.settings.public_url),
        files=Contents(foundation.objects),
        vapid=VapidKeys(pool, keyring),
        receiving=Receiving(pool, keyring, clock),
        local_worker=workers.worker.runners,
        clock=clock,
        measures=foundation.measures,
        tracing=foundation.tracing,
        catalog=catalog,
        probe=Probe(foundation.config, catalog, runner_services.client, clock),
        describer=make_describer(foundation, workers),
        workspaces=tools.workspaces.workspaces,
        chat_files=tools.services.chat_files,
        proposals=tools.services.proposals,
        contexts=tools.workspaces.contexts,
        mcp=tools.mcp,
    )


def make_describer(foundation: Foundation, workers: WorkerParts) -> Describer:
    """Who finds titles, labels and summaries: with the models and the budgets of turns."""
    runner_services = workers.runner_services
    return Describer(
        pool=foundation.pool,
        models=runner_services.preparation.models,
        rules=runner_services.preparation.sources.rules,
        client=runner_services.client,
        budgets=runner_services.budgets,
        replica_id=lambda: workers.lease.id,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamParts:
    hubs: Hubs
    open_streams: OpenStreams
    relay: Relay
    watches: Watches
    presence: Presence
    routes: tuple[StreamRoute, ...]
    """For clients."""
    relay_server: StreamRoute
    """For other replicas."""


def make_stream_parts(
    stack: AsyncExitStack, foundation: Foundation, workers: WorkerParts, authentication: Authentication
) -> StreamParts:
    pool, clock, episodes = foundation.pool, foundation.clock, workers.runner_services.episodes
    # What replicas prove to each other that they belong together: they share the key of the deployment.
    secret = foundation.keyring.derived("relay")
    access = StreamAccess(
        authentication, pool, lambda actor: ActorRows(actor, pool), public_url=foundation.settings.public_url
    )
    near = nobody_near if foundation.siblings is None else foundation.siblings.socket_of
    relay = Relay(pool, secret, lambda: workers.lease.id, clock, near=near)
    hubs = Hubs(pool, episodes, clock, remote=relay, losses=foundation.losses)
    open_streams = OpenStreams(access, clock)
    presence = Presence(foundation.pubsub, hubs.present, clock)
    stack.callback(presence.listen())
    stack.callback(hubs.listen(foundation.announcer, foundation.pubsub))
    stack.callback(foundation.pubsub.listen(open_streams.heard))
    watches = Watches(pool, foundation.pubsub, clock)
    observe_streams(foundation.measures.streams, hubs=hubs, open_streams=open_streams, relay=relay, episodes=episodes)
    workspaces = workers.tools.workspaces.workspaces
    routes = (
        StreamRoute(re.compile(CHAT_STREAM), ChatStream(hubs, open_streams, access, presence)),
        StreamRoute(re.compile(LIST_PATTERN), WatchStream(watches.follow, open_streams, access)),
        StreamRoute(re.compile(INBOX_PATTERN), WatchStream(watches.follow_inbox, open_streams, access)),
        StreamRoute(re.compile(BUILD_PATTERN), BuildStream(workspaces, access)),
        StreamRoute(re.compile(TERMINAL_PATTERN), TerminalStream(workspaces, open_streams, access, clock)),
    )
    relay_server = StreamRoute(re.compile(RELAY_PATTERN), RelayServer(episodes, secret))
    return StreamParts(
        hubs=hubs,
        open_streams=open_streams,
        relay=relay,
        watches=watches,
        presence=presence,
        routes=routes,
        relay_server=relay_server,
    )
