"""The database server itself, and what we may do there."""

from msgspec import Struct

from perdure.store.query import query
from perdure.store.scopes import Database


class Privileges(Struct, frozen=True):
    role: str
    schema: str
    may: bool


@query
async def version(db: Database) -> str: ...


@query
async def privileges(db: Database) -> Privileges: ...


@query
async def mark_session(db: Database) -> str: ...


@query
async def session_mark(db: Database) -> str: ...


@query
async def names_of_statements(db: Database) -> list[str]: ...
