"""The audience of a replica: the streams, and who may open them."""

import re
from contextlib import AsyncExitStack
from dataclasses import dataclass

from perdure.api.build_stream import PATTERN as BUILD_PATTERN
from perdure.api.build_stream import BuildStream
from perdure.api.door import ApiDoor
from perdure.api.services import Services
from perdure.api.site import Stream
from perdure.api.terminal import PATTERN as TERMINAL_PATTERN
from perdure.api.terminal import TerminalStream
from perdure.app.ground import Ground
from perdure.app.workshop import Workshop
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
class Audience:
    """What follows chats."""

    hubs: Hubs
    visitors: Visitors
    relay: Relay
    watches: Watches
    streams: tuple[Stream, ...]
    """For clients."""
    outlet: Stream
    """For other replicas."""


def open_audience(stack: AsyncExitStack, ground: Ground, shop: Workshop) -> Audience:
    """The streams, and who may open them."""
    services, episodes = ground.services, shop.kit.episodes
    pool, clock, secret = ground.pool, services.clock, relay_secret(services)
    door = ApiDoor(services.entrance, pool, services.rows, public_url=services.public_url)
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
    )
    outlet = Stream(re.compile(RELAY_PATTERN), Outlet(episodes, secret))
    return Audience(hubs=hubs, visitors=visitors, relay=relay, watches=watches, streams=streams, outlet=outlet)


def relay_secret(services: Services) -> str:
    """What replicas prove to each other that they belong together: they share the key of the deployment."""
    return services.keyring.derived("relay")
