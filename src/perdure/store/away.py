"""What it looks like when the database is away: the one judgement of it."""

import asyncpg

NO_WRITES = (
    # 25006: a primary that was demoted, or one that was told to take no writes.
    asyncpg.ReadOnlySQLTransactionError,
    # 0A000: a standby has nothing of unlogged tables. No statement of ours asks for anything else that there is not.
    asyncpg.FeatureNotSupportedError,
)
"""What a server says that can be read at best. Those of the same age lead to the same server."""

TRANSACTION_ENDED = (asyncpg.IdleInTransactionSessionTimeoutError, asyncpg.TransactionTimeoutError)
"""25P03 and 25P04: a limit that the operator set ended the session."""

AWAY = (
    OSError,
    TimeoutError,
    # 08xxx, also a pooler that has no server to give.
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    # 57P03: it starts up, shuts down or recovers.
    asyncpg.CannotConnectNowError,
    # The rest of 57xxx: it shuts down, a statement took too long, a session was ended by a limit or with its database.
    asyncpg.OperatorInterventionError,
    # 53xxx and 58xxx: no connection, memory or room on the disk is left, or the disk fails. It comes back as it was.
    asyncpg.InsufficientResourcesError,
    asyncpg.PostgresSystemError,
    # 40xxx: others were in the way, and nothing was done.
    asyncpg.TransactionRollbackError,
    *TRANSACTION_ENDED,
    # 28xxx and 3D000: a host that does not let us in, or has no such database. Another host may, and an operator can.
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    # 55000: an operator lets nobody into the database for a while, or it recovers.
    asyncpg.ObjectNotInPrerequisiteStateError,
    *NO_WRITES,
    # What the driver says on a connection whose server has just said goodbye, and not yet hung up; and where none of
    # several hosts takes writes.
    asyncpg.InternalClientError,
)

GONE = (
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.DatabaseDroppedError,
    asyncpg.IdleSessionTimeoutError,
    *TRANSACTION_ENDED,
    asyncpg.InternalClientError,
)
"""What is said on a connection of which nothing comes any more."""


def reason(error: BaseException) -> str:
    """Why it is away, as people are told."""
    if isinstance(error, NO_WRITES):
        return "The database takes no writes at the moment: it is being switched over, or it is a standby."
    return f"The database is away: {str(error) or type(error).__name__}"
