"""Which trace a turn belongs to: told by the replica that took the message, read by the one that drives the turn."""

from datetime import datetime, timedelta

from msgspec import Struct

from perdure.core.ids import ChatId
from perdure.store.query import query
from perdure.store.scopes import Database


class TurnTrace(Struct, frozen=True):
    traceparent: str
    began_at: datetime


@query
async def claim(db: Database, chat_id: ChatId, turn: int, traceparent: str) -> TurnTrace: ...


@query
async def find(db: Database, chat_id: ChatId, turn: int) -> str | None: ...


@query
async def sweep(db: Database, age: timedelta) -> None: ...
