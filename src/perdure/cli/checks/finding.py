"""What a check found: how bad it is, and what to do about it."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    GOOD = "good"
    OFF = "off"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. `OFF` means that something works less well, `BAD` that it does not work."""

    verdict: Verdict
    subject: str
    detail: str
    remedy: str = ""


def good(subject: str, detail: str) -> Finding:
    return Finding(Verdict.GOOD, subject, detail)


def off(subject: str, detail: str, remedy: str) -> Finding:
    return Finding(Verdict.OFF, subject, detail, remedy)


def bad(subject: str, detail: str, remedy: str) -> Finding:
    return Finding(Verdict.BAD, subject, detail, remedy)
