"""Links that sign somebody in once."""

from datetime import timedelta

from msgspec import Struct

from perdure.core.ids import UserId
from perdure.store.query import query
from perdure.store.scopes import Database


class UsedLink(Struct, frozen=True):
    user_id: UserId
    valid: bool


@query
async def make(db: Database, digest: bytes, user_id: UserId, kept: timedelta) -> None: ...


@query
async def use(db: Database, digest: bytes) -> UsedLink | None: ...


@query
async def forget_over(db: Database) -> None: ...
