"""What may be spent in a month, and what was."""

from datetime import date

from msgspec import to_builtins

from perdure.access.roles import Permission
from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.budgets import Budget, Budgets, BudgetsBody, PersonBudget
from perdure.config.settings import MonthlyLimits
from perdure.store.tables import budgets

routes = Routes("usage")


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
