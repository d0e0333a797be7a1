"""How a connection to a Postgres is opened, and what is said when it cannot be."""

import asyncio
import time
from datetime import timedelta
from typing import TypeAlias

import asyncpg
from asyncpg import Record
from asyncpg.pool import PoolConnectionProxy

from perdure.core.errors import Misconfigured
from perdure.core.timing import DATABASE_RETRY_FIRST
from perdure.store.address import place
from perdure.store.hosts import Hosts, ServerConnection

OLDEST_MAJOR = 14

Connection: TypeAlias = "asyncpg.Connection[Record] | PoolConnectionProxy[Record]"


async def connect(
    url: str,
    *,
    patience: timedelta = timedelta(0),
    writable: bool = False,
    prepare: bool = False,
    name: str = "perdure",
) -> ServerConnection:
    """A connection to a server that is new enough, and takes writes if it must.

    Waits for one that is not there yet, if told to. It prepares nothing unless it is to: a pooler in transaction mode
    may not keep it.
    """
    deadline = time.monotonic() + patience.total_seconds()
    while True:
        try:
            connection = await Hosts(url).connect(
                server_settings={"application_name": name}, statement_cache_size=100 if prepare else 0
            )
        except (OSError, asyncpg.CannotConnectNowError, TimeoutError) as error:
            problem = Misconfigured(_unreachable(url, error))
            problem.__cause__ = error
        except (asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as error:
            raise Misconfigured(_refused(url, error)) from error
        else:
            await _refuse_old_server(connection)
            if not writable:
                return connection
            if not connection.read_only:
                await require_transactions(connection, url)
                return connection
            connection.terminate()
            problem = Misconfigured(_takes_no_writes(url))
        if time.monotonic() >= deadline:
            raise problem
        await asyncio.sleep(DATABASE_RETRY_FIRST.total_seconds())


async def require_transactions(connection: "asyncpg.Connection[Record]", url: str) -> None:
    """Refuse a pooler that gives every statement another session: it has no transactions."""
    try:
        async with connection.transaction():
            pass
    except asyncpg.PostgresConnectionError as error:
        connection.terminate()
        raise Misconfigured(_without_transactions(url, error)) from error


async def administered(connection: Connection, statement: str) -> bool:
    """Whether a statement about a whole database was done: not while somebody still uses it."""
    try:
        await connection.execute(statement)
    except asyncpg.ObjectInUseError:
        return False
    return True


async def _refuse_old_server(connection: "asyncpg.Connection[Record]") -> None:
    version = connection.get_server_version()
    if version.major < OLDEST_MAJOR:
        await connection.close()
        raise Misconfigured(
            f"The database server is Postgres {version.major}; {OLDEST_MAJOR} or newer is needed. "
            "Name a newer one in PERDURE_DATABASE_URL, or leave that out to use the embedded one."
        )


def _without_transactions(url: str, error: Exception) -> str:
    return (
        f"The database at {_safe_place(url)} takes no transactions ({_why(error)}). "
        "Set pool_mode = transaction or session in PgBouncer."
    )


def _unreachable(url: str, error: Exception) -> str:
    return (
        f"The database at {_safe_place(url)} cannot be reached ({_why(error)}). "
        "Start it, correct PERDURE_DATABASE_URL, or leave that out to use the embedded one."
    )


def _takes_no_writes(url: str) -> str:
    return (
        f"The database at {_safe_place(url)} takes no writes: what answers is a standby, or is set to read only. "
        "Name every host in PERDURE_DATABASE_URL, separated by commas: the one that takes writes is found."
    )


def _refused(url: str, error: Exception) -> str:
    match error:
        case asyncpg.InvalidCatalogNameError():
            remedy = "Create it with: createdb, or correct PERDURE_DATABASE_URL."
        case asyncpg.InvalidPasswordError() | asyncpg.InvalidAuthorizationSpecificationError():
            remedy = "Correct the user and password in PERDURE_DATABASE_URL."
        case asyncpg.TooManyConnectionsError():
            remedy = "Raise the server's max_connections or lower PERDURE_DATABASE_POOL."
        case _:
            remedy = "Correct PERDURE_DATABASE_URL."
    return f"The database at {_safe_place(url)} refuses us ({_why(error)}). {remedy}"


def _safe_place(url: str) -> str:
    try:
        return place(url)
    except Misconfigured:
        return "PERDURE_DATABASE_URL"


def _why(error: Exception) -> str:
    silent = "no answer" if isinstance(error, TimeoutError) else type(error).__name__
    return " ".join(str(error).split()) or silent
