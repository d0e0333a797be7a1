"""Two replicas on one database with real sockets between them and their clients; each can drive any chat."""

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from tests.stream.serving import OpenAccess, serving

from perdure.core.timing import SystemClock
from perdure.live.segments import Segments
from perdure.store.pool import Pool
from perdure.store.pubsub import LocalBus
from perdure.stream.access import Receive, Scope, Send
from perdure.stream.endpoints import PATTERN, ChatStream
from perdure.stream.hubs import Hubs
from perdure.stream.open_streams import OpenStreams
from perdure.stream.presence import Presence
from perdure.stream.relay.relay import Relay
from perdure.stream.relay.server import RelayServer
from perdure.stream.relay.wire import PATH
from perdure.testing.scripted import ScriptedChats

SECRET = "between us"


@dataclass
class Half:
    """One of the two."""

    scripted: ScriptedChats
    hubs: Hubs
    relay: Relay
    segments: Segments
    url: str = ""

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == PATH:
            await RelayServer(self.scripted.episodes, SECRET)(scope, receive, send)
            return
        access = OpenAccess(self.scripted)
        match = re.fullmatch(PATTERN, scope["path"])
        assert match is not None
        scope["path_params"] = match.groupdict()
        presence = Presence(LocalBus(), self.hubs.present, SystemClock())
        await ChatStream(self.hubs, OpenStreams(access), access, presence)(scope, receive, send)


@asynccontextmanager
async def pair(pool: Pool) -> AsyncGenerator[tuple[Half, Half]]:
    """Both replicas, running. Notices reach both, as a pubsub would bring them."""
    bus = LocalBus()
    first = await ScriptedChats.set_up(pool, bus)
    second = ScriptedChats.beside(pool, first.organisation_id, first.user_id, bus)
    async with AsyncExitStack() as stack:
        halves = [await _half(scripted, pool, stack) for scripted in (first, second)]
        services = [service.run() for half in halves for service in (half.hubs, half.relay, half.segments)]
        tasks = [asyncio.ensure_future(service) for service in services]
        yield halves[0], halves[1]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def _half(scripted: ScriptedChats, pool: Pool, stack: AsyncExitStack) -> Half:
    relay = Relay(pool, SECRET, lambda: scripted.replica_id)
    hubs = Hubs(pool, scripted.episodes, remote=relay)
    hubs.listen(scripted.announcer, scripted.pubsub)
    half = Half(scripted, hubs, relay, Segments(pool, scripted.episodes))
    half.url = await stack.enter_async_context(serving(half.app))
    await pool.execute(
        "INSERT INTO replicas (id, address, version, seen_at) VALUES ($1, $2, '1', now() + interval '1 hour')",
        scripted.replica_id,
        half.url,
    )
    return half
