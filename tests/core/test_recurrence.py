"""Times that come again, beside a definition that looks at every minute, and another implementation of RFC 5545."""

import datetime as dt
import random
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest
from dateutil import rrule as other
from hypothesis import given
from hypothesis import strategies as st

from perdure.core.recurrence.cron import Cron
from perdure.core.recurrence.due_times import next_times, rule_of, zone_of
from perdure.core.recurrence.rrule import RecurrenceRule
from perdure.core.recurrence.rule import BadRule, Rule

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
JUMPS = [
    ("Europe/Berlin", datetime(2027, 3, 28, 1, tzinfo=UTC)),
    ("Europe/Berlin", datetime(2027, 10, 31, 1, tzinfo=UTC)),
    ("America/New_York", datetime(2027, 3, 14, 7, tzinfo=UTC)),
    ("America/St_Johns", datetime(2027, 11, 7, 4, 30, tzinfo=UTC)),
    ("Australia/Lord_Howe", datetime(2027, 4, 3, 15, tzinfo=UTC)),
    ("Australia/Lord_Howe", datetime(2027, 10, 2, 15, 30, tzinfo=UTC)),
    ("Pacific/Apia", datetime(2011, 12, 30, 10, tzinfo=UTC)),
    ("Antarctica/Troll", datetime(2027, 3, 28, 1, tzinfo=UTC)),
    ("Asia/Kathmandu", datetime(2027, 1, 1, tzinfo=UTC)),
]
"""Zones, and a moment around which clocks are moved: forward, back, by half an hour, two hours, a day, not at all."""


def expected(rule: Rule, zone: ZoneInfo, after: datetime, until: datetime) -> list[datetime]:
    """By definition: what each minute of the wall clock means."""
    start = after.astimezone(zone).replace(tzinfo=None, second=0) - 2 * DAY
    end = until.astimezone(zone).replace(tzinfo=None) + 2 * DAY
    due: set[datetime] = set()
    for wall in rule.walls(start):
        if wall > end:
            break
        meant = wall.replace(tzinfo=zone)
        due.add(meant.astimezone(UTC))
        again = meant.replace(fold=1)
        twice = again.utcoffset() != meant.utcoffset() and again.astimezone(UTC) > meant.astimezone(UTC)
        if twice and rule.every_hour:
            due.add(again.astimezone(UTC))
    return sorted(moment for moment in due if after < moment <= until)


fields = st.tuples(
    st.sampled_from(["0", "30", "*/15", "7,37", "59", "*"]),
    st.sampled_from(["*", "0", "1", "2", "3", "2,3", "1-3", "*/2", "23", "12"]),
    st.sampled_from(["*", "28", "31", "1-3", "*/2"]),
    st.sampled_from(["*", "3,10", "mar-apr", "12"]),
    st.sampled_from(["*", "0", "7", "sun", "mon-fri", "6"]),
)


@given(fields, st.sampled_from(JUMPS), st.integers(-2 * 1440, 1440))
def test_a_cron_line_means_what_each_minute_of_the_wall_clock_means(
    line: tuple[str, ...], jump: tuple[str, datetime], minutes: int
) -> None:
    rule, zone, after = Cron.parse(" ".join(line)), zone_of(jump[0]), jump[1] + minutes * MINUTE
    due = expected(rule, zone, after, after + 2 * DAY)
    found = next_times(rule, zone, after, len(due) + 1)
    assert found[: len(due)] == due
    assert all(moment > after + 2 * DAY for moment in found[len(due) :])


@given(fields, st.sampled_from(JUMPS), st.integers(0, 5 * 86_400), st.integers(1, 8))
def test_moments_come_in_order_and_going_on_from_one_leads_to_the_next(
    line: tuple[str, ...], jump: tuple[str, datetime], seconds: int, count: int
) -> None:
    rule, zone, after = Cron.parse(" ".join(line)), zone_of(jump[0]), jump[1] + timedelta(seconds=seconds) - 3 * DAY
    found = next_times(rule, zone, after, count)
    assert found == sorted(set(found))
    step, walked = after, list[datetime]()
    for _ in found:
        (step,) = next_times(rule, zone, step, 1)
        walked.append(step)
    assert walked == found


