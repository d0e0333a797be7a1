"""How fast a provider is asked once it said that it is asked too often: those who try again do not all come at once."""

import logging
from collections.abc import Hashable
from datetime import timedelta

from perdure.core.timing import Clock
from perdure.providers.route import Route

# Between calls to a provider that limits them, and how long one of them waits at most.
PACE_FIRST = timedelta(milliseconds=100)
PACE_LONGEST = timedelta(seconds=2)
PACE_PATIENCE = timedelta(seconds=30)
_log = logging.getLogger(__name__)
SLOWER, QUICKER = 2.0, 0.75
# A gap so small that it makes no difference.
GONE = PACE_FIRST.total_seconds() / 4


class _Pace:
    """A line of calls with a gap between any two of them."""

    __slots__ = ("changed_at", "gap", "next_at")

    def __init__(self, now: float) -> None:
        self.gap = PACE_FIRST.total_seconds()
        self.next_at = now + self.gap
        self.changed_at = now


class Pacing:
    """A line for each key and model that was limited. Whoever was not is never held up."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._paces: dict[Hashable, _Pace] = {}

    async def turn(self, route: Route) -> None:
        """Wait for one's turn, but not for ever: rather a refusal that people see than a wait that they do not."""
        pace = self._paces.get(_line(route)) if self._paces else None
        if pace is None:
            return
        now = self._clock.monotonic()
        at = min(max(now, pace.next_at), now + PACE_PATIENCE.total_seconds())
        pace.next_at = max(at, pace.next_at) + pace.gap
        if at > now:
            await self._clock.sleep(at - now)

    def limited(self, route: Route, began_at: float) -> None:
        """A call was refused. Of those that were under way at the same time only the first one counts."""
        line, now = _line(route), self._clock.monotonic()
        pace = self._paces.get(line)
        if pace is None:
            pace = self._paces[line] = _Pace(now)
            _log.info("%s limits how often %s is asked: calls wait for each other", route.provider, route.model.id)
        elif began_at > pace.changed_at:
            pace.gap = min(SLOWER * pace.gap, PACE_LONGEST.total_seconds())
            pace.changed_at = now

    def answered(self, route: Route, began_at: float) -> None:
        """A call was taken: the next ones may come a little sooner."""
        line = _line(route) if self._paces else None
        pace = self._paces.get(line)
        if pace is None or began_at <= pace.changed_at:
            return
        pace.gap *= QUICKER
        if pace.gap < GONE:
            del self._paces[line]
            _log.info("%s takes calls of %s as they come again", route.provider, route.model.id)


def _line(route: Route) -> Hashable:
    return route.endpoint.base_url, route.model.id, route.credentials
