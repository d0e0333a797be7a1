"""An address that follows the primary late, as a Kubernetes Service, a DNS name or a load balancer does."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from perdure.store.embedded.cluster import USER


class LateProxy:
    """Carries connections to a port of this machine. Those that are open stay where they are."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.url = ""
        self._tasks = set[asyncio.Task[None]]()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["LateProxy"]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"postgresql://{USER}@127.0.0.1:{server.sockets[0].getsockname()[1]}/postgres"
        try:
            yield self
        finally:
            server.close()
            for task in tuple(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            with suppress(OSError, asyncio.CancelledError):
                there, back = await asyncio.open_connection("127.0.0.1", self.target)
                ways = {asyncio.create_task(_carry(reader, back)), asyncio.create_task(_carry(there, writer))}
                try:
                    await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    for way in ways:
                        way.cancel()
                    back.transport.abort()
        finally:
            writer.transport.abort()


async def _carry(source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
    # A transport of uvloop that was aborted is a RuntimeError to write to.
    with suppress(OSError, RuntimeError):
        while data := await source.read(1 << 16):
            to.write(data)
            await to.drain()
