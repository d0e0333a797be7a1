"""Recurrence rules as calendars write them (RFC 5545): from a first time on, how often, on which days, and when."""

from bisect import bisect_left
from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from itertools import islice
from math import gcd
from typing import Self

from perdure.core.recurrence import notation
from perdure.core.recurrence.notation import NUMBERS, Frequency
from perdure.core.recurrence.rule import HORIZON, BadRule, days, times_of

MOST_TIMES = 10_000
"""How many times COUNT may ask for."""
_WEEK = timedelta(days=7)
_YEARS = (1900, 2999)


_WITHIN_A_DAY = {Frequency.MINUTELY: 1, Frequency.HOURLY: 60}
"""In minutes."""
_MINUTES_OF_DAY = 24 * 60
_BY_MONTH = (Frequency.MONTHLY, Frequency.YEARLY)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecurrenceRule:
    """A rule of a calendar. What it does not say is as its first time has it."""

    first: datetime
    frequency: Frequency
    interval: int = 1
    count: int | None = None
    until: datetime | None = None
    months: frozenset[int] = frozenset()
    month_days: frozenset[int] = frozenset()
    """From the end of the month where negative."""
    week_days: tuple[tuple[int, int], ...] = ()
    """Which one of its month or year, or 0 for each; and the day, where 0 is Monday."""
    hours: tuple[int, ...] = ()
    minutes: tuple[int, ...] = ()
    second: int = 0
    positions: tuple[int, ...] = ()
    week_start: int = 0

    @property
    def every_hour(self) -> bool:
        return self.frequency in _WITHIN_A_DAY and not self.hours

    @classmethod
    def parse(cls, text: str, first: datetime) -> Self:
        """Read a rule, with or without `RRULE:` before it and a line `DTSTART:` of its own."""
        started, rule = notation.lines(text)
        first = started or first.replace(second=0, microsecond=0)
        if not _YEARS[0] <= first.year <= _YEARS[1]:
            raise BadRule(f"DTSTART is between the years {_YEARS[0]} and {_YEARS[1]}.")
        parts = notation.parts(rule)
        numbers = {name: notation.numbers(name, parts.pop(name, "")) for name in NUMBERS}
        if len(numbers["BYSECOND"]) > 1:
            raise BadRule("BYSECOND takes one value: nothing is due more often than once a minute.")
        read = cls(
            first=first,
            frequency=notation.frequency(parts.pop("FREQ", "")),
            interval=notation.positive("INTERVAL", parts.pop("INTERVAL", "1"), 1_000),
            count=notation.positive("COUNT", parts.pop("COUNT"), MOST_TIMES) if "COUNT" in parts else None,
            until=notation.moment("UNTIL", parts.pop("UNTIL")) if "UNTIL" in parts else None,
            months=frozenset(numbers["BYMONTH"]),
            month_days=frozenset(numbers["BYMONTHDAY"]),
            week_days=notation.week_days(parts.pop("BYDAY", "")),
            hours=numbers["BYHOUR"],
            minutes=numbers["BYMINUTE"],
            second=numbers["BYSECOND"][0] if numbers["BYSECOND"] else first.second,
            positions=numbers["BYSETPOS"],
            week_start=notation.week_start(parts.pop("WKST", "MO")),
        )
        if parts:
            raise BadRule(f"{min(parts)} is not known here.")
        return read._checked()

    def _checked(self) -> Self:
        if self.count is not None and self.until is not None:
            raise BadRule("A rule ends after COUNT times or at UNTIL, not both.")
        if any(place for place, _ in self.week_days) and self.frequency not in _BY_MONTH:
            raise BadRule("BYDAY takes a number only where FREQ is MONTHLY or YEARLY.")
        if self.positions and self.frequency in _WITHIN_A_DAY:
            raise BadRule("BYSETPOS chooses among days: FREQ is DAILY, WEEKLY, MONTHLY or YEARLY then.")
        return self

    def walls(self, start: datetime) -> Iterator[datetime]:
        if self.count is None:
            return self._all(max(start, self.first))
        counted = _counted(self)
        return islice(counted, bisect_left(counted, start), None)

    def _all(self, start: datetime) -> Iterator[datetime]:
        """Every time from `start` on that is not after the end."""
        found = self._within_days(start) if self.frequency in _WITHIN_A_DAY else self._by_period(start)
        for wall in found:
            if self.until is not None and wall > self.until:
                return
            if wall >= start:
                yield wall

    def _within_days(self, start: datetime) -> Iterator[datetime]:
        allowed = _minutes_of_day(self)
        for day in days(start.date()) if allowed else ():
            if self._on(day):
                for place in self._steps_of(day, allowed):
                    hour, minute = divmod(place, 60)
                    for each in self._minutes_of_hour(minute):
                        yield datetime.combine(day, time(hour, each, self.second))

    def _steps_of(self, day: date, allowed: Mapping[int, None]) -> Iterable[int]:
        """The minutes of a day that are whole steps after the first time, and allowed: whatever there is less of."""
        until_first = self._zero - (day - self.first.date()).days * _MINUTES_OF_DAY
        steps = range(until_first % self._step, _MINUTES_OF_DAY, self._step)
        if len(steps) < len(allowed):
            return [place for place in steps if place in allowed]
        return [place for place in allowed if (place - until_first) % self._step == 0]

    def _minutes_of_hour(self, minute: int) -> tuple[int, ...]:
        return (minute,) if self.frequency is Frequency.MINUTELY else self.minutes or (self.first.minute,)

    @property
    def _step(self) -> int:
        """How many minutes after one another."""
        return self.interval * _WITHIN_A_DAY[self.frequency]

    @property
    def _zero(self) -> int:
        """The minute of its day that steps are counted from."""
        return self.first.hour * 60 + (self.first.minute if self.frequency is Frequency.MINUTELY else 0)

    def _by_period(self, start: datetime) -> Iterator[datetime]:
        times = times_of(self.hours or (self.first.hour,), self.minutes or (self.first.minute,), self.second)
        for period in self._periods(start):
            walls = [datetime.combine(day, each) for day in period if self._on(day) for each in times]
            yield from _chosen(walls, self.positions) if self.positions else walls

    def _periods(self, start: datetime) -> Iterator[list[date]]:
        """The days of each period that counts: of a day, a week, a month or a year."""
        last = min(start.date() + HORIZON, date.max - timedelta(days=400))
        number = self._number(start.date()) // self.interval * self.interval
        while (period := self._days_of(number)) and period[0] <= last:
            yield period
            number += self.interval

    def _number(self, day: date) -> int:
        """How many periods after that of the first time a day is."""
        first = self.first.date()
        match self.frequency:
            case Frequency.YEARLY:
                return day.year - first.year
            case Frequency.MONTHLY:
                return (day.year - first.year) * 12 + day.month - first.month
            case Frequency.WEEKLY:
                return (self._monday(day) - self._monday(first)) // _WEEK
            case _:
                return (day - first).days

    def _days_of(self, number: int) -> list[date]:
        first = self.first.date()
        match self.frequency:
            case Frequency.YEARLY:
                begin, length = date(first.year + number, 1, 1), date(first.year + number, 12, 31).timetuple().tm_yday
            case Frequency.MONTHLY:
                year, month = divmod(first.year * 12 + first.month - 1 + number, 12)
                begin, length = date(year, month + 1, 1), monthrange(year, month + 1)[1]
            case Frequency.WEEKLY:
                begin, length = self._monday(first) + number * _WEEK, 7
            case _:
                begin, length = first + timedelta(days=number), 1
        return [begin + timedelta(days=place) for place in range(length)]

    def _monday(self, day: date) -> date:
        """The day that the week of this day begins with."""
        return day - timedelta(days=(day.weekday() - self.week_start) % 7)

    def _on(self, day: date) -> bool:
        if self.months and day.month not in self.months:
            return False
        if self.month_days and not self.month_days & {day.day, day.day - 1 - _length(day)}:
            return False
        if self.week_days:
            return any(day.weekday() == each and self._counts(place, day) for place, each in self.week_days)
        return bool(self.month_days) or self._as_first(day)

    def _counts(self, place: int, day: date) -> bool:
        """Whether it is that one of its month; of its year, where the rule is yearly and names no month."""
        if not place:
            return True
        yearly = self.frequency is Frequency.YEARLY and not self.months
        index = day.timetuple().tm_yday if yearly else day.day
        length = date(day.year, 12, 31).timetuple().tm_yday if yearly else _length(day)
        return place == ((index - 1) // 7 + 1 if place > 0 else -((length - index) // 7 + 1))

    def _as_first(self, day: date) -> bool:
        """Where no day is named, it is that of the first time."""
        match self.frequency:
            case Frequency.YEARLY:
                return day.day == self.first.day and (bool(self.months) or day.month == self.first.month)
            case Frequency.MONTHLY:
                return day.day == self.first.day
            case Frequency.WEEKLY:
                return day.weekday() == self.first.weekday()
            case _:
                return True


@lru_cache(maxsize=16)
def _counted(rule: RecurrenceRule) -> tuple[datetime, ...]:
    """All times of a rule that ends after some: which they are, only its beginning says."""
    return tuple(islice(rule._all(rule.first), rule.count))  # pyright: ignore[reportPrivateUsage]


@lru_cache(maxsize=256)
def _minutes_of_day(rule: RecurrenceRule) -> dict[int, None]:
    """The minutes of a day that a step of a rule within days can ever lead to, in their order; none where none can."""
    minutely = rule.frequency is Frequency.MINUTELY
    hours, minutes = rule.hours or range(24), (rule.minutes or range(60)) if minutely else (0,)
    step, zero = rule._step, rule._zero  # pyright: ignore[reportPrivateUsage]
    apart = gcd(step, _MINUTES_OF_DAY)
    places = (hour * 60 + minute for hour in hours for minute in minutes)
    return {place: None for place in places if (place - zero) % apart == 0}


def _length(day: date) -> int:
    return monthrange(day.year, day.month)[1]


def _chosen(walls: list[datetime], positions: tuple[int, ...]) -> list[datetime]:
    places = {place - 1 if place > 0 else len(walls) + place for place in positions}
    return [wall for place, wall in enumerate(walls) if place in places]
