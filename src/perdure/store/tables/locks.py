"""Locks that a transaction holds until it ends, so that only one replica does something at a time."""

from perdure.store.query import query
from perdure.store.scopes import Database


@query
async def housekeeping(db: Database) -> bool: ...


@query
async def first_account(db: Database) -> None: ...
