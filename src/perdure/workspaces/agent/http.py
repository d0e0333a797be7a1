"""The place for HTTP/1.1 as far as one trusted client needs it: JSON in, JSON or a stream out, kept alive."""

from __future__ import annotations

import asyncio
import hmac
import json
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Callable, NamedTuple, Protocol
from urllib.parse import parse_qs, unquote, urlsplit

from perdure.workspaces.agent.fields import Fields
from perdure.workspaces.agent.limits import BODY_BYTES, HEADER_BYTES
from perdure.workspaces.agent.problems import Problem, invalid, of_os_error


class Request(NamedTuple):
    """One request, its body read."""

    method: str
    path: str
    query: dict[str, str]
    body: bytes

    @property
    def run(self) -> str:
        """Which process or terminal a path like /v1/processes/p1/output is about."""
        return self.path.split("/")[3]

    @property
    def pattern(self) -> str:
        steps = self.path.split("/")
        return "/".join([*steps[:3], "*", *steps[4:]])

    def fields(self) -> Fields:
        return Fields.parse(self.body)

    def number(self, name: str, default: int) -> int:
        value = self.query.get(name, str(default))
        if not value.isdigit() or len(value) > 18:
            raise invalid(f"{name} must be a whole number")
        return int(value)

    def text(self, name: str) -> str:
        if name not in self.query:
            raise invalid(f"{name} is missing")
        return self.query[name]


class Takeover(Protocol):
    """What takes a connection over, until it is done with it."""

    async def join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None: ...


class Reply(NamedTuple):
    """One answer: bytes, or a stream of them."""

    content: bytes
    status: int = 200
    kind: str = "application/json"
    stream: AsyncIterator[bytes] | None = None
    tunnel: Takeover | None = None
    """What the connection is handed to from here on."""


Handler = Callable[[Request], Awaitable[Reply]]


def answer(value: object, status: int = 200) -> Reply:
    """The value as JSON. What is not Unicode in it, as names of files may not be, is shown with question marks."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return Reply(text.encode("utf-8", "replace"), status)


class Server:
    """Accepts connections on a socket that is already listening and hands each request to a handler."""

    def __init__(self, handler: Handler, token: str) -> None:
        self._handler = handler
        self._token = token

    async def serve(self, listening: socket.socket) -> None:
        server = await asyncio.start_server(self._connected, sock=listening, limit=HEADER_BYTES)
        await server.serve_forever()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            # The client has gone, or we are leaving: either way there is nobody to tell.
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        request, headers = _parse(head)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > BODY_BYTES or "transfer-encoding" in headers:
            _write(
                writer, answer(Problem(413, "too_large", f"a body has at most {BODY_BYTES} bytes").body(), 413), False
            )
            return False
        request = request._replace(body=await reader.readexactly(int(length)))
        reply = await self._reply(request, headers.get("authorization", ""), reader)
        if reply.tunnel is not None:
            writer.write(b"HTTP/1.1 101 .\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n")
            await reply.tunnel.join(reader, writer)
            return False
        keep = headers.get("connection", "").lower() != "close"
        _write(writer, reply, keep)
        if reply.stream is not None:
            await _stream(writer, reply.stream, reader)
        await writer.drain()
        return keep

    async def _reply(self, request: Request, authorization: str, reader: asyncio.StreamReader) -> Reply:
        if self._token and not hmac.compare_digest(authorization.encode(), f"Bearer {self._token}".encode()):
            return answer(Problem(401, "unauthorized", "the token is missing or wrong").body(), 401)
        try:
            return await _unless_gone(self._handler(request), reader)
        except Problem as problem:
            return answer(problem.body(), problem.status)
        except OSError as error:
            problem = of_os_error(error, request.path)
            return answer(problem.body(), problem.status)


@asynccontextmanager
async def _departure(reader: asyncio.StreamReader) -> AsyncGenerator[asyncio.Future[bytes], None]:
    """Done when the client has gone: it says nothing while it waits for an answer."""
    gone = asyncio.ensure_future(reader.read(1))
    try:
        yield gone
    finally:
        gone.cancel()
        await asyncio.wait({gone})


async def _unless_gone(work: Awaitable[Reply], reader: asyncio.StreamReader) -> Reply:
    """A long wait ends when the client has gone; what it waited for goes on."""
    task = asyncio.ensure_future(work)
    async with _departure(reader) as gone:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            task.cancel()
            raise ConnectionResetError
        return task.result()


def _parse(head: bytes) -> tuple[Request, dict[str, str]]:
    lines = head.decode("latin-1").split("\r\n")
    parts = lines[0].split(" ")
    if len(parts) != 3:
        raise ConnectionError
    url = urlsplit(parts[1])
    query = {name: values[-1] for name, values in parse_qs(url.query, keep_blank_values=True).items()}
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    return Request(parts[0], unquote(url.path), query, b""), headers


def _write(writer: asyncio.StreamWriter, reply: Reply, keep: bool) -> None:
    framing = f"Content-Length: {len(reply.content)}" if reply.stream is None else "Transfer-Encoding: chunked"
    connection = "keep-alive" if keep else "close"
    head = f"HTTP/1.1 {reply.status} .\r\nContent-Type: {reply.kind}\r\n{framing}\r\nConnection: {connection}\r\n\r\n"
    writer.write(head.encode("latin-1") + reply.content)


async def _stream(writer: asyncio.StreamWriter, pieces: AsyncIterator[bytes], reader: asyncio.StreamReader) -> None:
    async with _departure(reader) as gone:
        while True:
            piece = asyncio.ensure_future(pieces.__anext__())
            await asyncio.wait({piece, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not piece.done():
                piece.cancel()
                raise ConnectionResetError
            try:
                content = piece.result()
            except StopAsyncIteration:
                writer.write(b"0\r\n\r\n")
                return
            writer.write(b"%x\r\n%s\r\n" % (len(content), content))
            await writer.drain()
