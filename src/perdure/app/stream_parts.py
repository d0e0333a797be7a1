"""What follows chats: the streams of a replica, and who may open them."""

import re
from contextlib import AsyncExitStack
from dataclasses import dataclass

from perdure.access.authentication import Authentication
from perdure.access.rows import ActorRows
from perdure.api.asgi_app import StreamRoute
from perdure.api.build_stream import PATTERN as BUILD_PATTERN
from perdure.api.build_stream import BuildStream
from perdure.api.stream_access import StreamAccess
from perdure.api.terminal import PATTERN as TERMINAL_PATTERN
from perdure.api.terminal import TerminalStream
from perdure.app.foundation import Foundation
from perdure.app.worker_parts import WorkerParts
from perdure.stream.chat_stream import PATTERN as CHAT_STREAM
from perdure.stream.chat_stream import ChatStream
from perdure.stream.gauges import observe_streams
from perdure.stream.hubs import Hubs
from perdure.stream.open_streams import OpenStreams
from perdure.stream.relay.peer import nobody_near
from perdure.stream.relay.relay import Relay
from perdure.stream.relay.server import RelayServer
from perdure.stream.relay.wire import PATTERN as RELAY_PATTERN
from perdure.stream.watch.streams import INBOX_PATTERN, LIST_PATTERN, WatchStream
from perdure.stream.watch.watches import Watches


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamParts:
    hubs: Hubs
    open_streams: OpenStreams
    relay: Relay
    watches: Watches
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
    stack.callback(hubs.listen(foundation.announcer, foundation.pubsub))
    watches = Watches(pool, foundation.pubsub, clock)
    observe_streams(foundation.measures.streams, hubs=hubs, open_streams=open_streams, relay=relay, episodes=episodes)
    workspaces = workers.tools.workspaces.workspaces
    routes = (
        StreamRoute(re.compile(CHAT_STREAM), ChatStream(hubs, open_streams, access)),
        StreamRoute(re.compile(LIST_PATTERN), WatchStream(watches.follow, open_streams, access)),
        StreamRoute(re.compile(INBOX_PATTERN), WatchStream(watches.follow_inbox, open_streams, access)),
        StreamRoute(re.compile(BUILD_PATTERN), BuildStream(workspaces, access)),
        StreamRoute(re.compile(TERMINAL_PATTERN), TerminalStream(workspaces, open_streams, access, clock)),
    )
    relay_server = StreamRoute(re.compile(RELAY_PATTERN), RelayServer(episodes, secret))
    return StreamParts(
        hubs=hubs, open_streams=open_streams, relay=relay, watches=watches, routes=routes, relay_server=relay_server
    )