def test_a_time_that_does_not_occur_is_due_as_much_later_as_clocks_jump() -> None:
    zone, eve = zone_of("Europe/Berlin"), datetime(2027, 3, 27, 22, tzinfo=UTC)
    (due,) = next_times(Cron.parse("30 2 * * *"), zone, eve, 1)
    assert due.astimezone(zone).isoformat() == "2027-03-28T03:30:00+02:00"


def test_a_time_that_occurs_twice_is_due_once_unless_the_rule_goes_through_all_hours() -> None:
    zone, eve = zone_of("Europe/Berlin"), datetime(2027, 10, 30, 23, 45, tzinfo=UTC)
    assert [due.hour for due in next_times(Cron.parse("30 2 * * *"), zone, eve, 2)] == [0, 1]
    assert [due.hour for due in next_times(Cron.parse("30 * * * *"), zone, eve, 3)] == [0, 1, 2]


_FREQUENCIES = ("YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY")


@st.composite
def rules(draw: st.DrawFn) -> str:
    frequency = draw(st.sampled_from(_FREQUENCIES))
    parts = [f"FREQ={frequency}", f"INTERVAL={draw(st.integers(1, 5))}"]
    long = frequency in _FREQUENCIES[:2]
    days = ["MO", "TU,TH", "SA,SU"] + (["1MO", "-1FR", "2TU,-2WE"] if long else [])
    choices = {
        "BYMONTH": ["1", "2,8", "12"],
        "BYDAY": days,
        "BYMONTHDAY": ["1", "-1", "13,31", "-31"] if frequency != "WEEKLY" else [],
        "BYHOUR": ["0", "9,17", "23"],
        "BYMINUTE": ["0", "15,45"],
        "BYSECOND": ["0", "30"],
        "WKST": ["MO", "SU", "TH"],
    }
    for name, values in choices.items():
        if values and draw(st.booleans()):
            parts.append(f"{name}={draw(st.sampled_from(values))}")
    if frequency in _FREQUENCIES[:4] and draw(st.booleans()):
        parts.append(f"BYSETPOS={draw(st.sampled_from(['1', '-1', '1,-1', '2']))}")
    if draw(st.booleans()):
        parts.append(f"COUNT={draw(st.integers(1, 20))}")
    return ";".join(parts)


firsts = st.datetimes(datetime(2026, 1, 1), datetime(2030, 1, 1)).map(lambda each: each.replace(microsecond=0))  # noqa: DTZ001


@given(rules(), firsts, st.integers(0, 3_000))
def test_a_rule_of_a_calendar_means_what_another_implementation_says(text: str, first: datetime, later: int) -> None:
    ours = RecurrenceRule.parse(f"DTSTART:{first:%Y%m%dT%H%M%S}\nRRULE:{text}", first)
    try:
        theirs = other.rrulestr(text, dtstart=first)
    except ValueError:
        assert not any(islice(ours.walls(first), 1)), "the other one knows that it never fires"
        return
    # The other one takes each minute to the horizon one by one where the days are rare.
    horizon, start = first + timedelta(days=3_000), first + timedelta(days=later) * ("COUNT" not in text)
    if "MINUTELY" in text or "HOURLY" in text:
        horizon, start = first + timedelta(days=40), first + timedelta(hours=later / 10)
    # The other one looks for what never comes until the last year there is.
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(dt, "MAXYEAR", horizon.year + 1)
        known = cast("list[Any]", theirs.between(start, horizon, inc=True))[:25]
    found = [wall for wall in islice(ours.walls(start), 25) if wall <= horizon]
    assert found == known


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "5 fields"),
        ("* * * *", "has 4"),
        ("60 * * * *", "There is no minute '60'"),
        ("0 24 * * *", "There is no hour"),
        ("0 0 0 * *", "day of the month"),
        ("0 0 * foo *", "month"),
        ("5-1 * * * *", "is not valid"),
        ("*/0 * * * *", "is not valid"),
        ("0 0 * * 8", "day of the week"),
        ("FREQ=SECONDLY", "FREQ is one of"),
        ("FREQ=DAILY;FREQ=DAILY", "is not valid"),
        ("FREQ=DAILY;BYSECOND=1,2", "once a minute"),
        ("FREQ=DAILY;BYWEEKNO=3", "BYWEEKNO is not known"),
        ("FREQ=WEEKLY;BYDAY=1MO", "MONTHLY or YEARLY"),
        ("FREQ=DAILY;COUNT=2;UNTIL=20270101", "not both"),
        ("FREQ=DAILY;INTERVAL=0", "INTERVAL"),
        ("FREQ=YEARLY;INTERVAL=000000001999999", "INTERVAL"),
        ("FREQ=WEEKLY;WKST=XX", "WKST is a day"),
        ("FREQ=DAILY;UNTIL=tomorrow", "UNTIL is a time"),
        ("FREQ=DAILY;BYMONTH=٣", "BYMONTH takes numbers"),
        ("DTSTART:99991231T235959\nFREQ=WEEKLY", "DTSTART is between"),
        ("DTSTART:00010101T000000\nFREQ=WEEKLY;WKST=SU", "DTSTART is between"),
    ],
)
def test_a_rule_that_means_nothing_is_refused_in_words(text: str, word: str) -> None:
    with pytest.raises(BadRule, match=word):
        rule_of(text, datetime(2027, 1, 1))  # noqa: DTZ001


