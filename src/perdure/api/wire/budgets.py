"""Budgets on the wire. Amounts are micro-dollars; no limit is null."""

from datetime import date

from msgspec import Struct

from perdure.api.wire.chats import Micros
from perdure.core.ids import UserId


class Budget(Struct, frozen=True, kw_only=True):
    limit: int | None = None
    spent: int = 0
    reserved: int = 0
    """What is set aside for calls that replicas are making or about to make."""


class PersonBudget(Struct, frozen=True, kw_only=True):
    user_id: UserId
    email: str
    limit: int | None
    spent: int
    reserved: int


class Budgets(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A calendar month, by UTC."""

    month: date
    user: Budget
    """Your own."""
    organisation: Budget | None = None
    people: tuple[PersonBudget, ...] | None = None


class BudgetsBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    user: Micros | None = None
    """What each person may spend of whom `people` says nothing else."""
    organisation: Micros | None = None
    people: dict[UserId, Micros] = {}
