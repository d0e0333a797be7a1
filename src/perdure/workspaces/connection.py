"""One way to one agent program: requests and streams over HTTP on a unix socket, errors as our own."""

import asyncio
import contextlib
import os
import socket
import struct
from collections.abc import AsyncGenerator, Awaitable, Callable
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Self, TypeVar

import aiohttp
import msgspec

from perdure.core.errors import WorkspaceRefused, WorkspaceUnreachable
from perdure.core.timing import WORKSPACE_ANSWER, WORKSPACE_REACH, WORKSPACE_REACH_RETRY
from perdure.workspaces.wire import FaultBody, Frame, Health

UNREACHABLE = (
    "The workspace does not answer. Call start_workspace and try again; if it still does not answer, "
    "call stop_workspace and start_workspace once; if that fails too, tell the user."
)
SWITCHED = 101
FRAME_HEADER = struct.Struct(">QI")

Query = dict[str, str | int]
Answer = TypeVar("Answer")


class Connection:
    """Speaks to an agent program until closed. Every wait has an end."""

    def __init__(self, path: str, token: str = "", closed: Callable[[], Awaitable[None]] | None = None) -> None:
        self._path = path
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        connector = aiohttp.UnixConnector(path)
        self._session = aiohttp.ClientSession("http://workspace", connector=connector, headers=self._headers)
        self.incarnation = ""
        self._closed = closed
        self._streams: set[aiohttp.ClientResponse] = set()

    @classmethod
    def unix(cls, path: str, token: str = "", closed: Callable[[], Awaitable[None]] | None = None) -> Self:
        return cls(path, token, closed)

    @classmethod
    def at(cls, path: Path, token: str = "") -> Self:
        """To a socket at a path of any length: through an open directory, because its own path is at most 107 bytes."""
        try:
            directory = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
        except FileNotFoundError:
            raise WorkspaceUnreachable(UNREACHABLE) from None

        async def closed() -> None:
            os.close(directory)

        return cls.unix(f"/proc/self/fd/{directory}/{path.name}", token, closed)

    async def ask(
        self,
        answer: type[Answer],
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: object = None,
        wait: timedelta | None = None,
    ) -> Answer:
        """One request and its answer, decoded. `wait` is how long the program may hold the answer back."""
        content = None if body is None else msgspec.json.encode(body)
        return msgspec.json.decode(await self.fetch(method, path, query=query, content=content, wait=wait), type=answer)

    async def fetch(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        content: bytes | None = None,
        wait: timedelta | None = None,
    ) -> bytes:
        patience = (WORKSPACE_ANSWER + (wait or timedelta())).total_seconds()
        timeout = aiohttp.ClientTimeout(total=patience)
        try:
            # As a stream: aiohttp sends megabytes of plain bytes only under protest.
            body = None if content is None else BytesIO(content)
            async with self._session.request(method, path, params=query, data=body, timeout=timeout) as response:
                received = await response.read()
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise WorkspaceUnreachable(UNREACHABLE) from error
        _raise_for(response.status, received)
        return received

    async def frames(self, path: str, offset: int) -> AsyncGenerator[Frame]:
        """A stream of output from an offset on, until it ends."""
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=WORKSPACE_ANSWER.total_seconds())
        try:
            async with self._session.get(path, params={"offset": offset}, timeout=timeout) as response:
                _raise_for(response.status, b"" if response.ok else await response.read())
                self._streams.add(response)
                try:
                    while True:
                        header = await response.content.readexactly(FRAME_HEADER.size)
                        start, length = FRAME_HEADER.unpack(header)
                        yield Frame(start, await response.content.readexactly(length))
                finally:
                    self._streams.discard(response)
        except asyncio.IncompleteReadError:
            return
        except (aiohttp.ClientError, OSError) as error:
            raise WorkspaceUnreachable(UNREACHABLE) from error

    async def tunnel(self, path: str, body: object = None) -> socket.socket:
        """A connection that belongs to whatever the program joins it with."""
        content = b"" if body is None else msgspec.json.encode(body)
        sock = socket.socket(socket.AF_UNIX)
        try:
            sock.setblocking(False)
            async with asyncio.timeout(WORKSPACE_ANSWER.total_seconds()):
                status, rest = await _asked(sock, self._path, path, self._headers, content)
        except (OSError, TimeoutError, ValueError) as error:
            sock.close()
            raise WorkspaceUnreachable(UNREACHABLE) from error
        except BaseException:
            sock.close()
            raise
        if status == SWITCHED and not rest:
            return sock
        sock.close()
        _raise_for(status, rest)
        raise WorkspaceUnreachable(UNREACHABLE)

    async def health(self) -> Health:
        health = await self.ask(Health, "GET", "/v1/health")
        self.incarnation = health.incarnation
        return health

    async def reach(self, within: timedelta = WORKSPACE_REACH) -> Health:
        """Wait for the program to answer at all."""
        try:
            async with asyncio.timeout(within.total_seconds()):
                while True:
                    with contextlib.suppress(WorkspaceUnreachable):
                        return await self.health()
                    await asyncio.sleep(WORKSPACE_REACH_RETRY.total_seconds())
        except TimeoutError:
            raise WorkspaceUnreachable(UNREACHABLE) from None

    async def close(self) -> None:
        # Closing the session cuts streams without telling who reads them.
        for response in tuple(self._streams):
            response.content.set_exception(aiohttp.ClientConnectionError("closed"))
        await self._session.close()
        if self._closed is not None:
            await self._closed()


async def _asked(
    sock: socket.socket, place: str, path: str, headers: dict[str, str], content: bytes
) -> tuple[int, bytes]:
    """Ask for a connection to be joined. A refusal has a body, and ends with it."""
    loop = asyncio.get_running_loop()
    lines = [f"POST {path} HTTP/1.1", "Host: workspace", "Connection: close", f"Content-Length: {len(content)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    await loop.sock_connect(sock, place)
    await loop.sock_sendall(sock, "\r\n".join([*lines, "", ""]).encode() + content)
    received = b""
    while b"\r\n\r\n" not in received:
        received += await _more(sock)
    head, _, rest = received.partition(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    with contextlib.suppress(ConnectionResetError):
        while status != SWITCHED:
            rest += await _more(sock)
    return status, rest


async def _more(sock: socket.socket) -> bytes:
    content = await asyncio.get_running_loop().sock_recv(sock, 64 * 1024)
    if not content:
        raise ConnectionResetError
    return content


def _raise_for(status: int, content: bytes) -> None:
    if status < 400:
        return
    try:
        fault = msgspec.json.decode(content, type=FaultBody).error
    except msgspec.DecodeError:
        raise WorkspaceUnreachable(UNREACHABLE) from None
    raise WorkspaceRefused(fault.code, fault.message)
