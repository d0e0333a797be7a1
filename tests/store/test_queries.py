"""Every SQL file is a statement that the migrated schema understands."""

import re
from importlib.resources import files
from pathlib import Path

import asyncpg

from perdure.store.pool import Pool
from perdure.store.queries import query

SQL = Path(str(files("perdure.store").joinpath("sql")))
NAMES = sorted(str(path.relative_to(SQL).with_suffix("")) for path in SQL.rglob("*.sql"))


async def test_the_schema_understands_every_query(pool: Pool) -> None:
    misunderstood: dict[str, str] = {}
    async with pool.acquire() as connection:
        for name in NAMES:
            try:
                await connection.prepare(query(name))
            except asyncpg.PostgresError as error:
                misunderstood[name] = str(error)
    assert misunderstood == {}
    assert NAMES


def test_the_first_line_of_every_query_says_what_it_is_for() -> None:
    assert [name for name in NAMES if not query(name).startswith("-- ")] == []


def test_execution_state_is_written_by_the_machine_alone() -> None:
    """Beside the statement of a change there is the archive of a family, and what is forgotten as a whole."""
    writes = re.compile(r"\b(INSERT INTO|UPDATE|DELETE FROM)\s+(chats|messages|queued_messages)\b")
    assert {name for name in NAMES if writes.search(query(name))} == {
        "chats/archive_family",
        "actor/chats/delete",
        "housekeeping/forget_chats",
        "housekeeping/forget_queued",
    }
