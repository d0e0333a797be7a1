"""The place for text as lines: cut without loss into indentation, body, blanks and ends, and shifted by columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

BLANKS = " \t"


class Line(NamedTuple):
    """One line in four pieces that join back to the same characters."""

    indent: str
    body: str
    trail: str
    ending: str

    @property
    def text(self) -> str:
        return self.indent + self.body + self.trail + self.ending

    @property
    def blank(self) -> bool:
        return not self.body


def split(text: str) -> list[Line]:
    """Cut at LF and CRLF only; a lone CR, a form feed or U+2028 is content, as it is for editors."""
    return [line_of(raw) for raw in raw_lines(text)]


def raw_lines(text: str) -> list[str]:
    """The lines with their endings; the last may have none."""
    pieces = text.split("\n")
    last = pieces.pop()
    lines = [piece + "\n" for piece in pieces]
    return [*lines, last] if last else lines


def contents(text: str) -> list[str]:
    """The lines without their endings."""
    *lines, last = text.split("\n")
    bare = [line.removesuffix("\r") for line in lines]
    return [*bare, last] if last else bare


def line_of(raw: str) -> Line:
    content, ending = _ending(raw)
    body = content.strip(BLANKS)
    if not body:
        return Line("", "", content, ending)
    start = len(content) - len(content.lstrip(BLANKS))
    return Line(content[:start], body, content[start + len(body) :], ending)


def _ending(raw: str) -> tuple[str, str]:
    if raw.endswith("\r\n"):
        return raw[:-2], "\r\n"
    return (raw[:-1], "\n") if raw.endswith("\n") else (raw, "")


def join(lines: list[Line]) -> str:
    return "".join(line.text for line in lines)


def endings(text: str) -> frozenset[str]:
    """Which endings occur in a text."""
    crlf = text.count("\r\n")
    found: set[str] = {"\r\n"} if crlf else set()
    if text.count("\n") > crlf:
        found.add("\n")
    return frozenset(found)


def dominant_ending(text: str) -> str:
    """CRLF only where it is the majority."""
    crlf = text.count("\r\n")
    return "\r\n" if crlf > text.count("\n") - crlf else "\n"


TAB = 4
ALIGNMENT = 1
"""A step of so many columns is no level: it lines something up, as ` *` does in a comment."""


def columns(indent: str) -> int:
    """Where the text behind an indentation begins. A tab reaches to the next stop."""
    return len(indent.expandtabs(TAB))


def depths(lines: Iterable[Line]) -> list[int]:
    """The columns of every line that is not blank."""
    return [columns(line.indent) for line in lines if not line.blank]


def tabbed(lines: Iterable[Line]) -> bool | None:
    """Whether a text indents with tabs; nothing where it does not indent."""
    marks = Counter(line.indent[0] for line in lines if line.indent)
    return marks["\t"] >= marks[" "] if marks else None


def level(found: Sequence[int]) -> int | None:
    """How many columns a level takes: the most frequent step inwards, or a step outwards that parts it evenly."""
    moves = [after - before for before, after in zip(found, found[1:])]
    inwards = Counter(step for step in moves if step > ALIGNMENT)
    if not inwards:
        return None
    usual = min(inwards, key=lambda step: (-inwards[step], step))
    return min((-step for step in moves if step < -ALIGNMENT and usual % step == 0), default=usual)


class IndentStyle(NamedTuple):
    """How a text writes its depths: with tabs or with spaces, and so many columns to a level."""

    tabs: bool
    level: int

    def write(self, depth: int, wish: str) -> str:
        """An indentation of so many columns: as wished where the wish is so deep and in this style."""
        foreign = wish.startswith(" ") if self.tabs else "\t" in wish
        if columns(wish) == depth and not foreign:
            return wish
        return "\t" * (depth // TAB) + " " * (depth % TAB) if self.tabs else " " * depth

    def depth(self, found: int, level: int) -> int:
        """So many columns of a text with another level in this text's: what is over never makes a level more."""
        levels, rest = divmod(found, level)
        return levels * self.level + min(rest, self.level - 1)
