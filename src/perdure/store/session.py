"""How the server plans and commits our statements: defaults of our role, which every session begins with.

A pooler refuses to be told at the beginning of a session and may give each statement another one. A default of the
role holds behind any of them, and costs nothing when a connection is opened.
"""

import logging

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


async def set_defaults(connection: "asyncpg.Connection[Record]") -> None:
    """Set the defaults that are not set yet, for the sessions that are opened from now on."""
    known = {row[0] for row in await connection.fetch(_KNOWN)}
    missing = [name for name, value in DEFAULTS.items() if f"{name}={value}" not in known]
    if not missing:
        return
    role, database = await _row(connection, "SELECT quote_ident(current_user), quote_ident(current_database())")
    try:
        for name in missing:
            await connection.execute(f"ALTER ROLE {role} IN DATABASE {database} SET {name} = {DEFAULTS[name]}")
    except (asyncpg.InsufficientPrivilegeError, asyncpg.ReadOnlySQLTransactionError) as error:
        _log.warning("the planner keeps its own defaults, so statements may be slower: %s", error)


async def _row(connection: "asyncpg.Connection[Record]", sql: str) -> Record:
    row = await connection.fetchrow(sql)
    assert row is not None
    return row
