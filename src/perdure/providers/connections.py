"""Connections to models: HTTP/1.1 over sockets of our own, one request after another, for what is reached directly.

A turn asks a model once and reads one stream. What a general client does besides (cookies, redirects, its own tasks
and timers) cost a tenth of the turn. Whatever goes wrong is raised as the general client's errors.
"""

import asyncio
import socket
import ssl
import zlib
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from functools import lru_cache
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

import aiohappyeyeballs
import aiohttp
import httptools
from aiohttp.http_exceptions import BadHttpMessage, BadStatusLine
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

HEAD_BYTES = 64 * 1024
"""More than the head of any answer."""
LINE_BYTES = 8 * 1024
UNREAD_BYTES = 256 * 1024
"""What waits for its reader before the server is no longer listened to."""
NEXT_ADDRESS = 0.25
"""Seconds after which the next address of a host is tried beside the one before."""
ADDRESSES_KEPT = 10.0

USUAL_HEADERS = {"accept-encoding": "identity", "user-agent": "perdure"}

_ENCODINGS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}
_UNTYPED = "application/octet-stream"
_NOBODY = aiohttp.RequestInfo(URL(), "", CIMultiDictProxy(CIMultiDict[str]()), URL())


class Host(NamedTuple):
    """Where connections lead."""

    secure: bool
    host: str
    port: int


class Addressee(NamedTuple):
    """What a URL says, taken apart once."""

    place: Host
    host: str
    """Who is asked, as the request says it."""
    path: str


@lru_cache(maxsize=256)
def target_of(url: str) -> Addressee | None:
    """What a URL that is reached directly says. None for one that is more than a host and a path."""
    parts = urlsplit(url)
    host, port = parts.hostname, parts.port
    if parts.scheme not in ("http", "https") or not host or "@" in parts.netloc or not url.isascii():
        return None
    path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    if any(sign <= " " for sign in path):
        return None
    secure = parts.scheme == "https"
    place = Host(secure, host, port or (443 if secure else 80))
    return Addressee(place, parts.netloc, path)


class DirectResponse:
    """An answer: its head, and its body as it comes."""

    __slots__ = ("_connection", "_decoder", "_error", "_over", "_pieces", "_size", "_waiter", "headers", "status")

    def __init__(self, connection: "Connection", status: int, headers: Mapping[str, str]) -> None:
        self.status = status
        self.headers = headers
        """By their names in lower case."""
        self._connection = connection
        self._decoder = _decoder(headers.get("content-encoding", "identity"))
        self._pieces: list[bytes] = []
        self._size = 0
        self._over = False
        self._error: BaseException | None = None
        self._waiter: asyncio.Future[None] | None = None

    @property
    def content(self) -> "DirectResponse":
        return self

    @property
    def content_type(self) -> str:
        said = self.headers.get("content-type")
        if said is None:
            return _UNTYPED
        kind = said.partition(";")[0].strip().lower()
        return kind if kind.count("/") == 1 else "text/plain"

    async def readany(self) -> bytes:
        """What there is, as soon as there is something. Nothing at the end."""
        while not self._pieces:
            if self._error is not None:
                raise self._error
            if self._over:
                return b""
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        pieces, self._pieces = self._pieces, []
        if self._size > UNREAD_BYTES and not self._over:
            self._connection.listen()
        self._size = 0
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def at_eof(self) -> bool:
        return self._over and not self._pieces

    def close(self) -> None:
        """Nobody reads on. The connection of an answer that is not complete is closed with it."""
        if not self._over:
            self._connection.abort()
            self.set_exception(aiohttp.ClientConnectionError("Connection closed"))

    def set_exception(self, error: BaseException) -> None:
        """Have whoever reads find this instead of more."""
        if not self._over and self._error is None:
            self._error = error
            self._wake()

    def feed(self, piece: bytes) -> None:
        if self._decoder is not None:
            piece = self._decoder.decompress(piece)
            if not piece:
                return
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size > UNREAD_BYTES:
            self._connection.pause()
        self._wake()

    def end(self) -> None:
        self._over = True
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


def _decoder(encoding: str) -> Any:
    """How a body is read that comes compressed although nobody asked for that."""
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        return None
    if encoding not in _ENCODINGS:
        raise aiohttp.ClientPayloadError("an encoding that was not asked for")
    return zlib.decompressobj(_ENCODINGS[encoding])


