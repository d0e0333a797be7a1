"""How a database comes to the newest schema, and which databases are refused."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from perdure.core.errors import Misconfigured
from perdure.store.connection import connect
from perdure.store.migrations.runner import Migration, migrate, pending, shipped
from perdure.testing.postgres import Databases

FIRST = Migration(1, "first", "CREATE TABLE first (id int); CREATE TABLE second (id int)")
SECOND = Migration(2, "second", "ALTER TABLE first ADD COLUMN name text")
BROKEN = Migration(2, "broken", "CREATE TABLE third (id int); SELECT 1 / 0")


@pytest.fixture
async def empty_url(databases: Databases) -> AsyncIterator[str]:
    async with databases.fresh(migrated=False) as url:
        yield url


async def tables(url: str) -> list[str]:
    connection = await connect(url)
    rows = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
    await connection.close()
    return [row["tablename"] for row in rows]


async def migrated(url: str, *migrations: Migration) -> list[str]:
    connection = await connect(url)
    try:
        return [migration.name for migration in await migrate(connection, migrations)]
    finally:
        await connection.close()


async def test_an_empty_database_gets_every_migration_in_order(empty_url: str) -> None:
    assert await migrated(empty_url, FIRST, SECOND) == ["first", "second"]
    assert await tables(empty_url) == ["first", "migrations", "second"]


async def test_only_what_is_missing_is_applied(empty_url: str) -> None:
    assert await migrated(empty_url, FIRST) == ["first"]
    assert await migrated(empty_url, FIRST, SECOND) == ["second"]
    assert await migrated(empty_url, FIRST, SECOND) == []


async def test_a_migration_that_fails_leaves_nothing_of_itself(empty_url: str) -> None:
    with pytest.raises(asyncpg.DivisionByZeroError):
        await migrated(empty_url, FIRST, BROKEN)
    assert await tables(empty_url) == ["first", "migrations", "second"]
    assert await migrated(empty_url, FIRST, SECOND) == ["second"]


async def test_replicas_that_start_together_apply_each_migration_once(empty_url: str) -> None:
    applied = await asyncio.gather(*(migrated(empty_url, FIRST, SECOND) for _ in range(8)))
    assert sorted(name for names in applied for name in names) == ["first", "second"]


async def test_a_newer_schema_is_refused(empty_url: str) -> None:
    await migrated(empty_url, FIRST, SECOND)
    with pytest.raises(Misconfigured, match=r"has schema 2, and this Perdure knows schemas up to 1\. Start the newer"):
        await migrated(empty_url, FIRST)


async def test_a_migration_that_was_changed_afterwards_is_refused(empty_url: str) -> None:
    await migrated(empty_url, FIRST)
    with pytest.raises(Misconfigured, match=r"Migration 0001 \(first\) is not the one"):
        await migrated(empty_url, Migration(1, "first", "CREATE TABLE other (id int)"))


async def test_a_role_that_may_not_create_tables_is_told_what_to_grant(empty_url: str) -> None:
    owner = await connect(empty_url)
    await owner.execute("DROP ROLE IF EXISTS powerless; CREATE ROLE powerless LOGIN")
    await owner.close()
    with pytest.raises(Misconfigured, match=r"GRANT ALL ON SCHEMA public TO powerless;"):
        await migrated(empty_url.replace("perdure@", "powerless@"), FIRST)


async def test_the_shipped_migrations_are_numbered_without_gaps(database_url: str) -> None:
    numbers = [migration.number for migration in shipped()]
    assert numbers == list(range(1, len(numbers) + 1))
    connection = await connect(database_url)
    assert await pending(connection) == ()
    await connection.close()
