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
from perdure.store.pool import Pool, RenewingPool, has_defaults, open_pool
from perdure.testing.pgbouncer import Mode, Pooler, pooler, prepares
from perdure.testing.polling import PATIENCE, seen

_TEMPLATE = "perdure_template"

_ENDED = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1"

# Everything of a database that is not rows. Whatever changes one of these catalogs writes rows with a newer number, or
# removes some; emptying a table changes only `pg_class`, and nothing of it that is named here.
_STRUCTURE = """
    SELECT concat_ws(chr(10),
        (SELECT string_agg(concat_ws(' ', oid, relname, relkind, relpersistence, reloptions), ',' ORDER BY oid)
            FROM pg_class WHERE relnamespace = 'public'::regnamespace),
        (SELECT concat_ws(' ', count(*), max(xmin::text::bigint)) FROM pg_attribute),
        (SELECT concat_ws(' ', count(*), max(xmin::text::bigint)) FROM pg_attrdef),
        (SELECT concat_ws(' ', count(*), max(xmin::text::bigint)) FROM pg_constraint),
        (SELECT concat_ws(' ', count(*), max(xmin::text::bigint)) FROM pg_trigger),
        (SELECT concat_ws(' ', count(*), max(xmin::text::bigint)) FROM pg_index),
        (SELECT concat_ws(' ', count(*), max(xmin::text::bigint)) FROM pg_proc),
        (SELECT concat_ws(' ', count(*), max(xmin::text::bigint)) FROM migrations),
        (SELECT string_agg(setconfig::text, ',') FROM pg_db_role_setting s JOIN pg_database d ON d.oid = setdatabase
            WHERE datname = current_database()))
"""

# A table that was never written has no bytes; the only one that is born with rows is that of the migrations.
_WRITTEN = """
    SELECT oid::regclass::text FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'migrations'
        AND pg_relation_size(oid) > 0
"""

# Truncating takes ten times as long: it makes new files also for the indexes and for all tables that refer to these.
_EMPTY = """
    DO $$
    DECLARE
        written regclass;
    BEGIN
        SET LOCAL session_replication_role = replica;
        FOREACH written IN ARRAY '{%s}'::regclass[] LOOP
            EXECUTE 'DELETE FROM ' || written;
        END LOOP;
        PERFORM setval(seqrelid, seqstart, false) FROM pg_sequence WHERE pg_sequence_last_value(seqrelid) IS NOT NULL;
    END $$
"""

# What the planner has learned of rows that are gone.
_FORGET = """
    WITH statistics AS (DELETE FROM pg_statistic USING pg_class
        WHERE oid = starelid AND relnamespace = 'public'::regnamespace)
    UPDATE pg_class SET reltuples = -1
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'migrations' AND reltuples <> -1
"""


class Databases:
    """Makes databases on one server, each with the newest schema and no rows. A pooler may stand before them."""

    def __init__(self, url: str, pooler: Pooler | None = None) -> None:
        self.url = url
        self._pooler = pooler
        self._structure = ""
        self._emptied: list[str] = []

    @property
    def reused(self) -> bool:
        """Whether one that is emptied is handed out again. A pooler holds sessions of its own."""
        return self._pooler is None

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

    @asynccontextmanager
    async def fresh(self, *, migrated: bool = True) -> AsyncGenerator[str]:
        """The URL of a database without rows. At the end it is taken away, whoever is still connected to it."""
        name = self._emptied.pop() if migrated and self._emptied else await self._made(migrated=migrated)
        try:
            yield self.named(name) if self._pooler is None else self._pooler.reached(self.named(name))
        finally:
            async with self._server() as server:
                await self._take_away(server, name, migrated=migrated)

    @asynccontextmanager
    async def pool(self, url: str) -> AsyncGenerator[Pool]:
        """Connections to a database that `fresh` gave, which has the defaults already: nothing has to look for them."""
        if self._pooler is None:
            async with RenewingPool(url, size=10, name="perdure") as pool:
                yield pool
        else:
            async with open_pool(url, prepare=prepares(url)) as pool:
                yield pool

    async def _made(self, *, migrated: bool) -> str:
        """A new database. It has what the first pool would give it, so that it is the same after every test."""
        name = _new_name()
        async with self._server() as server:
            await _patiently(server, f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE if migrated else 'template0'}")
        if migrated:
            connection = await connect(self.named(name), patience=PATIENCE)
            try:
                await has_defaults(connection)
                self._structure = await connection.fetchval(_STRUCTURE)
            finally:
                await connection.close()
        return name

    async def _take_away(self, server: ServerConnection, name: str, *, migrated: bool) -> None:
        """Keep a database for another test if it has the structure that it was made with."""
        if migrated and self.reused:
            spare = _new_name()
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
            written = ",".join(row[0] for row in await connection.fetch(_WRITTEN))
            await connection.execute(_EMPTY % written)
            if written:
                await connection.execute(f"VACUUM {written}")
            await connection.execute(_FORGET)
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


def _new_name() -> str:
    return f"test_{uuid4().hex}"


async def _patiently(server: ServerConnection, statement: str, *, of: str = "") -> None:
    """The server refuses while a session of the database is not over, and those of the one that is named are ended."""

    async def done() -> bool:
        if await server.fetch(_ENDED, of):
            return False
        return await administered(server, statement)

    # A session is over some milliseconds after its connection: every test waits for that.
    await seen(done, every=0.004)


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