class Connection(asyncio.Protocol):
    """One connection: a request, its answer, and again."""

    def __init__(self, place: Host) -> None:
        self.place = place
        self.idle_since = 0.0
        self._transport: asyncio.Transport | None = None
        self._parser: httptools.HttpResponseParser | None = None
        self._asked: asyncio.Future[DirectResponse] | None = None
        self._headers: dict[str, str] = {}
        self._received = 0
        self._response: DirectResponse | None = None
        self._begun = b""
        """How the answer began: whether that is HTTP at all."""
        self._kept: Connections | None = None
        self._lost = False
        self._paused = False

    @property
    def usable(self) -> bool:
        return not self._lost and self._transport is not None and not self._transport.is_closing()

    async def ask(self, request: bytes, kept: "Connections") -> DirectResponse:
        """Send a request and wait for the head of its answer. Afterwards the connection goes back on its own."""
        assert self._transport is not None
        self._parser = httptools.HttpResponseParser(self)
        self._headers, self._received, self._begun = {}, 0, b""
        self._response, self._kept = None, kept
        asked = self._asked = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        try:
            return await asked
        except asyncio.CancelledError:
            if asked.done() and not asked.cancelled() and asked.exception() is None:
                # It may be somebody else's already, where the answer is complete.
                asked.result().close()
            else:
                self.abort()
            raise

    def abort(self) -> None:
        self._lost = True
        if self._transport is not None:
            self._transport.abort()

    def pause(self) -> None:
        if not self._paused and self.usable:
            self._paused = True
            assert self._transport is not None
            self._transport.pause_reading()

    def listen(self) -> None:
        if self._paused and self.usable:
            self._paused = False
            assert self._transport is not None
            self._transport.resume_reading()

    # What the transport tells.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        if self._parser is None:
            # Nobody asked.
            self.abort()
            return
        if self._response is None:
            self._received += len(data)
            self._begun = self._begun or data[:5]
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._fail(self._unreadable())
        except (aiohttp.ClientPayloadError, zlib.error):
            self._fail(aiohttp.ClientPayloadError("a body that cannot be read"))
        else:
            if self._asked is not None and self._received > HEAD_BYTES:
                self._fail(self._unreadable())

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = True
        response = self._response
        if response is not None and exc is None and not _measured(response.headers):
            # The end of the connection is the end of the body.
            self._parser = None
            response.end()
        elif response is not None:
            self._fail(aiohttp.ClientPayloadError("the connection ended before the body did"))
        elif exc is not None:
            self._fail(aiohttp.ClientOSError(*exc.args))
        else:
            self._fail(aiohttp.ServerDisconnectedError())

    # What the parser tells.

    def on_header(self, name: bytes, value: bytes) -> None:
        if len(name) + len(value) > LINE_BYTES:
            raise aiohttp.ClientPayloadError("a header that is too long")
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        assert self._parser is not None
        status = self._parser.get_status_code()
        if 100 <= status < 200:
            self._headers = {}
            return
        response = self._response = DirectResponse(self, status, self._headers)
        # Before whoever asked goes on, the answer may be complete and the connection somebody else's.
        asked, self._asked = self._asked, None
        if asked is not None and not asked.done():
            asked.set_result(response)

    def on_body(self, body: bytes) -> None:
        if self._response is not None:
            self._response.feed(body)

    def on_message_complete(self) -> None:
        response, parser = self._response, self._parser
        if response is None or parser is None:
            # Merely on its way.
            return
        self._response = self._parser = None
        response.end()
        if parser.should_keep_alive() and self.usable and self._kept is not None:
            self.listen()
            self._kept.keep(self)
        else:
            self.abort()

    def _unreadable(self) -> aiohttp.ClientError:
        if self._response is not None:
            return aiohttp.ClientPayloadError("a body that cannot be read")
        strange = BadHttpMessage("") if self._begun.startswith(b"HTTP/") else BadStatusLine("Bad status line")
        error = aiohttp.ClientResponseError(_NOBODY, (), status=400, message="Bad Request")
        error.__cause__ = strange
        return error

    def _fail(self, error: BaseException) -> None:
        self._parser = None
        self.abort()
        asked, self._asked = self._asked, None
        if self._response is not None:
            self._response.set_exception(error)
        elif asked is not None and not asked.done():
            asked.set_exception(error)


