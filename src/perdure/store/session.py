"""How the server plans and commits our statements: defaults of our role, which every session begins with.

A pooler refuses to be told at the beginning of a session and may give each statement another one. A default of the
role holds behind any of them, and costs nothing when a connection is opened.
"""

import logging
from contextlib import suppress
from typing import TypeAlias

import asyncpg
from asyncpg import Record

_log = logging.getLogger(__name__)

# Every statement is known and finds its rows by an index: planning it once is enough, and a sequential scan that the
# planner prefers while a table is small would stay in the plan when it is large.
DEFAULTS = {
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "jit": "off",
    "synchronous_commit": "on",
}

_KNOWN = """
SELECT unnest(setconfig) FROM pg_db_role_setting
WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND setrole = (SELECT oid FROM pg_roles WHERE rolname = current_user)
"""

# What the URL itself asks for is no sign of an old session.
_OLDER = """
SELECT EXISTS (
    SELECT FROM pg_settings s JOIN unnest($1::text[], $2::text[]) AS d (name, value) USING (name)
    WHERE s.setting <> d.value AND s.source NOT IN ('client', 'session')
)
"""

# Our own comes last: nothing is asked of it afterwards.
_END_OLDER = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE usename = current_user AND datname = current_database() AND backend_start < now()
ORDER BY pid = pg_backend_pid()
"""
_ENDED = (asyncpg.AdminShutdownError, asyncpg.PostgresConnectionError, asyncpg.InterfaceError, OSError)

_Connection: TypeAlias = "asyncpg.Connection[Record]"


async def has_defaults(connection: _Connection) -> bool:
    """Whether a session that was just opened has the defaults, or cannot have them. If not, another one will."""
    known = {row[0] for row in await connection.fetch(_KNOWN)}
    missing = [name for name, value in DEFAULTS.items() if f"{name}={value}" not in known]
    if missing:
        return not await _set(connection, missing)
    if not await connection.fetchval(_OLDER, list(DEFAULTS), list(DEFAULTS.values())):
        return True
    # It began before the defaults were set: a pooler keeps sessions, and hands them out for an hour.
    with suppress(*_ENDED):
        await connection.execute(_END_OLDER)
    return False


async def _set(connection: _Connection, missing: list[str]) -> bool:
    """Set defaults for the sessions that are opened from now on. Whether we may."""
    role, database = await _row(connection, "SELECT quote_ident(current_user), quote_ident(current_database())")
    try:
        for name in missing:
            await connection.execute(f"ALTER ROLE {role} IN DATABASE {database} SET {name} = {DEFAULTS[name]}")
    except (asyncpg.InsufficientPrivilegeError, asyncpg.ReadOnlySQLTransactionError) as error:
        _log.warning("the planner keeps its own defaults, so statements may be slower: %s", error)
        return False
    return True


async def _row(connection: _Connection, sql: str) -> Record:
    row = await connection.fetchrow(sql)
    assert row is not None
    return row
