"""The audience of a replica: the streams, and who may open them."""

import re
from contextlib import AsyncExitStack
from dataclasses import dataclass

from perdure.api.asgi_app import StreamRoute
from perdure.api.build_stream import PATTERN as BUILD_PATTERN
from perdure.api.build_stream import BuildStream
from perdure.api.services import Services
from perdure.api.stream_access import StreamAccess
from perdure.api.terminal import PATTERN as TERMINAL_PATTERN
from perdure.api.terminal import TerminalStream
from perdure.app.foundation import Foundation
from perdure.app.worker_parts import WorkerParts
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


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamParts:
    """What follows chats."""

    hubs: Hubs
    visitors: Visitors
    relay: Relay
    watches: Watches
    streams: tuple[StreamRoute, ...]
    """For clients."""
    outlet: StreamRoute
    """For other replicas."""


def make_stream_parts(stack: AsyncExitStack, foundation: Foundation, workers: WorkerParts) -> StreamParts:
    """The streams, and who may open them."""
    services, episodes = foundation.services, workers.kit.episodes
    pool, clock, secret = foundation.pool, services.clock, relay_secret(services)
    door = StreamAccess(services.entrance, pool, services.rows, public_url=services.public_url)
    hubs, visitors = Hubs(pool, episodes, clock), Visitors(door, clock)
    stack.callback(hubs.listen(foundation.announcer, foundation.pubsub))
    relay = hubs.remote = Relay(pool, secret, lambda: workers.lease.id, clock)
    watches = Watches(pool, foundation.pubsub, clock)
    read_streams(services.measures.streams, hubs=hubs, visitors=visitors, relay=relay, episodes=episodes)
    streams = (
        StreamRoute(re.compile(CHAT_STREAM), ChatStream(hubs, visitors, door)),
        StreamRoute(re.compile(LIST_PATTERN), WatchStream(watches.follow, visitors, door)),
        StreamRoute(re.compile(INBOX_PATTERN), WatchStream(watches.follow_inbox, visitors, door)),
        StreamRoute(re.compile(BUILD_PATTERN), BuildStream(workers.workspaces.workspaces, door)),
        StreamRoute(re.compile(TERMINAL_PATTERN), TerminalStream(workers.workspaces.workspaces, visitors, door, clock)),
    )
    outlet = StreamRoute(re.compile(RELAY_PATTERN), Outlet(episodes, secret))
    return StreamParts(hubs=hubs, visitors=visitors, relay=relay, watches=watches, streams=streams, outlet=outlet)


def relay_secret(services: Services) -> str:
    """What replicas prove to each other that they belong together: they share the key of the deployment."""
    return services.keyring.derived("relay")
