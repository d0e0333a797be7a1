"""The place for guessing why a text was not found, in at most five lines."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from perdure.workspaces.agent.lines import split

SHOWN_LINES = 3
SHOWN_CHARACTERS = 160
COMPARED_LINES = 4000
LIKENESS = 0.6


def near_miss(text: str, old: str, new: str) -> str:
    """What to tell someone whose old text is not in the file."""
    for guess in (_spacing, _repetition):
        hint = guess(text, old)
        if hint:
            return hint
    if len(new.strip()) > 1 and new in text:
        return (
            "old_text was not found, but new_text is already in the file: the edit was made before, "
            "or old_text and new_text are swapped; read the file"
        )
    return _closest(text, old) or "old_text was not found; read the file and copy the text exactly"


def _spacing(text: str, old: str) -> str:
    return _squeezed(text, old, r"\s+", "", "in its spacing or line breaks")


def _repetition(text: str, old: str) -> str:
    return _squeezed(text, old, r"(\S)\1+", r"\1", "in how often a character is repeated")


def _squeezed(text: str, old: str, pattern: str, by: str, difference: str) -> str:
    """Where old text would be found if a pattern did not count: the lines there, as they are in the file."""
    wanted = re.sub(pattern, by, old.strip())
    if len(wanted) < 2:
        return ""
    lines = text.split("\n")
    pieces = [re.sub(pattern, by, line) for line in lines]
    whole = "\n".join(pieces) if by else "".join(pieces)
    start = whole.find(wanted)
    if start < 0:
        return ""
    first = _line_at(pieces, start, 1 if by else 0)
    last = _line_at(pieces, start + len(wanted) - 1, 1 if by else 0)
    return _shown(f"old_text was not found; the file differs {difference} here, copy it from", lines, first, last)


def _line_at(pieces: list[str], position: int, separator: int) -> int:
    end = 0
    for number, piece in enumerate(pieces):
        end += len(piece) + separator
        if position < end:
            return number
    return len(pieces) - 1


def _closest(text: str, old: str) -> str:
    wanted = next((line.body for line in split(old) if not line.blank), "")
    best, place = LIKENESS, -1
    matcher = SequenceMatcher(None, b=wanted[:SHOWN_CHARACTERS], autojunk=False)
    lines = text.split("\n")
    for number, line in enumerate(lines[:COMPARED_LINES]):
        matcher.set_seq1(line.strip()[:SHOWN_CHARACTERS])
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and matcher.ratio() > best:
            best, place = matcher.ratio(), number
    if place < 0:
        return ""
    return _shown("old_text was not found; the closest line is", lines, place, place)


def _shown(sentence: str, lines: list[str], first: int, last: int) -> str:
    shown = lines[first : min(last + 1, first + SHOWN_LINES)]
    numbered = [f"{first + index + 1}\t{line.rstrip()[:SHOWN_CHARACTERS]}" for index, line in enumerate(shown)]
    rest = ["…"] if last - first + 1 > SHOWN_LINES else []
    return "\n".join([f"{sentence} line {first + 1}:", *numbered, *rest])
