"""What stands in front of replicas in a real deployment: new connections go to those that say they are ready."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

_LOOK_AGAIN = 0.1


class Balancer:
    """One address for replicas that come and go. It only ever breaks a connection that its replica broke."""

    def __init__(self) -> None:
        self.url = ""
        self.replicas: list[str] = []
        self._ready: list[str] = []
        self._next = 0
        self._links = set[asyncio.Task[None]]()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["Balancer"]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        looking = asyncio.create_task(self._look())
        try:
            yield self
        finally:
            looking.cancel()
            server.close()
            for link in tuple(self._links):
                link.cancel()

    async def _look(self) -> None:
        while True:
            self._ready = [url for url in self.replicas if await _is_ready(url)]
            await asyncio.sleep(_LOOK_AGAIN)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._links.add(task)
        task.add_done_callback(self._links.discard)
        with suppress(OSError, asyncio.CancelledError):
            back, forth = await self._connected()
            await asyncio.gather(_copy(reader, forth), _copy(back, writer))
        writer.close()

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to the next replica that takes one."""
        for _ in range(2 * len(self._ready) or 1):
            self._next += 1
            target = urlsplit((self._ready or self.replicas)[self._next % len(self._ready or self.replicas)])
            with suppress(OSError):
                return await asyncio.open_connection(target.hostname, target.port)
        raise ConnectionRefusedError


async def _is_ready(url: str) -> bool:
    target = urlsplit(url)
    try:
        reader, writer = await asyncio.open_connection(target.hostname, target.port)
    except OSError:
        return False
    with suppress(OSError):
        writer.write(b"GET /readyz HTTP/1.1\r\nhost: balancer\r\nconnection: close\r\n\r\n")
        status = await reader.readline()
        writer.close()
        return b" 200 " in status
    return False


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await reader.read(1 << 16):
            writer.write(piece)
            await writer.drain()
    writer.close()
