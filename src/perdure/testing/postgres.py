"""Databases for tests: one throw-away server for a whole test run, one fresh database for each test.

The server is the embedded one with flushing to disk switched off, which a test cannot notice unless it pulls the plug:
tests of durability start a durable one of their own.
"""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

from perdure.store.connection import administered, connect
from perdure.store.embedded.server import EmbeddedPostgres
from perdure.store.hosts import ServerConnection
from perdure.store.migrations.runner import migrate
from perdure.testing.pgbouncer import Mode, Pooler, pooler
from perdure.testing.polling import seen

_TEMPLATE = "perdure_template"


class Databases:
    """Makes databases on one server, each with the newest schema and no rows. A pooler may stand before them."""

    def __init__(self, url: str, pooler: Pooler | None = None) -> None:
        self.url = url
        self._pooler = pooler

    def named(self, name: str) -> str:
        """The URL of the database of that name."""
        return urlunsplit(urlsplit(self.url)._replace(path=f"/{name}"))

    async def prepare(self) -> None:
        """Make the database that all others are copies of, unless another process of the same run did."""
        async with self._server() as server:
            await server.execute("SELECT pg_advisory_lock(1)")
            if await server.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", _TEMPLATE):
                return
            unfinished = f"template_{uuid4().hex}"
            await server.execute(f"CREATE DATABASE {unfinished}")
            fresh = await connect(self.named(unfinished))
            await migrate(fresh)
            await fresh.close()
            await _patiently(server, f"ALTER DATABASE {unfinished} RENAME TO {_TEMPLATE}")

    @asynccontextmanager
    async def fresh(self, *, migrated: bool = True) -> AsyncGenerator[str]:
        """The URL of a new database, which is dropped at the end whoever is still connected to it."""
        name = f"test_{uuid4().hex}"
        async with self._server() as server:
            await _patiently(server, f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE if migrated else 'template0'}")
        try:
            yield self.named(name) if self._pooler is None else self._pooler.reached(self.named(name))
        finally:
            async with self._server() as server:
                await _patiently(server, f"DROP DATABASE {name} WITH (FORCE)")

    @asynccontextmanager
    async def _server(self) -> AsyncGenerator[ServerConnection]:
        connection = await connect(self.named("postgres"))
        try:
            yield connection
        finally:
            await connection.close()


async def _patiently(server: ServerConnection, statement: str) -> None:
    """The server refuses when a session of the database takes more than five seconds to notice that it is over."""

    async def done() -> bool:
        return await administered(server, statement)

    await seen(done)


@contextmanager
def temporary_postgres(
    directory: Path, *, mode: Mode | None = None, program: str | None = None
) -> Generator[Databases]:
    """A server that is gone, with its directory, when the last process that asked for it is."""
    with EmbeddedPostgres(directory, temporary=True).lease() as lease:
        if mode is None:
            yield Databases(lease.url)
            return
        with pooler(lease.url, mode, program=program) as front:
            yield Databases(lease.url, front)