@pytest.mark.parametrize(
    "text",
    [
        "0 0 30 2 *",
        "0 0 31 4,6,9,11 *",
        "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=MINUTELY;INTERVAL=2;BYMINUTE=31",
    ],
)
def test_a_rule_that_never_fires_has_no_times(text: str) -> None:
    assert next_times(rule_of(text, datetime(2027, 1, 1)), zone_of("UTC"), datetime(2027, 1, 1, tzinfo=UTC), 5) == []  # noqa: DTZ001


HOSTILE_PARTS = (
    *("INTERVAL=2", "INTERVAL=720", "INTERVAL=997", "INTERVAL=1000", "COUNT=1", "COUNT=10000", "UNTIL=99991231"),
    *("BYMINUTE=31", "BYMINUTE=1,3,5,7,9", "BYHOUR=7", "BYSECOND=5", "BYMONTH=2", "BYMONTHDAY=30", "BYMONTHDAY=-31"),
    *("BYDAY=MO", "BYDAY=53SU", "BYDAY=-53SA,99FR", "BYSETPOS=366", "BYSETPOS=-1", "WKST=SU", "WKST=??"),
)
HOSTILE_FIRSTS = (
    "",
    *(f"DTSTART:{each}\nRRULE:" for each in ("00010101T000000", "19000101T000000", "99991231T235959")),
)
MOST_SECONDS = 1


@pytest.mark.parametrize("frequency", _FREQUENCIES)
def test_no_rule_takes_long_or_fails_in_an_unknown_way(frequency: str) -> None:
    """Whoever types one is answered while everybody else waits."""
    chooser = random.Random(frequency)
    fixed = [(), ("INTERVAL=2", "BYMINUTE=31"), ("BYHOUR=7", "BYMINUTE=31", "COUNT=10000"), ("INTERVAL=2", "BYHOUR=7")]
    for parts in [*fixed, *(chooser.sample(HOSTILE_PARTS, chooser.randint(1, 5)) for _ in range(60))]:
        text = chooser.choice(HOSTILE_FIRSTS) + ";".join((f"FREQ={frequency}", *parts))
        zone, begun = zone_of(chooser.choice(JUMPS)[0]), time.process_time()
        with suppress(BadRule):
            next_times(rule_of(text, datetime(2027, 1, 1)), zone, datetime(2027, 1, 1, tzinfo=UTC), 100)  # noqa: DTZ001
        assert time.process_time() - begun < MOST_SECONDS, text


@pytest.mark.parametrize("name", ["", "Europe/Berlinn", "../../etc/passwd", "/etc/localtime", "Europe", "UTC\0"])
def test_a_zone_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises(BadRule, match="no time zone"):
        zone_of(name)


def test_the_29th_of_february_is_found_over_the_year_that_has_none() -> None:
    found = next_times(Cron.parse("0 0 29 2 *"), zone_of("UTC"), datetime(2096, 3, 1, tzinfo=UTC), 1)
    assert found == [datetime(2104, 2, 29, tzinfo=UTC)]
