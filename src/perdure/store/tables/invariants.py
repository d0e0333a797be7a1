"""What must hold for the rows of any database of ours, asked as queries that find the exceptions."""

from uuid import UUID

from msgspec import Struct

from perdure.store.query import query
from perdure.store.scopes import Database


class Violation(Struct, frozen=True):
    """One chat for which something does not hold."""

    chat_id: UUID
    detail: str


@query
async def driven(db: Database, limit: int) -> list[Violation]: ...


@query
async def gapless_history(db: Database, limit: int) -> list[Violation]: ...


@query
async def has_card(db: Database, limit: int) -> list[Violation]: ...


@query
async def living_owner(db: Database, limit: int) -> list[Violation]: ...


@query
async def queue_contents(db: Database, limit: int) -> list[Violation]: ...


@query
async def revisions_seen(db: Database, limit: int) -> list[Violation]: ...


@query
async def valid_state(db: Database, limit: int) -> list[Violation]: ...
