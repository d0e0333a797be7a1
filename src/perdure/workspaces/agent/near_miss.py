"""The place for guessing why a text was not found, in at most five lines and in bounded time."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Callable, NamedTuple

from perdure.workspaces.agent.lines import split

SHOWN_LINES = 3
SHOWN_CHARACTERS = 160
SEARCHED_CHARACTERS = 256 * 1024
QUOTED_CHARACTERS = 16 * 1024
"""Guesses are made about the beginning of a long file and of a long quotation only."""
COMPARED_LINES = 4000
CANDIDATES = 100
RULE = 3
"""So many of one character in a row are drawn, not written: how long they are is no matter of spacing."""
LIKENESS = 0.6
REPEATED = re.compile(r"(\S)(?=\1)")


class Guess(NamedTuple):
    """One way in which a text may differ from what was quoted: what is left of it when that does not count."""

    difference: str
    reduced: Callable[[str], str]
    lines_count: bool


def _without_spacing(text: str) -> str:
    return "".join(text.split())


def _without_repetition(text: str) -> str:
    return REPEATED.sub("", text)


def _without_either(text: str) -> str:
    return _without_repetition(_without_spacing(text))


GUESSES = (
    Guess("in its spacing or line breaks", _without_spacing, False),
    Guess("in how often a character is repeated", _without_repetition, True),
    Guess("in upper and lower case", str.casefold, True),
    Guess("in how often a character is repeated, and in its spacing", _without_either, False),
)


def near_miss(text: str, old: str, new: str) -> str:
    """What to tell someone whose old text is not in the file."""
    searched, begun = text[:SEARCHED_CHARACTERS], _begun(text, old)
    lines, quoted = searched.split("\n"), old[begun : begun + QUOTED_CHARACTERS]
    # A part of the old text may well be there, only not behind the rest.
    for guess in () if quoted != old and quoted in searched else GUESSES:
        wanted = guess.reduced(quoted.strip())
        place = _place(lines, quoted, wanted, guess) if len(wanted) > 1 and wanted in guess.reduced(searched) else None
        if place is not None:
            return _shown(
                f"old_text was not found; the file differs {guess.difference} here, copy it from", lines, place
            )
    if len(new.strip()) > 1 and new in text:
        return (
            "old_text was not found, but new_text is already in the file: the edit was made before, "
            "or old_text and new_text are swapped; read the file"
        )
    return (
        _closest(lines, quoted, old[:begun].count("\n"))
        or "old_text was not found; read the file and copy the text exactly"
    )


def _begun(text: str, old: str) -> int:
    """How much of a long old text the file has as it is, in whole lines: what differs comes after it."""
    if len(old) <= QUOTED_CHARACTERS:
        return 0
    ends = [0, *accumulate(len(line) + 1 for line in old.split("\n")[:-1])]
    there, beyond = 0, len(ends)
    while beyond - there > 1:
        middle = (there + beyond) // 2
        there, beyond = (middle, beyond) if old[: ends[middle]] in text else (there, middle)
    return ends[there]


def _place(lines: list[str], old: str, wanted: str, guess: Guess) -> range | None:
    """Which lines the old text would be, if the guess is right."""
    separator = "\n" if guess.lines_count else ""
    pieces = [guess.reduced(line) for line in lines]
    whole = separator.join(pieces)
    ends = list(accumulate(len(piece) + len(separator) for piece in pieces))
    for start in _candidates(whole, wanted):
        end = start + len(wanted)
        first, last = bisect_right(ends, start), bisect_right(ends, end - 1)
        whole_line = not old.rstrip(" \t").endswith("\n") or end == ends[last] - len(separator)
        if whole_line and not _inside_a_rule(whole, wanted, start):
            return range(first, last + 1)
    return None


def _candidates(whole: str, wanted: str) -> Iterator[int]:
    start = -1
    for _ in range(CANDIDATES):
        start = whole.find(wanted, start + 1)
        if start < 0:
            return
        yield start


def _inside_a_rule(whole: str, wanted: str, start: int) -> bool:
    """Whether the text goes on with the very character that it begins or ends with many of, as a line of `=` does."""
    before, after = whole[max(0, start - 1) : start], whole[start + len(wanted) : start + len(wanted) + 1]
    return (bool(after) and wanted.endswith(after * RULE)) or (bool(before) and wanted.startswith(before * RULE))


def _closest(lines: list[str], old: str, skipped: int) -> str:
    """The line most like the first old one that the file does not have, where so many lines of it are not looked at."""
    known = {line.strip() for line in lines}
    quoted = [(number, line.body) for number, line in enumerate(split(old), skipped + 1) if not line.blank]
    missing = next(((number, body) for number, body in quoted if body.strip() not in known), None)
    if missing is None:
        return (
            "old_text was not found, but each of its lines is in the file: other lines are between them; read the file"
        )
    number, body = missing
    wanted = _pairs(body)
    likeness = [_likeness(_pairs(line.strip()), wanted) for line in lines[:COMPARED_LINES]]
    best = max(range(len(likeness)), key=likeness.__getitem__)
    which = f"its line {number} is not in the file" if skipped or len(quoted) > 1 else ""
    if likeness[best] < LIKENESS:
        return f"old_text was not found; {which}; read the file and copy the text exactly" if which else ""
    where = f"{which}, where " if which else ""
    return _shown(f"old_text was not found; {where}the closest line is", lines, range(best, best + 1))


def _likeness(one: set[str], other: set[str]) -> float:
    """How much two lines share, from 0 to 1."""
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def _pairs(text: str) -> set[str]:
    """The pairs of neighbouring characters of a line."""
    shown = text[:SHOWN_CHARACTERS]
    return {first + second for first, second in zip(shown, shown[1:])}


def _shown(sentence: str, lines: list[str], place: range) -> str:
    shown = [lines[number] for number in place[:SHOWN_LINES]]
    numbered = [f"{place[0] + index}\t{line.rstrip()[:SHOWN_CHARACTERS]}" for index, line in enumerate(shown, 1)]
    rest = ["…"] if len(place) > SHOWN_LINES else []
    return "\n".join([f"{sentence} line {place[0] + 1}:", *numbered, *rest])
