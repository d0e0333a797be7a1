"""A client with no fat: creates chats, follows their streams and sends messages, and knows when what happened."""

import asyncio
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import aiohttp
import msgspec

BASE = "/api/v1"
PATIENCE = 120.0


class StreamEvent(msgspec.Struct, frozen=True):
    """What of an event matters here."""

    type: str
    status: str | None = None
    message: "_Message | None" = None
    retry: dict[str, object] | None = None


class _Message(msgspec.Struct, frozen=True):
    role: str


class _Chat(msgspec.Struct, frozen=True):
    id: str


class _Created(msgspec.Struct, frozen=True):
    chat: _Chat


_batches = msgspec.json.Decoder(list[StreamEvent])
_created = msgspec.json.Decoder(_Created)
_ENDLESS = aiohttp.ClientTimeout(total=None)
Stream = aiohttp.ClientWebSocketResponse | aiohttp.ClientResponse


class Failed(Exception):
    """A turn that did not come about; `stage` says how far it came."""

    def __init__(self, stage: str, why: str) -> None:
        super().__init__(f"{stage}: {why}")
        self.stage = stage


@dataclass(slots=True)
class Turn:
    """When one turn came to what, in seconds since it was asked for."""

    asked_at: float
    asked_on: float = field(default_factory=time.time)
    """The same moment by the clock on the wall."""
    accepted: float = 0.0
    """The server had it in its database."""
    running: float = 0.0
    first_output: float = 0.0
    rested: float = 0.0
    first: bool = False
    """Whether it began its chat."""


@dataclass(slots=True)
class LoadChat:
    """One chat and its stream."""

    http: aiohttp.ClientSession
    url: str
    token: str
    sse: bool = False
    """Whether it follows by server-sent events instead of a WebSocket."""
    chat_id: str = ""
    received: int = 0
    events: int = 0
    retries: int = 0
    _streams: list[Stream] = field(default_factory=list[Stream])
    _readers: "list[asyncio.Task[None]]" = field(default_factory=list["asyncio.Task[None]"])
    _turn: Turn | None = None
    _rested: asyncio.Event = field(default_factory=asyncio.Event)
    _status: str = ""
    _answered: bool = False
    _broken: str = ""

    @property
    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}", "content-type": "application/json"}

    async def create(self, text: str) -> Turn:
        """Begin the chat, follow it, and see its first turn through."""
        turn = self._begin(first=True)
        answer = await self._post("create", "/chats", _said(text))
        self.chat_id = _created.decode(answer).chat.id
        turn.accepted = time.perf_counter() - turn.asked_at
        await self.follow()
        return await self._see_through(turn)

    async def send(self, text: str) -> Turn:
        turn = self._begin()
        await self._post("send", f"/chats/{self.chat_id}/messages", _said(text))
        turn.accepted = time.perf_counter() - turn.asked_at
        return await self._see_through(turn)

    async def follow(self) -> None:
        """Open the chat's stream."""
        self._readers.append(asyncio.create_task(self._read(await self._connected())))

    async def hang(self) -> None:
        """Stay connected and read nothing more."""
        for reader in self._readers:
            reader.cancel()
        await asyncio.gather(*self._readers, return_exceptions=True)

    async def post(self, text: str) -> None:
        """Say something without waiting for what comes of it."""
        await self._post("send", f"/chats/{self.chat_id}/messages", _said(text))

    async def join(self) -> None:
        """Follow the chat once more, as another reader would."""
        self._readers.append(asyncio.create_task(_drained(await self._connected())))

    async def close(self) -> None:
        await self.hang()
        for stream in self._streams:
            await _closed(stream)

    def _begin(self, *, first: bool = False) -> Turn:
        self._rested.clear()
        self._answered = False
        self._turn = Turn(time.perf_counter(), first=first)
        return self._turn

    async def _post(self, stage: str, path: str, body: bytes) -> bytes:
        try:
            async with self.http.post(self.url + BASE + path, data=body, headers=self._headers) as answer:
                content = await answer.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Failed(stage, repr(error)) from error
        if answer.status >= 400:
            raise Failed(stage, f"{answer.status} {content[:200]!r}")
        return content

    async def _connected(self) -> Stream:
        address = f"{self.url}{BASE}/chats/{self.chat_id}/stream"
        try:
            if self.sse:
                headers = {**self._headers, "accept": "text/event-stream"}
                stream = await self.http.get(address, headers=headers, timeout=_ENDLESS)
            else:
                stream = await self.http.ws_connect(address, headers=self._headers, max_msg_size=0)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Failed("stream", repr(error)) from error
        self._streams.append(stream)
        return stream

    async def _read(self, stream: Stream) -> None:
        async for batch in _batches_of(stream):
            self.received += len(batch)
            for event in _batches.decode(batch):
                self.events += 1
                self._hear(event)
            self._look()
        self._broken = "the stream ended"
        self._rested.set()

    def _hear(self, event: StreamEvent) -> None:
        turn = self._turn
        if turn is None:
            return
        match event.type:
            case "message_part":
                turn.first_output = turn.first_output or time.perf_counter() - turn.asked_at
            case "message" if event.message is not None and event.message.role == "assistant":
                self._answered = True
                turn.first_output = turn.first_output or time.perf_counter() - turn.asked_at
            case "status":
                self._status = event.status or ""
                if self._status == "running":
                    turn.running = turn.running or time.perf_counter() - turn.asked_at
            case "retry" if event.retry is not None:
                self.retries += 1
            case _:
                pass

    def _look(self) -> None:
        """Whether the turn is over: a short one may be, without anybody having said that it ran."""
        turn = self._turn
        failed = self._status == "error"
        if turn is not None and not turn.rested and (failed or (self._answered and self._status == "waiting")):
            turn.rested = time.perf_counter() - turn.asked_at
            self._broken = "it rests in an error" if failed else ""
            self._rested.set()

    async def _see_through(self, turn: Turn) -> Turn:
        try:
            async with asyncio.timeout(PATIENCE):
                await self._rested.wait()
        except TimeoutError as error:
            raise Failed("rest", "it took too long") from error
        if self._broken:
            raise Failed("rest", self._broken)
        turn.running = turn.running or turn.first_output
        return turn


async def _batches_of(stream: Stream) -> AsyncGenerator[bytes | str]:
    """What the server sends at a time: JSON arrays of events."""
    if isinstance(stream, aiohttp.ClientWebSocketResponse):
        async for message in stream:
            yield message.data
        return
    async for line in stream.content:
        if line.startswith(b"data: "):
            yield b"[%b]" % line[6:]


async def _closed(stream: Stream) -> None:
    if isinstance(stream, aiohttp.ClientWebSocketResponse):
        await stream.close()
    else:
        stream.close()


async def _drained(stream: Stream) -> None:
    async for _ in _batches_of(stream):
        pass


def _said(text: str) -> bytes:
    return msgspec.json.encode({"content": [{"type": "text", "text": text}]})
