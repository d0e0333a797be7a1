"""Streams from servers that do not keep to the rules."""

import asyncio
from contextlib import aclosing
from datetime import timedelta
from uuid import uuid4

import msgspec
import pytest
from aiohttp import web

from perdure.client import Client, EventStream
from perdure.client.stream import Transport
from perdure.core.chat import Status
from perdure.core.events import StatusEvent

NO_FRAME = b"\xff\x00"
TOLD = msgspec.json.encode([StatusEvent(cursor="1.0.0.0.0", status=Status.WAITING)])


class Confused:
    """Sends bytes that are no frame to the first who comes, and an event to whoever comes after."""

    def __init__(self) -> None:
        self.visits = 0

    async def stream(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.visits += 1
        if self.visits == 1:
            assert request.transport is not None
            request.transport.write(NO_FRAME)
        else:
            await socket.send_str(TOLD.decode())
        await socket.receive()
        return socket


class Silent:
    """Says nothing to the first who comes, whose connection stays open, and tells whoever comes after."""

    def __init__(self) -> None:
        self.visits = 0
        self.over = asyncio.Event()

    async def stream(self, request: web.Request) -> web.StreamResponse:
        self.visits += 1
        answer: web.StreamResponse = web.WebSocketResponse() if "Upgrade" in request.headers else web.StreamResponse()
        await answer.prepare(request)
        if self.visits > 1:
            await self._tell(answer)
        await self.over.wait()
        return answer

    async def _tell(self, answer: web.StreamResponse) -> None:
        if isinstance(answer, web.WebSocketResponse):
            await answer.send_str(TOLD.decode())
        else:
            await answer.write(b"event: heartbeat\ndata:\n\ndata: %b\n\n" % TOLD[1:-1])


@pytest.mark.parametrize("transport", Transport)
async def test_a_connection_that_is_open_and_silent_is_given_up_for_another(transport: Transport) -> None:
    silent, app = Silent(), web.Application()
    app.router.add_get("/api/v1/chats/{chat}/stream", silent.stream)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    async with Client(f"http://127.0.0.1:{runner.addresses[0][1]}") as client:
        stream = EventStream(client.connection, uuid4(), transport=transport, silence=timedelta(milliseconds=300))
        async with aclosing(aiter(stream)) as events, asyncio.timeout(60):
            await anext(events)
    silent.over.set()
    await runner.cleanup()
    assert (stream.transcript.status, silent.visits >= 2) == (Status.WAITING, True)


async def test_a_stream_comes_back_after_bytes_that_make_no_sense() -> None:
    confused, app = Confused(), web.Application()
    app.router.add_get("/api/v1/chats/{chat}/stream", confused.stream)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    async with Client(f"http://127.0.0.1:{runner.addresses[0][1]}") as client:
        stream = EventStream(client.connection, uuid4())
        async with aclosing(aiter(stream)) as events, asyncio.timeout(60):
            await anext(events)
    await runner.cleanup()
    assert (stream.transcript.status, confused.visits) == (Status.WAITING, 2)
