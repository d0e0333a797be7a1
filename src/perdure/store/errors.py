"""What the driver's errors mean, in our own words. Nobody above the store knows the driver's."""

from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager

import asyncpg

from perdure.core.errors import Conflict, DatabaseFault, PerdureError, Unavailable
from perdure.store.away import AWAY, reason
from perdure.store.connection import Connection
from perdure.store.scopes import Database

CONFLICTS: Mapping[str, tuple[str, str]] = {
    "groups_name": ("name", "There is a group of this name already."),
    "mcp_servers_organisation_id_slug_key": ("slug", "There is an MCP server of this name already."),
    "memories_of_organisation": ("text", "Your organisation has this memory already."),
    "memories_of_person": ("text", "You have this memory already."),
    "model_settings_default": ("default", "Another model was made the default at the same moment. Try again."),
    "model_settings_pkey": ("name", "There is a model of this name already."),
    "providers_name": ("name", "There is a provider of this name already."),
    "users_email": ("email", "There is somebody with this address already."),
}
"""What a request can run into, by the name of the constraint or unique index."""


def conflict_of(constraint: str | None) -> Conflict:
    """The conflict that a violated constraint means. One that no request can hit is named as it is."""
    field, message = CONFLICTS.get(constraint or "", ("", f"This is there already ({constraint})."))
    return Conflict(message, field)


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
