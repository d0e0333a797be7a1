"""What it looks like when the database is away: the one judgement of it."""

import asyncpg

AWAY = (
    OSError,
    TimeoutError,
    # 08xxx, also a pooler that has no server to give.
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    # 57P03: it starts up, shuts down or recovers.
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    asyncpg.QueryCanceledError,
    # 25006: a primary that was demoted, or one that was told to take no writes.
    asyncpg.ReadOnlySQLTransactionError,
    # What the driver says on a connection whose server has just said goodbye, and not yet hung up; and where none of
    # several hosts takes writes.
    asyncpg.InternalClientError,
)


def reason(error: BaseException) -> str:
    """Why it is away, as people are told."""
    if isinstance(error, asyncpg.ReadOnlySQLTransactionError):
        return "The database takes no writes at the moment: it is being switched over, or it is a standby."
    return f"The database is away: {error or type(error).__name__}"
