"""A server that answers its first request a second time, when the connection may carry another one already."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Twice:
    """What it was asked, and when it repeats itself."""

    answers: Sequence[bytes]
    """To one request after the other, whole; to more than that, the last."""
    url: str = ""
    heads: list[str] = field(default_factory=list[str])
    again: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once the first answer was taken."""
    repeated: asyncio.Event = field(default_factory=asyncio.Event)
    _connections: list[asyncio.StreamWriter] = field(default_factory=list[asyncio.StreamWriter])

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.append(writer)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                await reader.readexactly(int(head.partition("content-length: ")[2].split("\r\n")[0]))
                self.heads.append(head)
                number = len(self.heads)
                writer.write(self.answers[min(number, len(self.answers)) - 1])
                await writer.drain()
                if number == 1:
                    await self.again.wait()
                    with suppress(ConnectionError):
                        writer.write(self.answers[0])
                        await writer.drain()
                    self.repeated.set()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["Twice"]:
        server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        self.url = f"http://localhost:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            self.again.set()
            server.close()
            for writer in self._connections:
                writer.close()
                with suppress(ConnectionError):
                    await writer.wait_closed()
