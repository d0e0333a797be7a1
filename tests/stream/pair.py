"""Two replicas on one database with real sockets between them and their clients; each can drive any chat."""

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from tests.stream.serving import OpenAccess, serving

from perdure.live.segments import Segments
from perdure.store.pool import Pool
from perdure.store.pubsub import LocalBus
from perdure.stream.access import Receive, Scope, Send
from perdure.stream.chat_stream import PATTERN, ChatStream
from perdure.stream.hubs import Hubs
from perdure.stream.open_streams import OpenStreams
from perdure.stream.relay.relay import Relay
from perdure.stream.relay.server import RelayServer
from perdure.stream.relay.wire import PATH
from perdure.testing.scripted import Stage

SECRET = "between us"


@dataclass
class Half:
    """One of the two."""

    stage: Stage
    hubs: Hubs
    relay: Relay
    segments: Segments
    url: str = ""

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == PATH:
            await RelayServer(self.stage.episodes, SECRET)(scope, receive, send)
            return
        access = OpenAccess(self.stage)
        match = re.fullmatch(PATTERN, scope["path"])
        assert match is not None
        scope["path_params"] = match.groupdict()
        await ChatStream(self.hubs, OpenStreams(access), access)(scope, receive, send)


@asynccontextmanager
async def pair(pool: Pool) -> AsyncGenerator[tuple[Half, Half]]:
    """Both replicas, running. Notices reach both, as a pubsub would bring them."""
    bus = LocalBus()
    first = await Stage.set(pool, bus)
    second = Stage.beside(pool, first.organisation_id, first.user_id, bus)
    async with AsyncExitStack() as stack:
        halves = [await _half(stage, pool, stack) for stage in (first, second)]
        services = [service.run() for half in halves for service in (half.hubs, half.relay, half.segments)]
        tasks = [asyncio.ensure_future(service) for service in services]
        yield halves[0], halves[1]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def _half(stage: Stage, pool: Pool, stack: AsyncExitStack) -> Half:
    relay = Relay(pool, SECRET, lambda: stage.replica_id)
    hubs = Hubs(pool, stage.episodes, remote=relay)
    hubs.listen(stage.announcer, stage.pubsub)
    half = Half(stage, hubs, relay, Segments(pool, stage.episodes))
    half.url = await stack.enter_async_context(serving(half.app))
    await pool.execute(
        "INSERT INTO replicas (id, address, version, seen_at) VALUES ($1, $2, '1', now() + interval '1 hour')",
        stage.replica_id,
        half.url,
    )
    return half
