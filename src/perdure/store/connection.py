"""How a connection to a Postgres is opened, and what is said when it cannot be."""

import asyncio
import time
from datetime import timedelta
from typing import TypeAlias
from urllib.parse import parse_qs, urlsplit

import asyncpg
from asyncpg import Record
from asyncpg.pool import PoolConnectionProxy

from perdure.core.errors import Misconfigured
from perdure.core.timing import DATABASE_RETRY_FIRST

OLDEST_MAJOR = 14

Connection: TypeAlias = "asyncpg.Connection[Record] | PoolConnectionProxy[Record]"


async def connect(url: str, *, patience: timedelta = timedelta(0)) -> "asyncpg.Connection[Record]":
    """A connection to a server that is new enough. Waits for one that is not there yet, if told to."""
    deadline = time.monotonic() + patience.total_seconds()
    while True:
        try:
            connection = await asyncpg.connect(url, server_settings={"application_name": "perdure"})
        except (OSError, asyncpg.CannotConnectNowError, TimeoutError) as error:
            if time.monotonic() >= deadline:
                raise Misconfigured(_unreachable(url, error)) from error
            await asyncio.sleep(DATABASE_RETRY_FIRST.total_seconds())
        except (asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as error:
            raise Misconfigured(_refused(url, error)) from error
        else:
            await _refuse_old_server(connection)
            return connection


def place(url: str) -> str:
    """Where a database is, without its password."""
    parts = urlsplit(url)
    options = parse_qs(parts.query)
    host = parts.hostname or options.get("host", ["localhost"])[0]
    port = parts.port or options.get("port", ["5432"])[0]
    return f"{host}{parts.path}" if host.startswith("/") else f"{host}:{port}{parts.path}"


async def _refuse_old_server(connection: "asyncpg.Connection[Record]") -> None:
    version = connection.get_server_version()
    if version.major < OLDEST_MAJOR:
        await connection.close()
        raise Misconfigured(
            f"The database server is Postgres {version.major}; {OLDEST_MAJOR} or newer is needed. "
            "Name a newer one in PERDURE_DATABASE_URL, or leave that out to use the embedded one."
        )


def _unreachable(url: str, error: Exception) -> str:
    return (
        f"The database at {_safe_place(url)} cannot be reached ({_why(error)}). "
        "Start it, correct PERDURE_DATABASE_URL, or leave that out to use the embedded one."
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
    except ValueError:
        return "PERDURE_DATABASE_URL"


def _why(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
