"""Streams from servers that do not keep to the rules."""

import asyncio
from contextlib import aclosing
from uuid import uuid4

import msgspec
from aiohttp import web

from perdure.client import Client, EventStream
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
