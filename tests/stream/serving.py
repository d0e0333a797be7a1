"""A real server on loopback with the streams of one replica, and clients that connect to it."""

import asyncio
import contextlib
import re
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import aiohttp
import msgspec
import uvicorn

from perdure.api.frames import FrameProtocol
from perdure.core.errors import ChatNotFound, InvalidInput
from perdure.core.events import AnyEvent
from perdure.core.ids import ChatId, ReplicaId
from perdure.core.timing import SystemClock
from perdure.observe.measures.service import StreamMeasures
from perdure.observe.metrics import Metrics
from perdure.store.pool import Pool
from perdure.stream.access import Admission, Receive, Refusal, Scope, Send
from perdure.stream.endpoints import PATTERN, ChatStream
from perdure.stream.gauges import observe_streams
from perdure.stream.hubs import Hubs
from perdure.stream.open_streams import OpenStreams
from perdure.stream.presence import Presence
from perdure.stream.relay.relay import Relay
from perdure.testing.metric_reader import MetricReader
from perdure.testing.polling import seen
from perdure.testing.scripted import ScriptedChats

_events = msgspec.json.Decoder(list[AnyEvent])
_event = msgspec.json.Decoder(AnyEvent)


@dataclass
class OpenAccess:
    """Lets everybody in but those it is told to keep out."""

    scripted: ScriptedChats
    kept_out: set[ChatId] = field(default_factory=set[ChatId])

    async def enter(self, scope: Scope, chat_id: ChatId | None) -> Admission:  # noqa: ARG002
        if chat_id in self.kept_out:
            raise ChatNotFound
        return Admission(user_id=self.scripted.user_id, organisation_id=self.scripted.organisation_id, chat_id=chat_id)

    async def denied(self, admissions: Sequence[Admission]) -> Collection[Admission]:
        return [admission for admission in admissions if admission.chat_id in self.kept_out]

    def refusal(self, error: Exception) -> Refusal:
        status = 404 if isinstance(error, ChatNotFound) else 400 if isinstance(error, InvalidInput) else 503
        return Refusal(status, msgspec.json.encode({"message": str(error)}))


@dataclass
class Replica:
    """What a replica needs to serve streams, and where it does."""

    scripted: ScriptedChats
    hubs: Hubs
    access: OpenAccess
    open_streams: OpenStreams
    numbers: MetricReader
    url: str = ""

    @classmethod
    def of(cls, scripted: ScriptedChats, pool: Pool) -> "Replica":
        hubs = Hubs(pool, scripted.episodes)
        hubs.listen(scripted.announcer, scripted.pubsub)
        access = OpenAccess(scripted)
        open_streams, metrics = OpenStreams(access), Metrics()
        relay = Relay(pool, "", lambda: ReplicaId(uuid4()))
        observe_streams(
            StreamMeasures(metrics), hubs=hubs, open_streams=open_streams, relay=relay, episodes=scripted.episodes
        )
        return cls(scripted, hubs, access, open_streams, MetricReader(metrics))

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        match = re.fullmatch(PATTERN, scope["path"])
        assert match is not None
        scope["path_params"] = match.groupdict()
        presence = Presence(self.scripted.pubsub, self.hubs.present, SystemClock())
        await ChatStream(self.hubs, self.open_streams, self.access, presence)(scope, receive, send)

    @asynccontextmanager
    async def served(self) -> AsyncGenerator["Replica"]:
        async with serving(self.app) as self.url:
            yield self


@asynccontextmanager
async def serving(app: Any) -> AsyncGenerator[str]:
    config = uvicorn.Config(
        app,
        host="127.0.0.1",
        port=0,
        log_level="warning",
        lifespan="off",
        ws=FrameProtocol,
        http="httptools",
        interface="asgi3",
    )
    config.ws, config.ws_per_message_deflate = FrameProtocol, False
    config.timeout_graceful_shutdown = 1
    server = uvicorn.Server(config)
    with contextlib.suppress(AttributeError):
        server.capture_signals = contextlib.nullcontext  # pyright: ignore[reportAttributeAccessIssue]
    running = asyncio.ensure_future(server.serve())
    await until(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        await running


async def until(true: Callable[[], object]) -> None:
    """Wait for something that happens on the other side of a socket."""

    async def look() -> bool:
        return bool(true())

    await seen(look)


async def over_websocket(
    session: aiohttp.ClientSession, url: str, chat_id: ChatId, cursor: str | None
) -> AsyncGenerator[AnyEvent]:
    query = {"cursor": cursor} if cursor else {}
    async with session.ws_connect(f"{url}/chats/{chat_id}/stream", params=query) as socket:
        async for message in socket:
            for event in _events.decode(message.data):
                yield event


async def over_sse(
    session: aiohttp.ClientSession, url: str, chat_id: ChatId, cursor: str | None
) -> AsyncGenerator[AnyEvent]:
    headers = {"Last-Event-ID": cursor} if cursor else {}
    async with session.get(f"{url}/chats/{chat_id}/stream", headers=headers) as response:
        name = data = b""
        async for line in response.content:
            field_name, _, value = line.rstrip(b"\n").partition(b": ")
            if field_name == b"id":
                name = value
            elif field_name == b"data":
                data = value
            elif not line.strip() and data:
                event = _event.decode(data)
                assert event.cursor == name.decode()
                yield event
                data = b""
