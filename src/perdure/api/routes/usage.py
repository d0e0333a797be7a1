"""What was used, and what it cost."""

from datetime import timedelta

import msgspec

from perdure.access.roles import Permission
from perdure.api.caller import Caller
from perdure.api.days import midnight, midnight_after
from perdure.api.routing import Routes
from perdure.api.wire.extras import UsageLine, UsageQuery, UsageReport
from perdure.store.tables import usage

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
