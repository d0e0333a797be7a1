"""What the driver's errors mean, in our own words. Nobody above the store knows the driver."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

import asyncpg

from perdure.core.errors import DatabaseFault, PerdureError, Unavailable
from perdure.store.away import AWAY, reason
from perdure.store.conflicts import conflict_of
from perdure.store.connection import Connection
from perdure.store.scopes import Database

DRIVER_ERRORS = (*AWAY, asyncpg.PostgresError)
"""All that the driver may raise."""


def meaning(error: Exception) -> PerdureError:
    """What an error of the driver means to those who can act on it."""
    match error:
        case asyncpg.UniqueViolationError():
            return conflict_of(error.constraint_name)
        case _ if isinstance(error, AWAY):
            return Unavailable(reason(error))
        case _:
            return DatabaseFault(f"The database refuses a statement: {error}")


@contextmanager
def translated() -> Generator[None]:
    """Say in our own words what the driver says."""
    try:
        yield
    except DRIVER_ERRORS as error:
        raise meaning(error) from error


@asynccontextmanager
async def transaction(db: Database) -> AsyncGenerator[Connection]:
    """Several statements, all of them or none. What the block itself raises is not the driver's, and goes on as it is.

    On a connection they belong to the transaction that it is in.
    """
    if not isinstance(db, asyncpg.Pool):
        yield db
        return
    with translated():
        connection = await db.acquire()
    try:
        held = connection.transaction()
        with translated():
            await held.start()
        try:
            yield connection
        except BaseException:
            with translated():
                await held.rollback()
            raise
        with translated():
            await held.commit()
    finally:
        await db.release(connection)
