"""Recurrence rules as calendars write them (RFC 5545): from a first time on, how often, on which days, and when."""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from itertools import islice
from typing import Self

from perdure.core.recurrence.rule import HORIZON, BadRule, days, times_of

MOST_TIMES = 10_000
"""How many times COUNT may ask for."""
_WEEKDAYS = {name: number for number, name in enumerate(("MO", "TU", "WE", "TH", "FR", "SA", "SU"))}
_DAY = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_WEEK = timedelta(days=7)


class Frequency(StrEnum):
    MINUTELY = "MINUTELY"
    HOURLY = "HOURLY"
    DAILY = "DAILY"
    WEEKLY = "WEEKLY"
    MONTHLY = "MONTHLY"
    YEARLY = "YEARLY"


_WITHIN_A_DAY = {Frequency.MINUTELY: timedelta(minutes=1), Frequency.HOURLY: timedelta(hours=1)}
_BY_MONTH = (Frequency.MONTHLY, Frequency.YEARLY)
_NUMBERS = {
    "BYMONTH": (1, 12),
    "BYMONTHDAY": (-31, 31),
    "BYHOUR": (0, 23),
    "BYMINUTE": (0, 59),
    "BYSECOND": (0, 59),
    "BYSETPOS": (-366, 366),
}


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
        started, rule = _lines(text)
        first = started or first.replace(second=0, microsecond=0)
        parts = _parts(rule)
        numbers = {name: _numbers(name, parts.pop(name, "")) for name in _NUMBERS}
        if len(numbers["BYSECOND"]) > 1:
            raise BadRule("BYSECOND takes one value: nothing is due more often than once a minute.")
        read = cls(
            first=first,
            frequency=_frequency(parts.pop("FREQ", "")),
            interval=_positive("INTERVAL", parts.pop("INTERVAL", "1"), 1_000),
            count=_positive("COUNT", parts.pop("COUNT"), MOST_TIMES) if "COUNT" in parts else None,
            until=_moment("UNTIL", parts.pop("UNTIL")) if "UNTIL" in parts else None,
            months=frozenset(numbers["BYMONTH"]),
            month_days=frozenset(numbers["BYMONTHDAY"]),
            week_days=_week_days(parts.pop("BYDAY", "")),
            hours=numbers["BYHOUR"],
            minutes=numbers["BYMINUTE"],
            second=numbers["BYSECOND"][0] if numbers["BYSECOND"] else first.second,
            positions=numbers["BYSETPOS"],
            week_start=_WEEKDAYS.get(parts.pop("WKST", "MO"), 0),
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
        if self.count is not None:
            yield from (wall for wall in islice(self._all(self.first), self.count) if wall >= start)
        else:
            yield from self._all(max(start, self.first))

    def _all(self, start: datetime) -> Iterator[datetime]:
        """Every time from `start` on that is not after the end."""
        found = self._within_days(start) if self.frequency in _WITHIN_A_DAY else self._by_period(start)
        for wall in found:
            if self.until is not None and wall > self.until:
                return
            if wall >= start:
                yield wall

    def _within_days(self, start: datetime) -> Iterator[datetime]:
        step = self.interval * _WITHIN_A_DAY[self.frequency]
        for day in days(start.date()):
            if self._on(day):
                yield from self._of_day(day, step)

    def _of_day(self, day: date, step: timedelta) -> Iterator[datetime]:
        """The times of a day that are whole steps after the first time."""
        begin = datetime.combine(day, time())
        period = _WITHIN_A_DAY[self.frequency]
        zero = self.first.replace(second=0)
        if self.frequency is Frequency.HOURLY:
            zero = zero.replace(minute=0)
        current = begin + (zero - begin) % step
        while current.date() == day:
            minutes = (current.minute,) if period < timedelta(hours=1) else self.minutes or (self.first.minute,)
            if not self.hours or current.hour in self.hours:
                for minute in minutes:
                    if period >= timedelta(hours=1) or not self.minutes or minute in self.minutes:
                        yield current.replace(minute=minute, second=self.second)
            current += step

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


def _length(day: date) -> int:
    return monthrange(day.year, day.month)[1]


def _chosen(walls: list[datetime], positions: tuple[int, ...]) -> list[datetime]:
    places = {place - 1 if place > 0 else len(walls) + place for place in positions}
    return [wall for place, wall in enumerate(walls) if place in places]


def _lines(text: str) -> tuple[datetime | None, str]:
    first, rule = None, ""
    for line in text.strip().upper().splitlines():
        name, separator, value = line.strip().rpartition(":")
        if separator and name.partition(";")[0] == "DTSTART":
            first = _moment("DTSTART", value)
        elif not rule and name in ("", "RRULE"):
            rule = value
        else:
            raise BadRule("A rule is one line RRULE, and one line DTSTART before it if it needs one.")
    return first, rule


def _parts(rule: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for piece in rule.split(";"):
        name, separator, value = piece.partition("=")
        if not separator or not value or name in parts:
            raise BadRule(f"The part {piece!r} of the rule means nothing.")
        parts[name] = value
    return parts


def _frequency(text: str) -> Frequency:
    if text not in Frequency.__members__:
        raise BadRule(f"FREQ is one of {', '.join(Frequency)}.")
    return Frequency(text)


def _positive(name: str, text: str, most: int) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= most:
        raise BadRule(f"{name} is a number from 1 to {most}.")
    return int(text)


def _numbers(name: str, text: str) -> tuple[int, ...]:
    least, most = _NUMBERS[name]
    found: set[int] = set()
    for piece in text.split(",") if text else ():
        value = int(piece) if re.fullmatch(r"[+-]?\d{1,3}", piece, re.ASCII) else most + 1
        if not least <= value <= most or (least < 0 and value == 0):
            raise BadRule(f"{name} takes numbers from {least} to {most}, not {piece!r}.")
        found.add(value)
    return tuple(sorted(found))


def _week_days(text: str) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for piece in text.split(",") if text else ():
        match = _DAY.fullmatch(piece)
        if match is None or (match[1] and not 1 <= abs(int(match[1])) <= 53):
            raise BadRule(f"BYDAY takes days such as MO or 1FR, not {piece!r}.")
        found.append((int(match[1] or 0), _WEEKDAYS[match[2]]))
    return tuple(found)


def _moment(name: str, text: str) -> datetime:
    try:
        if len(text) == len("20270131"):
            # A day alone: all of it counts.
            text += "T235959" if name == "UNTIL" else "T000000"
        return datetime.strptime(text, "%Y%m%dT%H%M%S")  # noqa: DTZ007 - a time of the wall clock
    except ValueError:
        raise BadRule(f"{name} is a time of the wall clock, such as 20270131T090000.") from None
