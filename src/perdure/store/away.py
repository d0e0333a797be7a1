"""What it looks like when the database is away."""

from collections.abc import Generator
from contextlib import contextmanager

import asyncpg

from perdure.core.errors import Unavailable

AWAY = (
    OSError,
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    asyncpg.QueryCanceledError,
    # What the driver says on a connection whose server has just said goodbye, and not yet hung up.
    asyncpg.InternalClientError,
)


@contextmanager
def asking_the_database() -> Generator[None]:
    """Say in our own words that it is away, so that whoever asked tries again later."""
    try:
        yield
    except AWAY as error:
        raise Unavailable(f"The database is away: {error or type(error).__name__}") from error
