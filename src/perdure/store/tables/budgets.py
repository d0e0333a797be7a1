"""What payers have spent in a month, and what replicas have set aside of it."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from uuid import UUID

from msgspec import Struct

from perdure.core.ids import ChatId, OrganisationId, ReplicaId, UserId
from perdure.store.query import query
from perdure.store.scopes import Database, OrganisationScope, PersonScope


class BudgetRow(Struct, frozen=True):
    spent: int
    held: int


class PersonBudget(Struct, frozen=True):
    """What somebody has spent, or the whole organisation where there is no user."""

    user_id: UserId | None
    email: str
    spent: int
    held: int


class FamilyBudget(Struct, frozen=True):
    """What a chat's family may spend together, and what the chat and the others of it have spent."""

    budget_limit: int | None
    own: int
    others: int


class WaitingChat(Struct, frozen=True):
    """A chat that waits for a budget that is not its own."""

    id: ChatId
    action: str
    updated_at: datetime
    payer: UserId
    organisation_id: OrganisationId


@query
async def mine(scope: PersonScope, month: date) -> BudgetRow | None: ...


@query
async def of_organisation(scope: OrganisationScope, month: date) -> list[PersonBudget]: ...


@query
async def family(db: Database, chat_id: ChatId) -> FamilyBudget | None: ...


@query
async def hold(db: Database, payer: UUID, month: date) -> BudgetRow: ...


@query
async def mark(db: Database, replica_id: ReplicaId, batch: UUID) -> UUID | None: ...


@query
async def reclaim(db: Database, payer: UUID, month: date, lease: timedelta) -> BudgetRow: ...


@query
async def shrink(
    db: Database, payers: Sequence[UUID], months: Sequence[date], backs: Sequence[int], replica_id: ReplicaId
) -> None: ...


@query
async def spend(db: Database, payers: Sequence[UUID], months: Sequence[date], spent: Sequence[int]) -> None: ...


@query
async def take(db: Database, payer: UUID, month: date, replica_id: ReplicaId, amount: int) -> None: ...


@query
async def waiting(db: Database) -> list[WaitingChat]: ...


@query
async def forget_settled(db: Database, kept: timedelta) -> None: ...
