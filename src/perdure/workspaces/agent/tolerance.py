"""The place for replacing lines that match only when blanks are ignored: whose bytes win, and how new lines indent."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import NamedTuple

from perdure.workspaces.agent.lines import Line, dominant_ending, indent_unit, split, width

TAB_COLUMNS = 4


class Habits(NamedTuple):
    """How a file writes its indentation and its line endings."""

    unit: str
    ending: str

    @classmethod
    def of(cls, text: str) -> Habits:
        return cls(indent_unit(split(text)), dominant_ending(text))


class Pair(NamedTuple):
    """A line of the new text, and the number of the old line it descends from, if any."""

    new: Line
    old: int | None


def weave(found: list[Line], old: list[Line], new: list[Line], habits: Habits) -> list[Line]:
    """The new lines in the file's own style.

    `found` are the file's lines, one for each old line. Where old and new agree (indentation, trailing blanks, ending)
    the file's bytes win; where they differ the new text's do, shifted with the file when the whole block stands at
    another depth there.
    """
    unit = indent_unit(old + new)
    woven: list[Line] = []
    anchor = next(iter(zip(old, found)))
    reference = (anchor[0].indent, anchor[1].indent)
    for pair in _pairs(old, new):
        line = (
            _insert(pair.new, reference, unit, habits)
            if pair.old is None
            else _descend(pair.new, old[pair.old], found[pair.old], reference, unit, habits)
        )
        woven.append(line)
        if not pair.new.blank:
            reference = (pair.new.indent, line.indent)
    return _keep_open_end(woven, old, new, found, habits)


def _pairs(old: list[Line], new: list[Line]) -> list[Pair]:
    matcher = SequenceMatcher(None, [line.body for line in old], [line.body for line in new], autojunk=False)
    pairs: list[Pair] = []
    for _, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        for offset in range(new_end - new_start):
            ancestor = old_start + offset
            pairs.append(Pair(new[new_start + offset], ancestor if ancestor < old_end else None))
    return pairs


def _descend(new: Line, old: Line, found: Line, reference: tuple[str, str], unit: str, habits: Habits) -> Line:
    if new.blank or old.blank:
        indent = new.indent if new.blank else _insert(new, reference, unit, habits).indent
    elif new.indent == old.indent:
        indent = found.indent
    elif old.indent == found.indent:
        indent = new.indent
    else:
        indent = _shift(new.indent, (old.indent, found.indent), unit, habits.unit)
    trail = found.trail if new.trail == old.trail else new.trail
    ending = found.ending if new.ending == old.ending else (habits.ending if new.ending else "")
    return Line(indent, new.body, trail, ending)


def _insert(new: Line, reference: tuple[str, str], unit: str, habits: Habits) -> Line:
    indent = new.indent if new.blank else _shift(new.indent, reference, unit, habits.unit)
    return Line(indent, new.body, new.trail, habits.ending if new.ending else "")


def _shift(indent: str, reference: tuple[str, str], unit: str, file_unit: str) -> str:
    """An indentation of the new text, told relative to a line whose place in the file is known."""
    written, actual = reference
    if written == actual and not _foreign(indent, file_unit):
        return indent
    if not unit and not file_unit:
        return actual if indent == written else indent
    columns = width(unit, TAB_COLUMNS) or TAB_COLUMNS
    difference = width(indent, TAB_COLUMNS) - width(written, TAB_COLUMNS)
    levels, rest = divmod(abs(difference), columns)
    step = (file_unit or unit or " " * TAB_COLUMNS) * levels + " " * rest
    if difference >= 0:
        return actual + step
    return actual[: max(0, len(actual) - len(step))]


def _foreign(indent: str, file_unit: str) -> bool:
    return ("\t" in file_unit and " " in indent) or (bool(file_unit.strip("\t")) and "\t" in indent)


def _keep_open_end(
    woven: list[Line], old: list[Line], new: list[Line], found: list[Line], habits: Habits
) -> list[Line]:
    """A file without a final newline keeps none, and a line that was last gets an ending when others follow it."""
    if not woven:
        return woven
    closed = [line if line.ending else line._replace(ending=habits.ending) for line in woven[:-1]]
    last = woven[-1]
    if bool(old[-1].ending) == bool(new[-1].ending):
        last = last._replace(ending=found[-1].ending)
    return [*closed, last]
