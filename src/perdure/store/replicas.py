"""The replicas' rows: who lives, what they own, what nobody owns."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from asyncpg import Connection, Pool, Record

from perdure.core.ids import ChatId, ReplicaId, RunnerId, UserId
from perdure.core.timing import RENEWAL_LATE
from perdure.store.queries import query

Executor: TypeAlias = "Connection[Record] | Pool[Record]"


@dataclass(frozen=True, slots=True)
class Owned:
    """A chat that a lease covers."""

    chat_id: ChatId
    runner_id: RunnerId
    snapshot_version: int


@dataclass(frozen=True, slots=True)
class Renewal:
    alive: int
    owned: tuple[Owned, ...]
    ends: tuple[timedelta, ...] = ()
    """After what time the leases of replicas end that have not renewed them when they should have."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chat that needs a driver."""

    chat_id: ChatId
    worker_id: ReplicaId | None
    status: str
    owner_id: UserId
    waited: timedelta
    """Since it moved last or, where its replica died, since that one was seen last."""


async def register(db: Executor, replica_id: ReplicaId, *, address: str | None, version: str, capacity: int) -> None:
    await db.execute(query("replicas/register"), replica_id, address, version, capacity)


async def renew(db: Executor, replica_id: ReplicaId, lease: timedelta, *, timeout: float) -> Renewal | None:
    """The lease, renewed; None once it ran out."""
    rows = await db.fetch(query("replicas/renew"), replica_id, lease, RENEWAL_LATE, timeout=timeout)
    if not rows:
        return None
    owned = tuple(
        Owned(row["chat_id"], row["runner_id"], row["snapshot_version"]) for row in rows if row["chat_id"] is not None
    )
    return Renewal(rows[0]["alive"], owned, tuple(rows[0]["ends"]))


async def place(db: Executor, replica_id: ReplicaId, lease: timedelta) -> tuple[int, int]:
    """Which place this replica has among those that live, from 0, and how many they are."""
    row = await db.fetchrow(query("replicas/place"), replica_id, lease)
    assert row is not None
    return row["before"], max(1, row["alive"])


async def leave(db: Executor, replica_id: ReplicaId) -> None:
    await db.execute(query("replicas/leave"), replica_id)


async def bury(db: Executor, silent_for: timedelta) -> None:
    await db.execute(query("replicas/bury"), silent_for)


async def acquirable(db: Executor, lease: timedelta, limit: int) -> list[Candidate]:
    rows = await db.fetch(query("chats/acquirable"), lease, limit)
    return [Candidate(row["id"], row["worker_id"], row["status"], row["owner_id"], row["waited"]) for row in rows]


async def due(db: Executor, limit: int) -> list[tuple[ChatId, datetime]]:
    """Parked chats whose deadline passed, each with that deadline."""
    return [(ChatId(row["id"]), row["action_deadline_at"]) for row in await db.fetch(query("chats/due"), limit)]
