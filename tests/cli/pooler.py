"""A pooler in transaction mode, in small: every transaction of every client goes to the same connection to Postgres."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from urllib.parse import parse_qs, urlsplit, urlunsplit

READY = b"Z"
SYNC, QUERY, LEAVE = b"S", b"Q", b"X"


class Pooler:
    """Greets each client with a server connection of its own, and then never uses that again."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._shared: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._turns = asyncio.Lock()
        self._open: list[asyncio.StreamWriter] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.append(writer)
        try:
            await self._greet(reader, writer)
            while True:
                await self._transaction(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def close(self) -> None:
        for writer in self._open:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_unix_connection(self._path)
        self._open.append(back)
        size = await reader.readexactly(4)
        back.write(size + await reader.readexactly(int.from_bytes(size) - 4))
        await _answer(there, writer)
        self._shared = self._shared or (there, back)

    async def _transaction(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        message = await _message(reader)
        if message[:1] == LEAVE:
            raise ConnectionError
        assert self._shared is not None
        there, back = self._shared
        async with self._turns:
            answering = asyncio.ensure_future(_answer(there, writer))
            back.write(message)
            while message[:1] not in (SYNC, QUERY):
                message = await _message(reader)
                back.write(message)
            await answering


async def _answer(there: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """What the server says until it is ready for more."""
    message = b""
    while message[:1] != READY:
        message = await _message(there)
        writer.write(message)
    await writer.drain()


async def _message(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readexactly(5)
    return head + await reader.readexactly(int.from_bytes(head[1:]) - 4)


@asynccontextmanager
async def pooled(url: str) -> AsyncGenerator[str]:
    """The same database, through the pooler."""
    where = urlsplit(url)
    options = parse_qs(where.query)
    folder, port = options["host"][0], options.get("port", ["5432"])[0]
    pooler = Pooler(f"{folder}/.s.PGSQL.{port}")
    server = await asyncio.start_server(pooler.serve, "127.0.0.1", 0)
    here = f"{where.username}@127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield urlunsplit(where._replace(netloc=here, query="sslmode=disable"))
        await pooler.close()
