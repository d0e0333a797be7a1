"""Databases for tests: one throw-away server for a whole test run, one fresh database for each test.

Copying a database costs more than most tests, so one that a test is done with is emptied and handed out again, under
another name: a process that a test left behind does not find it.

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
from perdure.testing.polling import PATIENCE, seen

_TEMPLATE = "perdure_template"

_ENDED = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1"

# Everything of a database that is not rows. Copies keep the numbers of the original, so equal text is equal structure.
_STRUCTURE = """
    SELECT concat_ws(chr(10),
        (SELECT string_agg(concat_ws(' ', oid, relname, relkind, relpersistence, reloptions), ',' ORDER BY oid)
            FROM pg_class WHERE relnamespace = 'public'::regnamespace),
        (SELECT string_agg(a::text, ',' ORDER BY attrelid, attnum)
            FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid WHERE relnamespace = 'public'::regnamespace),
        (SELECT string_agg(a::text, ',' ORDER BY oid) FROM pg_attrdef a),
        (SELECT string_agg(c::text, ',' ORDER BY oid) FROM pg_constraint c),
        (SELECT string_agg(t::text, ',' ORDER BY oid) FROM pg_trigger t),
        (SELECT string_agg(i::text, ',' ORDER BY indexrelid)
            FROM pg_index i JOIN pg_class c ON c.oid = indexrelid WHERE relnamespace = 'public'::regnamespace),
        (SELECT string_agg(p::text, ',' ORDER BY oid) FROM pg_proc p WHERE pronamespace = 'public'::regnamespace),
        (SELECT string_agg(m::text, ',' ORDER BY m) FROM migrations m),
        (SELECT string_agg(setconfig::text, ',') FROM pg_db_role_setting s JOIN pg_database d ON d.oid = setdatabase
            WHERE datname = current_database()))
"""

# A table that was never written has no bytes; the only one that is born with rows is that of the migrations.
_EMPTY = """
    DO $$
    DECLARE
        written text;
        counter regclass;
    BEGIN
        SELECT string_agg(oid::regclass::text, ', ') INTO written FROM pg_class
            WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'migrations'
            AND pg_relation_size(oid) > 0;
        IF written IS NOT NULL THEN
            EXECUTE 'TRUNCATE ' || written || ' CASCADE';
        END IF;
        FOR counter IN SELECT oid FROM pg_class WHERE relkind = 'S' LOOP
            EXECUTE 'ALTER SEQUENCE ' || counter || ' RESTART';
        END LOOP;
        DELETE FROM pg_statistic USING pg_class WHERE oid = starelid AND relnamespace = 'public'::regnamespace;
    END $$
"""


class Databases:
    """Makes databases on one server, each with the newest schema and no rows. A pooler may stand before them."""

    def __init__(self, url: str, pooler: Pooler | None = None) -> None:
        self.url = url
        self._pooler = pooler
        self._structure = ""
        self._emptied: list[str] = []

    def named(self, name: str) -> str:
        """The URL of the database of that name."""
        return urlunsplit(urlsplit(self.url)._replace(path=f"/{name}"))

    async def prepare(self) -> None:
        """Make the database that all others are copies of, unless another process of the same run did."""
        async with self._server() as server:
            await server.execute("SELECT pg_advisory_lock(1)")
            if not await server.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", _TEMPLATE):
                unfinished = f"template_{uuid4().hex}"
                await server.execute(f"CREATE DATABASE {unfinished}")
                fresh = await connect(self.named(unfinished))
                await migrate(fresh)
                await fresh.close()
                await _patiently(server, f"ALTER DATABASE {unfinished} RENAME TO {_TEMPLATE}")
            template = await connect(self.named(_TEMPLATE))
            self._structure = await template.fetchval(_STRUCTURE)
            await template.close()

    @asynccontextmanager
    async def fresh(self, *, migrated: bool = True) -> AsyncGenerator[str]:
        """The URL of a database without rows. At the end it is taken away, whoever is still connected to it."""
        name = f"test_{uuid4().hex}"
        async with self._server() as server:
            if migrated and self._emptied:
                await _patiently(server, f"ALTER DATABASE {self._emptied.pop()} RENAME TO {name}")
            else:
                await _patiently(server, f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE if migrated else 'template0'}")
        try:
            yield self.named(name) if self._pooler is None else self._pooler.reached(self.named(name))
        finally:
            async with self._server() as server:
                await self._take_away(server, name, migrated=migrated)

    async def _take_away(self, server: ServerConnection, name: str, *, migrated: bool) -> None:
        """Keep a database for another test if it has the structure that it was made with; a pooler holds its own."""
        if migrated and self._pooler is None:
            spare = f"spare_{uuid4().hex}"
            await _patiently(server, f"ALTER DATABASE {name} RENAME TO {spare}", of=name)
            if await self._empty(spare):
                self._emptied.append(spare)
                return
            name = spare
        await _patiently(server, f"DROP DATABASE {name} WITH (FORCE)")

    async def _empty(self, name: str) -> bool:
        connection = await connect(self.named(name), patience=PATIENCE)
        try:
            if await connection.fetchval(_STRUCTURE) != self._structure:
                return False
            await connection.execute(_EMPTY)
        finally:
            await connection.close()
        return True

    @asynccontextmanager
    async def _server(self) -> AsyncGenerator[ServerConnection]:
        connection = await connect(self.named("postgres"), patience=PATIENCE)
        try:
            yield connection
        finally:
            await connection.close()


async def _patiently(server: ServerConnection, statement: str, *, of: str = "") -> None:
    """The server refuses while a session of the database is not over, and those of the one that is named are ended."""

    async def done() -> bool:
        if await server.fetch(_ENDED, of):
            return False
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
