"""Budgets of people and organisations: slices that replicas set aside, and what they spent of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from perdure.core.ids import ChatId, ReplicaId
from perdure.core.timing import LEASE
from perdure.store.errors import transaction
from perdure.store.pool import Pool
from perdure.store.tables import budgets


@dataclass(frozen=True, slots=True)
class Slice:
    """What a replica got of a budget, and what the payer has spent by now."""

    amount: int
    spent: int


@dataclass(frozen=True, slots=True)
class Settlement:
    """What a payer spent, and how much of its slice a replica used or gives back."""

    payer: UUID
    month: date
    spent: int
    back: int


@dataclass(frozen=True, slots=True)
class Family:
    """What a chat's family may spend together, and what the others of it have spent."""

    limit: int | None
    others: int
    own: int = 0
    """What the chat itself has cost, the words about it included."""


async def take(
    pool: Pool, payer: UUID, month: date, replica_id: ReplicaId, *, limit: int, needed: int, wanted: int
) -> Slice:
    """Set aside what is wanted, or what is left if that is enough; nothing where it is not."""
    async with transaction(pool) as connection:
        row = await budgets.hold(connection, payer, month)
        if limit - row.spent - row.held < wanted:
            row = await budgets.reclaim(connection, payer, month, LEASE)
        left = limit - row.spent - row.held
        if left < needed:
            return Slice(0, row.spent)
        amount = min(left, wanted)
        await budgets.take(connection, payer, month, replica_id, amount)
        return Slice(amount, row.spent)


async def settle(pool: Pool, replica_id: ReplicaId, batch: UUID, settlements: Sequence[Settlement]) -> None:
    """Count a batch, once however often it is brought: a replica that heard nothing brings it again."""
    payers, months = [each.payer for each in settlements], [each.month for each in settlements]
    async with transaction(pool) as connection:
        if await budgets.mark(connection, replica_id, batch) is None:
            return
        await budgets.spend(connection, payers, months, [each.spent for each in settlements])
        backs = [each.back for each in settlements]
        await budgets.shrink(connection, payers, months, backs, replica_id)


async def family(pool: Pool, chat_id: ChatId) -> Family:
    row = await budgets.family(pool, chat_id)
    return Family(None, 0) if row is None else Family(row.budget_limit, row.others, row.own)
