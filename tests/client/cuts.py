"""A network that breaks: connections that end after so many bytes."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit


class BreakingNetwork:
    """Stands between a client and a server, and counts how often it cut them off from each other."""

    def __init__(self, url: str, lasts: Callable[[], int]) -> None:
        target = urlsplit(url)
        assert target.hostname is not None
        self._target = (target.hostname, target.port)
        self._lasts = lasts
        self.cuts = 0
        self.url = ""
        self._tasks = set[asyncio.Task[None]]()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["BreakingNetwork"]:
        server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with server:
            yield self
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        with contextlib.suppress(OSError, asyncio.CancelledError):
            try:
                await self._between(reader, writer)
            finally:
                writer.transport.abort()

    async def _between(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(*self._target)
        asking = asyncio.ensure_future(_pump(reader, far_writer, None))
        # When the client leaves, so do we.
        asking.add_done_callback(lambda _: far_writer.transport.abort())
        try:
            self.cuts += await _pump(far_reader, writer, self._lasts())
        finally:
            asking.cancel()
            far_writer.transport.abort()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, most: int | None) -> bool:
    """Carry bytes until one side ends, or until it was enough."""
    with contextlib.suppress(OSError):
        while content := await reader.read(4096 if most is None else max(1, min(most, 4096))):
            writer.write(content)
            await writer.drain()
            if most is not None:
                most -= len(content)
                if most <= 0:
                    return True
    return False
