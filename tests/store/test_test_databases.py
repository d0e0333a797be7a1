"""What tests are given as a database of their own."""

import asyncio

import pytest

from perdure.store.connection import connect
from perdure.store.pool import open_pool
from perdure.testing.pgbouncer import prepares
from perdure.testing.postgres import Databases

WHICH = "SELECT oid FROM pg_database WHERE datname = current_database()"
WRITTEN = """
    SELECT count(*) FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'migrations'
      AND (pg_relation_size(oid) > 0 OR reltuples <> -1)
"""


async def emptied(databases: Databases, change: str) -> tuple[bool, int]:
    """Whether a database is handed out again after such a change, and in how many tables something is left."""
    async with databases.fresh() as url, open_pool(url, prepare=prepares(url)) as pool:
        before = await pool.fetchval(WHICH)
        await pool.execute("INSERT INTO organisations (id, name) VALUES (gen_random_uuid(), 'one')")
        await pool.execute("ANALYZE organisations")
        await pool.execute(change)
    async with databases.fresh() as url:
        connection = await connect(url)
        after, left = await connection.fetchval(WHICH), await connection.fetchval(WRITTEN)
        await connection.close()
    return before == after, left


async def test_a_database_that_a_server_used_is_emptied_and_handed_out_again(databases: Databases) -> None:
    assert await emptied(databases, "SELECT 1") == (databases.reused, 0)


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TABLE more (id int)",
        "CREATE INDEX more ON organisations (name)",
        "ALTER TABLE chats DROP CONSTRAINT chats_valid_state",
        "ALTER TABLE organisations ALTER name DROP NOT NULL",
        "ALTER TABLE organisations ALTER name SET DEFAULT ''",
        "ALTER TABLE chats DISABLE TRIGGER ALL",
        "ALTER TABLE messages SET UNLOGGED",
        "DELETE FROM migrations",
        "CREATE FUNCTION more() RETURNS int LANGUAGE sql RETURN 1",
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET jit = on', current_database()); END $$",
    ],
)
async def test_a_database_whose_structure_changed_is_thrown_away(databases: Databases, change: str) -> None:
    assert await emptied(databases, change) == (False, 0)


async def test_databases_at_the_same_time_are_not_the_same(databases: Databases) -> None:
    async with databases.fresh() as one, databases.fresh() as other:
        connections = await asyncio.gather(connect(one), connect(other))
        first, second = [await each.fetchval(WHICH) for each in connections]
        await asyncio.gather(*(each.close() for each in connections))
    assert first != second
