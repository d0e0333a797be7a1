"""Cron lines: minute, hour, day of the month, month, day of the week."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Self

from perdure.core.recurrence.rule import BadRule, days, times_of

_MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6,
    "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
_DAYS = {"sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6}
_SHORT = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_PIECE = re.compile(r"(\*|[a-z]{3}|\d{1,2})(?:-([a-z]{3}|\d{1,2}))?(?:/(\d{1,3}))?")


@dataclass(frozen=True, slots=True)
class _Field:
    title: str
    first: int
    last: int
    names: dict[str, int]

    def read(self, text: str) -> tuple[int, ...]:
        """All values that a field means, in their order."""
        found = {value for piece in text.split(",") for value in self._piece(piece)}
        return tuple(sorted(found))

    def _piece(self, text: str) -> range:
        match = _PIECE.fullmatch(text.replace("?", "*"))
        if match is None:
            raise BadRule(f"The {self.title} {text!r} is not valid.")
        low, high, step = match.groups()
        first = self.first if low == "*" else self._value(low)
        # A step after a single value goes on to the end.
        last = self._value(high) if high else self.last if low == "*" or step else first
        if first > last or step == "0" or (low == "*" and high):
            raise BadRule(f"The {self.title} {text!r} is not valid.")
        return range(first, last + 1, int(step or 1))

    def _value(self, text: str) -> int:
        value = self.names.get(text, -1) if text.isalpha() else int(text)
        if not self.first <= value <= self.last:
            raise BadRule(f"There is no {self.title} {text!r}: it goes from {self.first} to {self.last}.")
        return value


_FIELDS = (
    _Field("minute", 0, 59, {}),
    _Field("hour", 0, 23, {}),
    _Field("day of the month", 1, 31, {}),
    _Field("month", 1, 12, _MONTHS),
    _Field("day of the week", 0, 7, _DAYS),
)


@dataclass(frozen=True, slots=True)
class Cron:
    """A cron line. Where both days are restricted, either of them is enough, as cron has always had it."""

    times: tuple[time, ...]
    month_days: frozenset[int]
    months: frozenset[int]
    week_days: frozenset[int]
    """0 is Sunday."""
    either: bool
    every_hour: bool

    @classmethod
    def parse(cls, text: str) -> Self:
        texts = _SHORT.get(text.strip().lower(), text).lower().split()
        if len(texts) != len(_FIELDS):
            raise BadRule(f"A cron line has {len(_FIELDS)} fields, such as `0 9 * * 1-5`; this one has {len(texts)}.")
        fields = zip(_FIELDS, texts, strict=True)
        minutes, hours, month_days, months, week_days = (field.read(each) for field, each in fields)
        return cls(
            times=times_of(hours, minutes),
            month_days=frozenset(month_days),
            months=frozenset(months),
            week_days=frozenset(day % 7 for day in week_days),
            either=not any(texts[place].startswith(("*", "?")) for place in (2, 4)),
            every_hour=texts[1].startswith("*"),
        )

    def walls(self, start: datetime) -> Iterator[datetime]:
        for day in days(start.date()):
            if self._on(day):
                for each in self.times:
                    wall = datetime.combine(day, each)
                    if wall >= start:
                        yield wall

    def _on(self, day: date) -> bool:
        if day.month not in self.months:
            return False
        in_month, in_week = day.day in self.month_days, day.isoweekday() % 7 in self.week_days
        return in_month or in_week if self.either else in_month and in_week
