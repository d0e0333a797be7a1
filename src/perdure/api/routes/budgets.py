"""What was used, what it cost, and what may be spent in a month. Amounts are micro-dollars; no limit is null."""

from datetime import date, timedelta

import msgspec
from msgspec import Struct, to_builtins

from perdure.access.actor import Permission
from perdure.api.caller import Caller
from perdure.api.decoding import midnight, midnight_after
from perdure.api.routing import Routes
from perdure.api.wire.chats import Micros
from perdure.api.wire.extras import UsageLine, UsageQuery, UsageReport
from perdure.config.settings import MonthlyLimits
from perdure.core.ids import UserId
from perdure.store.tables import budgets, usage


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


routes = Routes("usage")

USUAL_DAYS = 30


@routes.get("/usage")
async def read_usage(caller: Caller, query: UsageQuery) -> UsageReport:
    """Calls, tokens and cost from one day to another, by user, model, chat or day: everybody's, or your own."""
    today = caller.services.clock.now().date()
    since, until = query.since or today - timedelta(days=USUAL_DAYS), query.until or today
    span = (midnight(since), midnight_after(until), query.group.value)
    if query.mine or Permission.AUDIT not in caller.actor.permissions:
        rows = await usage.mine(caller.rows, *span)
    else:
        rows = await usage.of_organisation(caller.rows.organisation(Permission.AUDIT), *span)
    return UsageReport(tuple(msgspec.convert(row, UsageLine, from_attributes=True) for row in rows))


@routes.get("/budgets")
async def read_budgets(caller: Caller) -> Budgets:
    """Your own budget of this month; for those who may see it, the organisation's and everybody's."""
    limits = (await caller.config.settings(caller.actor.organisation_id)).budgets
    month = caller.services.clock.now().date().replace(day=1)
    row = await budgets.mine(caller.rows, month)
    mine = Budget(
        limit=limits.of(caller.actor.user_id),
        spent=row.spent if row else 0,
        reserved=row.held if row else 0,
    )
    if Permission.AUDIT not in caller.actor.permissions:
        return Budgets(month=month, user=mine)
    return await _everybodys(caller, month, mine, limits)


@routes.put("/budgets")
async def put_budgets(caller: Caller, body: BudgetsBody) -> Budgets:
    """Set what people and the organisation may spend in a calendar month. What is not named has no limit."""
    limits = MonthlyLimits(body.user, body.organisation, body.people)
    await caller.administration.providers.put_setting("budgets", to_builtins(limits))
    caller.announcements.config_changed()
    month = caller.services.clock.now().date().replace(day=1)
    return await _everybodys(caller, month, Budget(limit=limits.of(caller.actor.user_id)), limits)


async def _everybodys(caller: Caller, month: date, mine: Budget, limits: MonthlyLimits) -> Budgets:
    rows = await budgets.of_organisation(caller.rows.organisation(Permission.AUDIT), month)
    of_all = rows[0]
    people = tuple(
        PersonBudget(
            user_id=row.user_id, email=row.email, limit=limits.of(row.user_id), spent=row.spent, reserved=row.held
        )
        for row in rows[1:]
        if row.user_id is not None
    )
    own = next((person for person in people if person.user_id == caller.actor.user_id), None)
    return Budgets(
        month=month,
        user=mine if own is None else Budget(limit=own.limit, spent=own.spent, reserved=own.reserved),
        organisation=Budget(limit=limits.organisation, spent=of_all.spent, reserved=of_all.held),
        people=people,
    )
