"""What was used, and what it cost."""

from datetime import UTC, date, datetime, time, timedelta

import msgspec

from perdure.access.roles import Permission
from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.extras import UsageLine, UsageQuery, UsageReport

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
        rows = await caller.rows.all("usage/by", *span)
    else:
        rows = await caller.rows.of_organisation(Permission.AUDIT, "usage/by", *span)
    return UsageReport(tuple(msgspec.convert(dict(row), UsageLine) for row in rows))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
