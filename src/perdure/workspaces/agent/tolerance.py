"""The place for putting new lines where old ones matched only because blanks were ignored.

Three texts meet: `found` are the file's lines, `old` is how they were quoted, `new` is what shall stand there. A new
line *comes from* an old one where the two have the same body, or the same place between lines that do.

| of a new line | where | it gets |
|---|---|---|
| indentation | it stands where its old line stands | its found line's |
| | the old text has this depth elsewhere | what that depth is in the file |
| | the old text has no such depth | counted in levels from the next one below it |
| | the new text stands where the file does, not where the old text does | what it says: it was right |
| trailing blanks | as its old line has them | its found line's |
| | otherwise, or the line becomes blank or was | its own |
| ending | as its old line has it | its found line's |
| | otherwise | what most lines of the file have |

Depths are compared in columns of the file: levels of the quoted texts are told in the file's levels, and written with
the file's tabs or spaces. `docs/architecture/edits.md` has examples.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from perdure.workspaces.agent.alignment import align
from perdure.workspaces.agent.lines import TAB, Habit, Line, columns, depths, level, tabbed


class FileHabits(NamedTuple):
    """How the whole file writes its indentation, as far as it has any, and its line endings."""

    tabs: bool | None
    level: int | None
    ending: str


class Quoted(NamedTuple):
    """The two texts of an edit, and for each new line the old one it comes from, if any."""

    old: list[Line]
    new: list[Line]
    origins: list[int | None]

    @classmethod
    def of(cls, old: list[Line], new: list[Line]) -> Quoted:
        origins: list[int | None] = []
        position = 0
        runs = align([line.body for line in old], [line.body for line in new])
        for start, place, size in [*runs, (len(old), len(new), 0)]:
            between = place - len(origins)
            origins += [position + offset if position + offset < start else None for offset in range(between)]
            origins += range(start, start + size)
            position = start + size
        return cls(old, new, origins)

    @property
    def step(self) -> int | None:
        """How many spaces the quoted texts take to a level, as far as they show it."""
        steps = [level(depths(text)) for text in (self.old, self.new) if not tabbed(text)]
        return next((step for step in steps if step), None)


def weave(found: list[Line], quoted: Quoted, file: FileHabits) -> list[Line]:
    """The new lines in the file's own style, where `found` are the file's lines, one for each old line."""
    indents = _Indents(found, quoted, file)
    woven: list[Line] = []
    for new, origin in zip(quoted.new, quoted.origins):
        indent = "" if new.blank else indents.of(new, origin)
        if origin is None:
            woven.append(Line(indent, new.body, new.trail, file.ending if new.ending else ""))
        else:
            trail, ending = _ends(new, quoted.old[origin], found[origin], file)
            woven.append(Line(indent, new.body, trail, ending))
    return _with_its_end(woven, found, quoted, file)


def _ends(new: Line, old: Line, found: Line, file: FileHabits) -> tuple[str, str]:
    same_kind = new.blank == old.blank
    trail = found.trail if same_kind and new.trail == old.trail else new.trail
    ending = found.ending if new.ending == old.ending else (file.ending if new.ending else "")
    return trail, ending


def _with_its_end(woven: list[Line], found: list[Line], quoted: Quoted, file: FileHabits) -> list[Line]:
    """A file without a final newline keeps none, and a line that was last gets an ending when others follow it."""
    if not woven:
        return woven
    inner = [line if line.ending else line._replace(ending=file.ending) for line in woven[:-1]]
    last = woven[-1]
    if bool(quoted.old[-1].ending) == bool(quoted.new[-1].ending):
        last = last._replace(ending=found[-1].ending)
    return [*inner, last]


class _Indents:
    """Which indentation of the file a depth of the new text means."""

    def __init__(self, found: list[Line], quoted: Quoted, file: FileHabits) -> None:
        self._found = found
        self._here = _habit_at(found, quoted, file)
        old_level, self._new_level = _levels(found, quoted, self._here)
        self._stands = [not line.blank for line in found]
        in_file = [columns(line.indent) for line in found]
        in_old = [self._here.depth(columns(line.indent), old_level) for line in quoted.old]
        self._written = in_file if self._is_right(quoted.new, in_file, in_old) else in_old
        # Where the same depth means two things, the line that was passed last tells; before any, the first.
        places = list(zip(self._written, found, self._stands))
        self._meant = {depth: line.indent for depth, line, stands in reversed(places) if stands}
        self._depths = sorted(self._meant)

    def of(self, new: Line, origin: int | None) -> str:
        depth = self._depth(new)
        if origin is not None and self._stands[origin]:
            self._meant[self._written[origin]] = self._found[origin].indent
        if depth in self._meant:
            return self._meant[depth]
        below = self._depths[max(0, bisect_right(self._depths, depth) - 1)]
        return self._here.write(max(0, columns(self._meant[below]) + depth - below), new.indent)

    def _depth(self, new: Line) -> int:
        return self._here.depth(columns(new.indent), self._new_level)

    def _is_right(self, new: list[Line], in_file: list[int], in_old: list[int]) -> bool:
        """Whether the new text stands where the file does: its first line tells, or the first that can."""
        wanted = [self._depth(line) for line in new if not line.blank]
        actual, quoted = ([depth for depth, stands in zip(each, self._stands) if stands] for each in (in_file, in_old))
        if wanted and actual[0] != quoted[0] and wanted[0] in (actual[0], quoted[0]):
            return wanted[0] == actual[0]
        telling = set(actual) ^ set(quoted)
        return next((depth in actual for depth in wanted if depth in telling), False)


def _habit_at(found: list[Line], quoted: Quoted, file: FileHabits) -> Habit:
    """How the file indents at this place; where neither the place nor the file tells, as the quoted texts do."""
    kinds = (tabbed(found), file.tabs, tabbed(quoted.new))
    tabs = next((kind for kind in kinds if kind is not None), False)
    return Habit(tabs, TAB if tabs else level(depths(found)) or file.level or quoted.step or TAB)


def _levels(found: list[Line], quoted: Quoted, here: Habit) -> tuple[int, int]:
    """How many columns a level takes in the old and in the new text."""
    old, new = quoted.old, quoted.new
    step = quoted.step or here.level
    copied = not here.tabs and depths(old) == depths(found)
    in_place = not here.tabs and _first(new) == _first(found) != _first(old)
    in_file = copied or in_place or level(depths(new)) == here.level
    return (
        TAB if tabbed(old) else here.level if copied else step,
        TAB if tabbed(new) else here.level if in_file else step,
    )


def _first(lines: list[Line]) -> str | None:
    return next((line.indent for line in lines if not line.blank), None)
