"""A local socket that leads to a port inside a pod: through the API server, or straight where there is a route."""

import asyncio
import contextlib
import logging
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol, Self

import aiohttp

from perdure.core.errors import PerdureError, WorkspaceUnreachable
from perdure.core.tasks import BackgroundTasks
from perdure.core.timing import CLUSTER_ANSWER
from perdure.workspaces.connection import UNREACHABLE
from perdure.workspaces.kubernetes.api import Cluster, ClusterAway, ClusterFault

DATA, ERROR = 0, 1
BLOCK = 256 * 1024

_log = logging.getLogger(__name__)


class PodStream(Protocol):
    """One connection to the port."""

    @property
    def ended(self) -> bool: ...

    async def next(self) -> bytes:
        """What the port says next; nothing when that is all."""
        ...

    async def send(self, content: bytes) -> None: ...

    async def close(self) -> None: ...


Dial = Callable[[], Awaitable[PodStream]]


class ForwardedStream:
    """Through the API server. What comes next is awaited from the beginning, so that its end is noticed."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._greeted: set[int] = set()
        self._coming = asyncio.ensure_future(self._received())
        self._begun = False

    @property
    def ended(self) -> bool:
        return self._coming.done()

    async def next(self) -> bytes:
        if self._begun:
            return await self._received()
        self._begun = True
        return await self._coming

    async def _received(self) -> bytes:
        while True:
            message = await self._socket.receive()
            if message.type is not aiohttp.WSMsgType.BINARY:
                return b""
            content: bytes = message.data
            channel = content[0]
            if channel not in self._greeted:
                # Each channel begins with the port's number.
                self._greeted.add(channel)
                continue
            if channel == ERROR:
                _log.info("a port of a pod cannot be reached: %s", content[1:].decode(errors="replace"))
                return b""
            if len(content) > 1:
                return content[1:]

    async def send(self, content: bytes) -> None:
        await self._socket.send_bytes(b"\0" + content)

    async def close(self) -> None:
        self._coming.cancel()
        await self._socket.close()


class DirectStream:
    """Straight to the pod's address."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @property
    def ended(self) -> bool:
        return self._reader.at_eof()

    async def next(self) -> bytes:
        return await self._reader.read(BLOCK)

    async def send(self, content: bytes) -> None:
        self._writer.write(content)
        await self._writer.drain()

    async def close(self) -> None:
        self._writer.close()


def forwarded(cluster: Cluster, namespace: str, pod: str, port: int) -> Dial:
    async def dial() -> PodStream:
        return ForwardedStream(await cluster.forward(namespace, pod, port))

    return dial


def direct(address: str, port: int) -> Dial:
    async def dial() -> PodStream:
        try:
            async with asyncio.timeout(CLUSTER_ANSWER.total_seconds()):
                return DirectStream(*await asyncio.open_connection(address, port))
        except OSError as error:
            raise WorkspaceUnreachable(UNREACHABLE) from error

    return dial


class Forward:
    """Listens until closed. Each connection is a stream of its own; the next one is opened ahead of its use."""

    def __init__(self, dial: Dial) -> None:
        self._dial = dial
        self._directory = tempfile.TemporaryDirectory(prefix="perdure-")
        self.path = str(Path(self._directory.name, "agent"))
        self._server: asyncio.Server | None = None
        self._spare: PodStream | None = None
        self._tasks = BackgroundTasks(_log)

    async def open(self) -> Self:
        """Fails where nobody forwards to the pod."""
        try:
            self._spare = await self._dial()
            self._server = await asyncio.start_unix_server(self._connected, self.path)
        except BaseException:
            await self.close()
            raise
        return self

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self._tasks.cancel()
        await self._tasks.settled()
        if self._spare is not None:
            await self._spare.close()
        self._directory.cleanup()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._tasks.start(self._serve(reader, writer), "forwarding to a pod")

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        stream: PodStream | None = None
        try:
            stream = await self._taken()
            self._tasks.start(self._prepare(), "opening a stream to a pod ahead")
            up, down = asyncio.ensure_future(_up(reader, stream)), asyncio.ensure_future(_down(stream, writer))
            try:
                await asyncio.wait((up, down), return_when=asyncio.FIRST_COMPLETED)
            finally:
                up.cancel()
                down.cancel()
                await asyncio.gather(up, down, return_exceptions=True)
        except (ClusterFault, ClusterAway, PerdureError) as error:
            # Whoever connected sees a connection that ends, and asks anew what the matter is.
            _log.info("no stream to a pod: %s", error)
        finally:
            writer.close()
            if stream is not None:
                await stream.close()

    async def _taken(self) -> PodStream:
        spare, self._spare = self._spare, None
        if spare is not None and not spare.ended:
            return spare
        if spare is not None:
            await spare.close()
        return await self._dial()

    async def _prepare(self) -> None:
        with contextlib.suppress(ClusterFault, ClusterAway, PerdureError):
            fresh = await self._dial()
            if self._spare is not None:
                await fresh.close()
                return
            self._spare = fresh


async def _up(reader: asyncio.StreamReader, stream: PodStream) -> None:
    with contextlib.suppress(ConnectionError, aiohttp.ClientError):
        while content := await reader.read(BLOCK):
            await stream.send(content)


async def _down(stream: PodStream, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError, aiohttp.ClientError):
        while content := await stream.next():
            writer.write(content)
            await writer.drain()
