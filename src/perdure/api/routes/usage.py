"""What was used, and what it cost."""

from datetime import UTC, date, datetime, time, timedelta

import msgspec

from perdure.access.roles import Permission
from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.extras import UsageLine, UsageQuery, UsageReport
from perdure.store.tables import usage

routes = Routes("usage")

USUAL_DAYS = 30
# There is no day after the last one that dates know.
_LAST = date.max - timedelta(days=1)


@routes.get("/usage")
async def read_usage(caller: Caller, query: UsageQuery) -> UsageReport:
    """Calls, tokens and cost from one day to another, by user, model or day: everybody's, or your own."""
    today = caller.services.clock.now().date()
    since, until = query.since or today - timedelta(days=USUAL_DAYS), query.until or today
    span = (_midnight(since), _midnight(min(until, _LAST)) + timedelta(days=1), query.group.value)
    if query.mine or Permission.AUDIT not in caller.actor.permissions:
        rows = await usage.mine(caller.rows, *span)
    else:
        rows = await usage.of_organisation(caller.rows.organisation(Permission.AUDIT), *span)
    return UsageReport(tuple(msgspec.convert(row, UsageLine, from_attributes=True) for row in rows))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
