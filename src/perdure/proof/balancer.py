"""The door that clients knock at: passes each connection on to a replica that lives, and can break it."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from random import Random
from urllib.parse import urlsplit

_PIECE = 1 << 16


class Balancer:
    """One address for all replicas. Which of them answers is a matter of chance, as behind any balancer."""

    def __init__(self, replicas: Callable[[], Sequence[str]], dice: Random) -> None:
        self._replicas = replicas
        self._dice = dice
        self._tasks = set[asyncio.Task[None]]()
        self._open = set[asyncio.StreamWriter]()
        self.url = ""

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["Balancer"]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=4096)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()
            for task in tuple(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self, share: float) -> int:
        """Break this share of the open connections. How many that were."""
        chosen = [writer for writer in sorted(self._open, key=id) if self._dice.random() < share]
        for writer in chosen:
            writer.transport.abort()
        return len(chosen)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        with suppress(OSError, asyncio.CancelledError):
            try:
                await self._passed_on(reader, writer)
            finally:
                writer.transport.abort()

    async def _passed_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner = await self._reached()
        if inner is None:
            return
        self._open.add(writer)
        try:
            await asyncio.gather(_pipe(reader, inner[1]), _pipe(inner[0], writer))
        finally:
            self._open.discard(writer)
            inner[1].transport.abort()

    async def _reached(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        urls = list(self._replicas())
        self._dice.shuffle(urls)
        for url in urls:
            place, tls = urlsplit(url), url.startswith("https:")
            with suppress(OSError):
                port = place.port or (443 if tls else 80)
                return await asyncio.open_connection(place.hostname, port, ssl=tls or None)
        return None


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    # A transport of uvloop that was aborted is a RuntimeError to write to.
    with suppress(OSError, RuntimeError):
        while piece := await reader.read(_PIECE):
            writer.write(piece)
            await writer.drain()
    writer.close()
