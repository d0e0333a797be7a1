"""Brings a database to the schema that this code was written for."""

import hashlib
import re
from dataclasses import dataclass
from importlib.resources import files

import asyncpg

from perdure.core.errors import Misconfigured
from perdure.store.connection import Connection

# Whoever migrates holds this; the number means nothing.
_LOCK = 7_301_512_086

_BOOKKEEPING = """
CREATE TABLE IF NOT EXISTS migrations (
    number     integer PRIMARY KEY,
    name       text NOT NULL,
    checksum   text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def shipped() -> tuple[Migration, ...]:
    """The migrations that come with this code, in order."""
    found = [
        Migration(int(match[1]), match[2], file.read_text())
        for file in files("perdure.store.migrations").iterdir()
        if (match := re.fullmatch(r"(\d{4})_(\w+)\.sql", file.name))
    ]
    return tuple(sorted(found, key=lambda migration: migration.number))


async def migrate(connection: Connection, migrations: tuple[Migration, ...] | None = None) -> tuple[Migration, ...]:
    """Apply what is missing, each migration in a transaction of its own. Returns what was applied."""
    known = shipped() if migrations is None else migrations
    applied: list[Migration] = []
    while pending := _pending(known, await _recorded(connection)):
        try:
            async with connection.transaction():
                applied.extend(await _apply_next(connection, known, count=len(pending)))
        except asyncpg.InsufficientPrivilegeError as error:
            raise Misconfigured(await _what_to_grant(connection, error)) from error
    return tuple(applied)


async def pending(connection: Connection) -> tuple[Migration, ...]:
    """What `migrate` would apply. Refuses a schema that is not ours."""
    return _pending(shipped(), await _recorded(connection))


async def _apply_next(connection: Connection, known: tuple[Migration, ...], *, count: int) -> tuple[Migration, ...]:
    await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
    await connection.execute(_BOOKKEEPING)
    # Somebody else may have applied it while we waited for the lock.
    pending = _pending(known, await _recorded(connection))
    if len(pending) < count:
        return ()
    migration = pending[0]
    await connection.execute(migration.sql)
    await connection.execute(
        "INSERT INTO migrations (number, name, checksum) VALUES ($1, $2, $3)",
        migration.number,
        migration.name,
        migration.checksum,
    )
    return (migration,)


async def _recorded(connection: Connection) -> dict[int, str]:
    if await connection.fetchval("SELECT to_regclass('migrations')") is None:
        return {}
    rows = await connection.fetch("SELECT number, checksum FROM migrations")
    return {row["number"]: row["checksum"] for row in rows}


def _pending(known: tuple[Migration, ...], recorded: dict[int, str]) -> tuple[Migration, ...]:
    newest = max((migration.number for migration in known), default=0)
    if max(recorded, default=0) > newest:
        raise Misconfigured(
            f"The database has schema {max(recorded)}, and this Perdure knows schemas up to {newest}. "
            "Start the newer Perdure that migrated it."
        )
    for migration in known:
        if recorded.get(migration.number, migration.checksum) != migration.checksum:
            raise Misconfigured(
                f"Migration {migration.number:04} ({migration.name}) is not the one that this database was made with. "
                "Start the Perdure that migrated it, or another database."
            )
    return tuple(migration for migration in known if migration.number not in recorded)


async def _what_to_grant(connection: Connection, error: asyncpg.InsufficientPrivilegeError) -> str:
    row = await connection.fetchrow("SELECT quote_ident(current_user), quote_ident(current_schema())")
    role, schema = row if row is not None else ("the role", "public")
    return (
        f"{role} may not change the schema ({error}). As an administrator run: GRANT ALL ON SCHEMA {schema} TO {role};"
    )
