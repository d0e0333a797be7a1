"""What stands in front of replicas in a real deployment: new connections go to those that say they are ready."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from random import Random
from urllib.parse import urlsplit

from perdure.proof.balancer import Balancer as Forwarder

_LOOK_AGAIN = 0.1


class Balancer:
    """One address for replicas that come and go. It only ever breaks a connection that its replica broke."""

    def __init__(self) -> None:
        self.url = ""
        self.replicas: list[str] = []
        self._ready: list[str] = []

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["Balancer"]:
        looking = asyncio.create_task(self._look())
        try:
            async with Forwarder(lambda: self._ready or self.replicas, Random("balancer")).running() as forwarder:
                self.url = forwarder.url
                yield self
        finally:
            looking.cancel()
            await asyncio.wait({looking})

    async def _look(self) -> None:
        while True:
            self._ready = [url for url in self.replicas if await _is_ready(url)]
            await asyncio.sleep(_LOOK_AGAIN)


async def _is_ready(url: str) -> bool:
    target = urlsplit(url)
    try:
        reader, writer = await asyncio.open_connection(target.hostname, target.port)
    except OSError:
        return False
    try:
        writer.write(b"GET /readyz HTTP/1.1\r\nhost: balancer\r\nconnection: close\r\n\r\n")
        return b" 200 " in await reader.readline()
    except OSError:
        return False
    finally:
        writer.close()
