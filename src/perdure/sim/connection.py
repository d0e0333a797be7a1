"""The simulator's HTTP/1.1: one protocol object per connection, one exchange per request, nothing buffered twice."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import cast
from urllib.parse import parse_qsl, unquote

import httptools

BODY_LIMIT = 256 * 1024 * 1024


class Exchange:
    """One request and the way to answer it: whole with `respond`, or in pieces with `start`, `write` and `end`."""

    __slots__ = (
        "_head",
        "body",
        "connection",
        "finished",
        "headers",
        "keep_alive",
        "method",
        "on_first_byte",
        "on_lost",
        "path",
        "query",
        "started",
        "status",
    )

    def __init__(self, connection: "Connection", url: bytes) -> None:
        path, _, query = url.decode("latin-1").partition("?")
        self.connection = connection
        self.path = unquote(path)
        self.query: Mapping[str, str] = dict(parse_qsl(query, keep_blank_values=True)) if query else {}
        self.headers: dict[str, str] = {}
        self.method = ""
        self.body = b""
        self.keep_alive = True
        self.started = False
        self.finished = False
        self.status: int | None = None
        self._head = b""
        self.on_first_byte: Callable[[], None] | None = None
        self.on_lost: Callable[[], None] | None = None

    def respond(self, status: int, body: bytes, content_type: str = "application/json", **headers: str) -> None:
        """Answer at once."""
        self.started = self.finished = True
        self.status = status
        head = _head(status, content_type, headers, self.keep_alive)
        self.connection.transport.write(b"%scontent-length: %d\r\n\r\n%s" % (head, len(body), body))
        self.connection.next()

    def start(self, content_type: str, **headers: str) -> None:
        """Begin a streamed answer; its head goes out with the first piece."""
        self.started = True
        self.status = HTTPStatus.OK
        self._head = (
            _head(HTTPStatus.OK, content_type, headers, self.keep_alive) + b"transfer-encoding: chunked\r\n\r\n"
        )

    def write(self, data: bytes) -> None:
        """Send a piece of a streamed answer; nothing sends at least the head."""
        head, self._head = self._head, b""
        if head and self.on_first_byte is not None:
            self.on_first_byte()
        if data:
            self.connection.transport.write(b"%s%x\r\n%s\r\n" % (head, len(data), data))
        elif head:
            self.connection.transport.write(head)

    async def drain(self) -> None:
        """Wait until the client has taken what was written; whoever writes without end lets others run here."""
        if self.connection.writable.is_set():
            await asyncio.sleep(0)
        else:
            await self.connection.writable.wait()

    def end(self, data: bytes = b"") -> None:
        """Send the last piece of a streamed answer; the connection can be used again."""
        head, self._head = self._head, b""
        if head and self.on_first_byte is not None:
            self.on_first_byte()
        self.finished = True
        last = b"%x\r\n%s\r\n" % (len(data), data) if data else b""
        self.connection.transport.write(b"%s%s0\r\n\r\n" % (head, last))
        self.connection.next()

    def abort(self) -> None:
        """Drop the connection in the middle of whatever was going on."""
        self.finished = True
        self.connection.transport.abort()


Handler = Callable[[Exchange], Awaitable[None]]


class Connection(asyncio.Protocol):
    """Parses requests off one socket and hands them to the handler, one after the other."""

    def __init__(self, handle: Handler, open_connections: "set[Connection]") -> None:
        self.transport: asyncio.Transport
        self.writable = asyncio.Event()
        self.writable.set()
        self._handle = handle
        self._open = open_connections
        self._parser = httptools.HttpRequestParser(self)
        self._url = b""
        self._headers: dict[str, str] = {}
        self._body: list[bytes] = []
        self._size = 0
        self._waiting: deque[Exchange] = deque()
        self._current: Exchange | None = None
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports do not inherit from asyncio's.
        self.transport = cast(asyncio.Transport, transport)
        self._open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._open.discard(self)
        self.writable.set()
        if self._current is not None and not self._current.finished and self._current.on_lost is not None:
            self._current.on_lost()
        if self._task is not None:
            self._task.cancel()

    def pause_writing(self) -> None:
        self.writable.clear()

    def resume_writing(self) -> None:
        self.writable.set()

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._refuse(HTTPStatus.NOT_IMPLEMENTED)
        except httptools.HttpParserError:
            self._refuse(HTTPStatus.BAD_REQUEST)

    def on_message_begin(self) -> None:
        self._url = b""
        self._headers = {}
        self._body = []
        self._size = 0

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        if self._headers.get("expect", "").lower() == "100-continue":
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, body: bytes) -> None:
        self._size += len(body)
        if self._size > BODY_LIMIT:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        else:
            self._body.append(body)

    def on_message_complete(self) -> None:
        exchange = Exchange(self, self._url)
        exchange.method = self._parser.get_method().decode("ascii")
        exchange.headers = self._headers
        exchange.body = b"".join(self._body)
        exchange.keep_alive = self._parser.should_keep_alive()
        self._waiting.append(exchange)
        if self._current is None:
            self._begin()

    def next(self) -> None:
        """The current exchange is answered: close, or take the next one."""
        if self._current is not None and not self._current.keep_alive:
            self.transport.close()
        self._current = None
        if self._waiting:
            self._begin()

    def _begin(self) -> None:
        self._current = self._waiting.popleft()
        self._task = asyncio.ensure_future(self._handle(self._current))

    def _refuse(self, status: HTTPStatus) -> None:
        self.transport.write(_head(status, "text/plain", {}, keep_alive=False) + b"content-length: 0\r\n\r\n")
        self.transport.close()


_STATUS_LINES = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n" for status in HTTPStatus}


def _head(status: int, content_type: str, headers: Mapping[str, str], keep_alive: bool) -> bytes:
    line = _STATUS_LINES.get(status, f"HTTP/1.1 {status} Overloaded\r\n")
    lines = [line, f"content-type: {content_type}\r\n"]
    lines += [f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items()]
    if not keep_alive:
        lines.append("connection: close\r\n")
    return "".join(lines).encode("latin-1")
