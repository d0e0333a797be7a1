"""Days as questions name them, as moments."""

from datetime import UTC, date, datetime, time, timedelta

# There is no day after the last one that dates know.
_LAST = date.max - timedelta(days=1)


def midnight(day: date) -> datetime:
    """When a day begins."""
    return datetime.combine(day, time(), UTC)


def midnight_after(day: date) -> datetime:
    """When a day is over."""
    return midnight(min(day, _LAST)) + timedelta(days=1)
