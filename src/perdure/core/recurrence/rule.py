"""What every rule can say: at which times of the wall clock it is due."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Protocol

HORIZON = timedelta(days=30 * 366)
"""How far ahead anybody looks: a rule that names no time until then names none."""


class BadRule(ValueError):
    """A rule that means nothing. The text says what is wrong with it."""


class Rule(Protocol):
    """Times of the wall clock, wherever that hangs."""

    @property
    def every_hour(self) -> bool:
        """Whether it goes through all hours of a day: then an hour that occurs twice counts twice."""
        ...

    def walls(self, start: datetime) -> Iterator[datetime]:
        """The times from `start` on, which is without a zone, in their order."""
        ...


def days(start: date) -> Iterator[date]:
    """All days from here to the horizon."""
    day, last = start.toordinal(), min((date.max - timedelta(days=1)).toordinal(), start.toordinal() + HORIZON.days)
    while day <= last:
        yield date.fromordinal(day)
        day += 1


def times_of(hours: tuple[int, ...], minutes: tuple[int, ...], second: int = 0) -> tuple[time, ...]:
    return tuple(time(hour, minute, second) for hour in hours for minute in minutes)
