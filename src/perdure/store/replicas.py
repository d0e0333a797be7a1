"""The replicas' rows: who lives, what they own, what nobody owns."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from perdure.core.ids import ChatId, ReplicaId, RunnerId, UserId
from perdure.core.timing import LEASE, RENEWAL_LATE, SEVERED_LEASE
from perdure.store.scopes import Database
from perdure.store.tables import chats, replicas


@dataclass(frozen=True, slots=True)
class Owned:
    """A chat that a lease covers."""

    chat_id: ChatId
    runner_id: RunnerId
    snapshot_version: int


@dataclass(frozen=True, slots=True)
class Renewal:
    alive: int
    owned: tuple[Owned, ...] | None
    """None where that was not asked."""
    ends: tuple[timedelta, ...] = ()
    """After what time the leases of replicas end that have not renewed them when they should have."""
    capacity: int = 0
    """How many chats all that live may drive."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chat that needs a driver."""

    chat_id: ChatId
    worker_id: ReplicaId | None
    status: str
    owner_id: UserId
    waited: timedelta
    """Since it moved last or, where its replica died, since that one was seen last."""
    orphaned: timedelta
    """Since the lease of its replica ended."""


async def register(db: Database, replica_id: ReplicaId, *, address: str | None, version: str, capacity: int) -> None:
    await replicas.register(db, replica_id, address, version, capacity)


async def renew(db: Database, replica_id: ReplicaId, *, listing: bool = True, timeout: float) -> Renewal | None:
    """The lease, renewed; None once it ran out."""
    rows = await replicas.renew(db, replica_id, LEASE, SEVERED_LEASE, RENEWAL_LATE, listing, timeout=timeout)
    if not rows:
        return None
    if not listing:
        return Renewal(rows[0].alive, None, rows[0].ends, rows[0].capacity)
    owned = tuple(
        Owned(row.chat_id, row.runner_id, row.snapshot_version)
        for row in rows
        if row.chat_id is not None and row.runner_id is not None and row.snapshot_version is not None
    )
    return Renewal(rows[0].alive, owned, rows[0].ends, rows[0].capacity)


async def end_severed(db: Database) -> None:
    """End the leases of replicas whose processes are gone, without waiting for the rest of them."""
    await replicas.end_severed(db, LEASE, SEVERED_LEASE)


async def place(db: Database, replica_id: ReplicaId, lease: timedelta) -> tuple[int, int]:
    """Which place this replica has among those that live, from 0, and how many they are."""
    found = await replicas.place(db, replica_id, lease)
    return found.before, max(1, found.alive)


async def leave(db: Database, replica_id: ReplicaId) -> None:
    await replicas.leave(db, replica_id)


async def bury(db: Database, silent_for: timedelta) -> None:
    await replicas.bury(db, silent_for)


async def acquirable(db: Database, lease: timedelta, limit: int) -> list[Candidate]:
    found = await chats.acquirable(db, lease, limit)
    return [
        Candidate(chat.id, chat.worker_id, chat.status, chat.owner_id, chat.waited, chat.orphaned) for chat in found
    ]


async def due(db: Database, limit: int) -> list[tuple[ChatId, datetime]]:
    """Parked chats whose deadline passed, each with that deadline."""
    return [(chat.id, chat.action_deadline_at) for chat in await chats.due(db, limit)]
