"""How calendars write recurrence rules (RFC 5545): the parts of a rule, and what may stand in each."""

import re
from datetime import datetime
from enum import StrEnum

from perdure.core.recurrence.rule import BadRule

_WEEKDAYS = {name: number for number, name in enumerate(("MO", "TU", "WE", "TH", "FR", "SA", "SU"))}
_DAY = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
NUMBERS = {
    "BYMONTH": (1, 12),
    "BYMONTHDAY": (-31, 31),
    "BYHOUR": (0, 23),
    "BYMINUTE": (0, 59),
    "BYSECOND": (0, 59),
    "BYSETPOS": (-366, 366),
}


class Frequency(StrEnum):
    MINUTELY = "MINUTELY"
    HOURLY = "HOURLY"
    DAILY = "DAILY"
    WEEKLY = "WEEKLY"
    MONTHLY = "MONTHLY"
    YEARLY = "YEARLY"


def lines(text: str) -> tuple[datetime | None, str]:
    """The first time, where a rule names one, and the rule itself."""
    first, rule = None, ""
    for line in text.strip().upper().splitlines():
        name, separator, value = line.strip().rpartition(":")
        if separator and name.partition(";")[0] == "DTSTART":
            first = moment("DTSTART", value)
        elif not rule and name in ("", "RRULE"):
            rule = value
        else:
            raise BadRule("A rule is one line RRULE, and one line DTSTART before it if it needs one.")
    return first, rule


def parts(rule: str) -> dict[str, str]:
    """What a rule says, by its names."""
    found: dict[str, str] = {}
    for piece in rule.split(";"):
        name, separator, value = piece.partition("=")
        if not separator or not value or name in found:
            raise BadRule(f"The part {piece!r} of the rule is not valid.")
        found[name] = value
    return found


def frequency(text: str) -> Frequency:
    if text not in Frequency.__members__:
        raise BadRule(f"FREQ is one of {', '.join(Frequency)}.")
    return Frequency(text)


def positive(name: str, text: str, most: int) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= most:
        raise BadRule(f"{name} is a number from 1 to {most}.")
    return int(text)


def numbers(name: str, text: str) -> tuple[int, ...]:
    least, most = NUMBERS[name]
    found: set[int] = set()
    for piece in text.split(",") if text else ():
        value = int(piece) if re.fullmatch(r"[+-]?\d{1,3}", piece, re.ASCII) else most + 1
        if not least <= value <= most or (least < 0 and value == 0):
            raise BadRule(f"{name} takes numbers from {least} to {most}, not {piece!r}.")
        found.add(value)
    return tuple(sorted(found))


def week_days(text: str) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for piece in text.split(",") if text else ():
        match = _DAY.fullmatch(piece)
        if match is None or (match[1] and not 1 <= abs(int(match[1])) <= 53):
            raise BadRule(f"BYDAY takes days such as MO or 1FR, not {piece!r}.")
        found.append((int(match[1] or 0), _WEEKDAYS[match[2]]))
    return tuple(found)


def week_start(text: str) -> int:
    if text not in _WEEKDAYS:
        raise BadRule(f"WKST is a day such as MO, not {text!r}.")
    return _WEEKDAYS[text]


def moment(name: str, text: str) -> datetime:
    try:
        if len(text) == len("20270131"):
            # A day alone: all of it counts.
            text += "T235959" if name == "UNTIL" else "T000000"
        return datetime.strptime(text, "%Y%m%dT%H%M%S")  # noqa: DTZ007 - a time of the wall clock
    except ValueError:
        raise BadRule(f"{name} is a time of the wall clock, such as 20270131T090000.") from None
