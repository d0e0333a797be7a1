"""The replicas that live."""

from datetime import timedelta

from msgspec import Struct

from perdure.core.ids import ChatId, ReplicaId, RunnerId
from perdure.store.query import Written, query
from perdure.store.scopes import Database


class RenewalRow(Struct, frozen=True):
    """One chat that a renewed lease covers, or none; and how the other replicas are."""

    alive: int
    capacity: int
    ends: tuple[timedelta, ...]
    chat_id: ChatId | None
    runner_id: RunnerId | None
    snapshot_version: int | None


class Place(Struct, frozen=True):
    alive: int
    before: int


@query
async def register(db: Database, replica_id: ReplicaId, address: str | None, version: str, capacity: int) -> None: ...


@query
async def renew(
    db: Database,
    replica_id: ReplicaId,
    lease: timedelta,
    severed: timedelta,
    late: timedelta,
    listing: bool,
    *,
    timeout: float,
) -> list[RenewalRow]: ...


@query
async def end_severed(db: Database, lease: timedelta, severed: timedelta) -> None: ...


@query
async def place(db: Database, replica_id: ReplicaId, lease: timedelta) -> Place: ...


@query
async def address(db: Database, replica_id: ReplicaId, lease: timedelta) -> str | None: ...


@query
async def said_again(db: Database, replica_id: ReplicaId) -> Written: ...


@query
async def owing(db: Database, within: timedelta) -> bool: ...


@query
async def leave(db: Database, replica_id: ReplicaId) -> None: ...


@query
async def bury(db: Database, silent_for: timedelta) -> None: ...
