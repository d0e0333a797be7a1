"""Paying for model calls: what they may cost is set aside before, what they cost is counted after.

A chat's own budget is on its row. Budgets of people and organisations are never part of a chat's commit: a replica
sets a slice of them aside, spends it in memory, and settles once a second.
"""

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from functools import partial
from uuid import UUID, uuid4

from perdure.agent.prepare import Limits
from perdure.core.action import Breach, BudgetOwner
from perdure.core.card import Card
from perdure.core.chat import Chat
from perdure.core.errors import DatabaseFault, Unavailable
from perdure.core.ids import ChatId, ReplicaId
from perdure.core.tasks import every
from perdure.core.timing import SETTLE_PERIOD, SLICE_IDLE, Clock
from perdure.store.budgets import Settlement, family, settle, take
from perdure.store.pool import Pool

_log = logging.getLogger(__name__)
# A slice is this part of the limit, and at least what one call may cost.
SLICES = 100


class Purpose(Enum):
    """What a chat asks a model for. Each has its own money set aside, as both may be asked for at once."""

    TURN = "turn"
    DESCRIPTION = "description"


Call = tuple[ChatId, Purpose]


@dataclass(slots=True)
class BudgetSlice:
    """This replica's slice of one budget."""

    replica_id: ReplicaId
    amount: int = 0
    spent: int = 0
    """Not settled yet."""
    reserved: dict[Call, int] = field(default_factory=dict[Call, int])
    used_at: float = 0.0
    turns: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def free(self) -> int:
        return self.amount - self.spent - sum(self.reserved.values())


@dataclass(frozen=True, slots=True)
class Batch:
    """What is counted together. It keeps its id until it is known to be counted."""

    replica_id: ReplicaId
    settlements: list[tuple[BudgetSlice, Settlement]]
    id: UUID = field(default_factory=uuid4)


class BudgetReservations:
    """What this replica may spend, by payer and month."""

    def __init__(self, pool: Pool, clock: Clock) -> None:
        self._pool = pool
        self._clock = clock
        self._slices: dict[tuple[UUID, date], BudgetSlice] = {}
        self._reserving: dict[Call, list[BudgetSlice]] = {}
        self._flushing = asyncio.Lock()
        self._uncounted: list[Batch] = []

    async def reserve(
        self,
        chat: Chat,
        card: Card,
        limits: Limits,
        replica_id: ReplicaId,
        amount: int,
        purpose: Purpose = Purpose.TURN,
    ) -> Breach | None:
        """Set aside what a call may cost. A budget that it does not fit is the answer, and nothing is set aside."""
        self.release(chat.id, purpose)
        breach = await self._over_family(chat, card, amount)
        for owner, payer, limit in _payers(card, limits):
            if breach is None and limit is not None:
                breach = await self._over(owner, payer, limit, (chat.id, purpose), replica_id, amount)
        if breach is not None:
            self.release(chat.id, purpose)
        return breach

    def settle(self, card: Card, replica_id: ReplicaId, spent: int, purpose: Purpose = Purpose.TURN) -> None:
        """The call is over, and cost this much."""
        self.release(card.id, purpose)
        if spent:
            for payer in (card.asker, card.organisation_id):
                self._slice(payer, self._month(), replica_id).spent += spent

    def release(self, chat_id: ChatId, purpose: Purpose = Purpose.TURN) -> None:
        """Nothing is set aside for this call any more."""
        for held in self._reserving.pop((chat_id, purpose), ()):
            held.reserved.pop((chat_id, purpose), None)

    async def run(self) -> None:
        report = partial(_log.warning, "what was spent is settled later: %s")
        expected = (Unavailable, DatabaseFault)
        await every(SETTLE_PERIOD, self.flush, self._clock, expected=expected, report=report)

    async def flush(self, *, everything: bool = False) -> None:
        """Count what was spent, and give back what has not been needed for a while.

        One at a time: a replica that leaves must not count once more what is being counted.
        """
        async with self._flushing:
            await self._flush(everything=everything)

    async def _flush(self, *, everything: bool) -> None:
        # What was brought before and not heard of may be counted already: as it was, so that it counts once.
        await self._count()
        self._uncounted = self._due(everything=everything)
        await self._count()
        self._forget()

    def _due(self, *, everything: bool) -> list[Batch]:
        idle_since = self._clock.monotonic() - SLICE_IDLE.total_seconds()
        due: dict[ReplicaId, Batch] = {}
        for (payer, month), held in self._slices.items():
            idle = everything or (not held.reserved and held.used_at < idle_since)
            back = held.amount if idle else min(held.amount, held.spent)
            if held.spent or back:
                batch = due.setdefault(held.replica_id, Batch(held.replica_id, []))
                batch.settlements.append((held, Settlement(payer, month, held.spent, back)))
        return list(due.values())

    async def _count(self) -> None:
        while self._uncounted:
            batch = self._uncounted[0]
            await settle(self._pool, batch.replica_id, batch.id, [settlement for _, settlement in batch.settlements])
            for held, settlement in batch.settlements:
                held.spent -= settlement.spent
                if held.replica_id == batch.replica_id:
                    held.amount = max(0, held.amount - settlement.back)
            del self._uncounted[0]

    def _forget(self) -> None:
        self._slices = {
            key: held
            for key, held in self._slices.items()
            if held.amount or held.spent or held.reserved or held.turns.locked()
        }

    async def _over_family(self, chat: Chat, card: Card, amount: int) -> Breach | None:
        if chat.budget_limit is None and card.parent_id is None:
            return None
        kin = await family(self._pool, chat.id)
        # Descriptions of a chat are paid for outside of its turns: only its card knows of them.
        spent = kin.others + max(chat.budget_spent, kin.own)
        over = kin.limit is not None and (spent + amount > kin.limit)
        return Breach(BudgetOwner.CHAT, kin.limit or 0, spent) if over else None

    async def _over(
        self, owner: BudgetOwner, payer: UUID, limit: int, call: Call, replica_id: ReplicaId, amount: int
    ) -> Breach | None:
        month = self._month()
        held = self._slice(payer, month, replica_id)
        held.used_at = self._clock.monotonic()
        # One at a time: two chats must not count on the same money.
        async with held.turns:
            missing = amount - held.free
            if missing > 0:
                wanted = max(missing, limit // SLICES)
                got = await take(self._pool, payer, month, replica_id, limit=limit, needed=missing, wanted=wanted)
                if not got.amount:
                    return Breach(owner, limit, got.spent + held.spent)
                held.amount += got.amount
            held.reserved[call] = amount
            self._reserving.setdefault(call, []).append(held)
        return None

    def _slice(self, payer: UUID, month: date, replica_id: ReplicaId) -> BudgetSlice:
        held = self._slices.get((payer, month))
        if held is None:
            held = self._slices[payer, month] = BudgetSlice(replica_id)
        elif held.replica_id != replica_id:
            # The replica lost its id and with it its slices; what it spent of them still counts.
            held.replica_id, held.amount = replica_id, 0
        return held

    def _month(self) -> date:
        return self._clock.now().date().replace(day=1)


def _payers(card: Card, limits: Limits) -> tuple[tuple[BudgetOwner, UUID, int | None], ...]:
    return (
        (BudgetOwner.USER, card.asker, limits.user),
        (BudgetOwner.ORGANISATION, card.organisation_id, limits.organisation),
    )
