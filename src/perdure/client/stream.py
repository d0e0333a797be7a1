"""A chat's events as they happen, over any number of connections: what breaks is resumed, nothing comes twice."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from datetime import timedelta
from enum import StrEnum
from uuid import UUID

import aiohttp
import msgspec

from perdure.client.connection import ApiError, Connection, Problem, refused
from perdure.client.transcript import Gap, Transcript
from perdure.core.events import AnyEvent
from perdure.core.tasks import Backoff
from perdure.core.timing import REQUEST_CONNECT, STREAM_SILENCE, SystemClock

# A dead connection does not say goodbye.
STREAM_GOODBYE = timedelta(seconds=2)
# Between a client's tries to follow a stream again.
STREAM_AGAIN_FIRST = timedelta(milliseconds=200)
STREAM_AGAIN_LONGEST = timedelta(seconds=10)
_batches = msgspec.json.Decoder(list[AnyEvent])
_events = msgspec.json.Decoder(AnyEvent)
_FATAL = frozenset({400, 401, 403, 404})
# The codes with which a stream says that coming back makes no sense.
_CLOSED = {4403: 403, 4404: 404}


class Transport(StrEnum):
    WEBSOCKET = "websocket"
    SSE = "sse"


class EventStream:
    """Iterate it for events; `transcript` is the chat as they tell it, and `cursor` is where to go on another day."""

    def __init__(
        self,
        connection: Connection,
        chat_id: UUID,
        *,
        cursor: str | None = None,
        transport: Transport = Transport.WEBSOCKET,
        silence: timedelta = STREAM_SILENCE,
    ) -> None:
        self.transcript = Transcript(cursor)
        self._connection = connection
        self._path = f"/chats/{chat_id}/stream"
        self._transport = transport
        self._silence = silence.total_seconds()

    @property
    def cursor(self) -> str | None:
        return self.transcript.cursor

    async def __aiter__(self) -> AsyncGenerator[AnyEvent]:
        backoff = Backoff(STREAM_AGAIN_FIRST, STREAM_AGAIN_LONGEST, spread=0.3)
        while True:
            try:
                # Closed before anything else: whoever closes this stream may close the event loop right after.
                async with aclosing(self._connected()) as connected:
                    async for event in connected:
                        backoff.reset()
                        if self.transcript.add(event):
                            yield event
            except aiohttp.WSServerHandshakeError as error:
                if error.status in _FATAL:
                    raise await self._refusal(error.status) from error
            except (Gap, aiohttp.ClientError, TimeoutError):
                pass
            await backoff.wait(SystemClock())

    def _connected(self) -> AsyncGenerator[AnyEvent]:
        """What comes over one connection."""
        return self._websocket() if self._transport is Transport.WEBSOCKET else self._sse()

    async def _refusal(self, status: int) -> ApiError:
        """Why a WebSocket was refused: its handshake says nothing but the status, a plain request says it all."""
        query, content = {"cursor": self.cursor} if self.cursor else {}, b""
        with suppress(aiohttp.ClientError, TimeoutError):
            async with self._connection.session.get(self._connection.url + self._path, params=query) as response:
                content = await response.read() if response.status == status else b""
        return refused(status, content)

    async def _websocket(self) -> AsyncGenerator[AnyEvent]:
        query = {"cursor": self.cursor} if self.cursor else {}
        address = self._connection.url + self._path
        # The server's heartbeats are messages: a connection without any is dead, and raises TimeoutError.
        goodbye = min(self._silence, STREAM_GOODBYE.total_seconds())
        patience = aiohttp.ClientWSTimeout(ws_receive=self._silence, ws_close=goodbye)  # pyright: ignore[reportCallIssue]
        connecting = self._connection.session.ws_connect(address, params=query, timeout=patience, max_msg_size=0)
        async with asyncio.timeout(self._silence):
            socket = await connecting
        async with socket:
            async for message in socket:
                if message.type is aiohttp.WSMsgType.ERROR:
                    # It has been silent for too long, or said something that makes no sense.
                    return
                for event in _batches.decode(message.data):
                    yield event
            if socket.close_code in _CLOSED:
                raise refused(_CLOSED[socket.close_code], msgspec.json.encode(Problem("The chat cannot be followed.")))

    async def _sse(self) -> AsyncGenerator[AnyEvent]:
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": self.cursor} if self.cursor else {})
        address = self._connection.url + self._path
        patience = aiohttp.ClientTimeout(
            total=None, sock_connect=REQUEST_CONNECT.total_seconds(), sock_read=self._silence
        )
        async with self._connection.session.get(address, headers=headers, timeout=patience) as response:
            if response.status in _FATAL:
                raise refused(response.status, await response.read())
            if response.status != 200:
                return
            rest = b""
            async for chunk in response.content.iter_any():
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    if line.startswith(b"data: "):
                        yield _events.decode(line[6:])
