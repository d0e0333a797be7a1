"""The place for how far lines stand in: columns, what a level is in a text, and one text's depths told in another's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from perdure.workspaces.agent.lines import Line

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
    """How many columns a level takes: the most frequent step inwards. Nothing where no line stands further in."""
    steps = Counter(after - before for before, after in zip(found, found[1:]) if after - before > ALIGNMENT)
    return min(steps, key=lambda step: (-steps[step], step)) if steps else None


class Habit(NamedTuple):
    """How a text writes its depths: with tabs or with spaces, and so many columns to a level."""

    tabs: bool
    level: int

    def write(self, depth: int, wish: str) -> str:
        """An indentation of so many columns: as wished where the wish is so deep and in this habit."""
        foreign = wish.startswith(" ") if self.tabs else "\t" in wish
        if columns(wish) == depth and not foreign:
            return wish
        return "\t" * (depth // TAB) + " " * (depth % TAB) if self.tabs else " " * depth

    def depth(self, found: int, level: int) -> int:
        """So many columns of a text with another level in this text's: what is over never makes a level more."""
        levels, rest = divmod(found, level)
        return levels * self.level + min(rest, self.level - 1)
