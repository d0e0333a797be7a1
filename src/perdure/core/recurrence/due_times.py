"""The moments that a rule means in a time zone, whatever its clocks do."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from heapq import merge
from itertools import islice, takewhile
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from perdure.core.recurrence.cron import Cron
from perdure.core.recurrence.rrule import RecurrenceRule
from perdure.core.recurrence.rule import HORIZON, BadRule, Rule

# Clocks are moved by an hour as a rule, and by a day where a country changes sides of the date line.
_LARGEST_JUMP = timedelta(hours=26)
# No zone moves its clocks twice within it.
_STEADY = timedelta(days=7)
_SECOND = timedelta(seconds=1)
_NAMED_ZONE = re.compile(r"^[ \t]*+DTSTART[^:\n]*;TZID=\"?([^\":;\n]+)", re.IGNORECASE | re.MULTILINE)
_UTC_TIME = re.compile(r"(?<=[:=])([0-9]{8}T[0-9]{6})Z(?=\s|;|$)", re.IGNORECASE)
_WRITTEN = "%Y%m%dT%H%M%S"
_LONG_AGO = datetime(1900, 1, 1)  # noqa: DTZ001 - a time of the wall clock


def zone_of(name: str) -> ZoneInfo:
    """The zone of a name such as Europe/Berlin."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadRule(f"There is no time zone {name!r}. One is called Europe/Berlin, for example.") from None


@lru_cache(maxsize=4096)
def rule_of(text: str, first: datetime = _LONG_AGO) -> Rule:
    """What a text means: a cron line or a rule of a calendar, which begins at a time of the wall clock."""
    if "FREQ" in text.upper():
        return RecurrenceRule.parse(text, first)
    return Cron.parse(text)


def on_the_wall(text: str, zone: ZoneInfo) -> str:
    """A rule as calendars write it, with the zone of its first time and times of UTC, in times of this zone's clock."""
    for named in _NAMED_ZONE.findall(text):
        if named.upper() != zone.key.upper():
            raise BadRule(f"The rule's first time is in the zone {named}, and the schedule in {zone.key}.")
    return _UTC_TIME.sub(lambda found: _local(found[1], zone), text)


def _local(text: str, zone: ZoneInfo) -> str:
    try:
        moment = datetime.strptime(text, _WRITTEN).replace(tzinfo=UTC)
        return moment.astimezone(zone).strftime(_WRITTEN)
    except (ValueError, OverflowError):
        raise BadRule(f"{text}Z is no time.") from None


def next_times(rule: Rule, zone: ZoneInfo, after: datetime, count: int) -> list[datetime]:
    """The next moments after one, in their order; fewer where there are no more.

    A time of day that is left out when clocks go forward is due as much later as they jump. One that occurs twice is
    due the first time, unless the rule goes through all hours anyway: then both are.
    """
    return list(islice(moments(rule, zone, after), count))


def moments(rule: Rule, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    """All moments after one."""
    newest = after
    for moment in _moments(rule, zone, after):
        if moment > newest:
            newest = moment
            yield moment


def _moments(rule: Rule, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    begin = after - _LARGEST_JUMP
    if _offset(zone, begin) == _offset(zone, after):
        begin = after
    passed, left_out = _LONG_AGO, list[datetime]()
    while begin < after + HORIZON:
        offset, end = _offset(zone, begin), _end(zone, begin)
        first, last = _wall(begin, offset), _wall(end, offset)
        upcoming = next(rule.walls(max(first, passed) if not rule.every_hour else first), None)
        if upcoming is None and not left_out:
            return
        due = (_moment(wall, offset) for wall in _between(rule, first, last) if rule.every_hour or wall >= passed)
        yield from merge(due, left_out)
        after_jump = _wall(end, _offset(zone, end))
        left_out = [_moment(wall, offset) for wall in _between(rule, last, after_jump)]
        passed = last
        begin = end
        if upcoming is not None and not left_out:
            begin = max(begin, upcoming.replace(tzinfo=UTC) - 2 * _LARGEST_JUMP)


def _between(rule: Rule, first: datetime, last: datetime) -> Iterator[datetime]:
    return takewhile(lambda wall: wall < last, rule.walls(first)) if first < last else iter(())


def _end(zone: ZoneInfo, begin: datetime) -> datetime:
    """When clocks are moved next, or a year from now where they are not."""
    offset, low = _offset(zone, begin), begin
    while _offset(zone, low + _STEADY) == offset:
        low += _STEADY
        if low > begin + timedelta(days=366):
            return low
    high = low + _STEADY
    while high - low > _SECOND:
        middle = low + (high - low) / 2
        low, high = (middle, high) if _offset(zone, middle) == offset else (low, middle)
    return high.replace(microsecond=0)


def _offset(zone: ZoneInfo, moment: datetime) -> timedelta:
    offset = moment.astimezone(zone).utcoffset()
    assert offset is not None
    return offset


def _wall(moment: datetime, offset: timedelta) -> datetime:
    return (moment.astimezone(UTC) + offset).replace(tzinfo=None)


def _moment(wall: datetime, offset: timedelta) -> datetime:
    return (wall - offset).replace(tzinfo=UTC)
