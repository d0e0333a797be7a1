"""The SQL files, read once each."""

from functools import cache
from importlib.resources import files

import asyncpg
from asyncpg import Record

from perdure.core.errors import InvalidInput
from perdure.store.errors import translated
from perdure.store.scopes import Database

__all__ = ["Record", "named", "query"]


@cache
def query(name: str) -> str:
    """The text of `sql/<name>.sql`, such as `chats/load`."""
    return files("perdure.store").joinpath("sql", f"{name}.sql").read_text(encoding="utf8")


async def named(db: Database, name: str, *values: object) -> list[Record]:
    try:
        with translated():
            return await db.fetch(query(name), *values)
    except Exception as error:
        if isinstance(error.__cause__, asyncpg.DataError):
            raise InvalidInput("Something in the request cannot be stored.") from error
        raise