def _measured(headers: Mapping[str, str]) -> bool:
    """Whether the head says where the body ends."""
    return "content-length" in headers or "chunked" in headers.get("transfer-encoding", "").lower()


class Connections:
    """Opens connections, and keeps those whose answers are complete for a while."""

    def __init__(self, *, kept: timedelta, ca_file: str | None = None) -> None:
        self._seconds = kept.total_seconds()
        self._ca_file = ca_file
        self._tls: ssl.SSLContext | None = None
        self._idle: dict[Host, list[Connection]] = {}
        self._addresses: dict[Host, tuple[float, list[Any]]] = {}
        self._sweeping: asyncio.TimerHandle | None = None
        self._closed = False

    async def request(
        self, method: str, target: Addressee, headers: Mapping[str, str], body: bytes | None
    ) -> DirectResponse:
        """The answer, once its head is there."""
        sent = {"host": target.host, **USUAL_HEADERS, **{name.lower(): value for name, value in headers.items()}}
        if body is not None:
            sent["content-length"] = str(len(body))
        lines = [f"{name}: {value}\r\n" for name, value in sent.items()]
        head = "".join(lines)
        if head.count("\n") != len(lines) or head.count("\r") != len(lines) or "\0" in head:
            raise ValueError("a header that cannot be sent")
        request = f"{method} {target.path} HTTP/1.1\r\n{head}\r\n".encode() + (body or b"")
        connection = self._take(target.place) or await self._opened(target.place)
        return await connection.ask(request, self)

    @property
    def idle(self) -> int:
        """How many wait for the next request."""
        return sum(each.usable for connections in self._idle.values() for each in connections)

    def keep(self, connection: Connection) -> None:
        if self._closed:
            connection.abort()
            return
        loop = asyncio.get_running_loop()
        connection.idle_since = loop.time()
        self._idle.setdefault(connection.place, []).append(connection)
        if self._sweeping is None:
            self._sweeping = loop.call_later(self._seconds, self._sweep)

    def close(self) -> None:
        self._closed = True
        if self._sweeping is not None:
            self._sweeping.cancel()
        for connections in self._idle.values():
            for connection in connections:
                connection.abort()
        self._idle.clear()

    def _take(self, place: Host) -> Connection | None:
        idle = self._idle.get(place)
        while idle:
            connection = idle.pop()
            if connection.usable:
                return connection
        return None

    def _sweep(self) -> None:
        """Close what nobody used for long enough."""
        loop = asyncio.get_running_loop()
        since, self._sweeping = loop.time() - self._seconds, None
        for place, connections in tuple(self._idle.items()):
            left = [each for each in connections if each.usable and each.idle_since > since]
            for connection in set(connections).difference(left):
                connection.abort()
            if left:
                self._idle[place] = left
            else:
                del self._idle[place]
        if self._idle:
            self._sweeping = loop.call_later(self._seconds, self._sweep)

    async def _opened(self, place: Host) -> Connection:
        loop = asyncio.get_running_loop()
        addresses = await self._found(place)
        start: Callable[..., Awaitable[socket.socket]] = aiohappyeyeballs.start_connection  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        opened = await start(addresses, happy_eyeballs_delay=NEXT_ADDRESS, loop=loop)
        try:
            _, connection = await loop.create_connection(
                lambda: Connection(place),
                sock=opened,
                ssl=self._trusting() if place.secure else None,
                server_hostname=place.host if place.secure else None,
            )
        except BaseException:
            opened.close()
            raise
        return connection

    async def _found(self, place: Host) -> list[Any]:
        """The addresses of a host, asked for again when they have been known for a while."""
        loop = asyncio.get_running_loop()
        at, addresses = self._addresses.get(place, (0.0, []))
        if not addresses or loop.time() - at > ADDRESSES_KEPT:
            found = await loop.getaddrinfo(place.host, place.port, type=1, proto=6)
            addresses = list(found)
            self._addresses[place] = loop.time(), addresses
        return addresses

    def _trusting(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context(cafile=self._ca_file)
            self._tls.set_alpn_protocols(["http/1.1"])
        return self._tls
