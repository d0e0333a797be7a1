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
from perdure.workspaces.agent.lines import ALIGNMENT, TAB, IndentStyle, Line, columns, depths, level, tabbed


class FileStyle(NamedTuple):
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

    @property
    def stays(self) -> bool:
        """Whether every new line stands as its old one does: lines were only taken out, or made blank."""
        standing = [pair for pair in self.kept if self.new[pair[0]].indent == self.old[pair[1]].indent]
        return len(standing) == sum(not line.blank for line in self.new)

    @property
    def first(self) -> int | None:
        """The first new line that is not blank."""
        return next((place for place, line in enumerate(self.new) if not line.blank), None)

    @property
    def kept(self) -> list[tuple[int, int]]:
        """The new lines that say what their old ones say."""
        pairs = [(place, origin) for place, origin in enumerate(self.origins) if origin is not None]
        return [
            pair for pair in pairs if not self.new[pair[0]].blank and self.new[pair[0]].body == self.old[pair[1]].body
        ]


def weave(found: list[Line], quoted: Quoted, file: FileStyle) -> list[Line]:
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


def _ends(new: Line, old: Line, found: Line, file: FileStyle) -> tuple[str, str]:
    same_kind = new.blank == old.blank
    trail = found.trail if same_kind and new.trail == old.trail else new.trail
    ending = found.ending if new.ending == old.ending else (file.ending if new.ending else "")
    return trail, ending


def _with_its_end(woven: list[Line], found: list[Line], quoted: Quoted, file: FileStyle) -> list[Line]:
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

    def __init__(self, found: list[Line], quoted: Quoted, file: FileStyle) -> None:
        self._found = found
        self._here = _style_at(found, quoted, file)
        right = _kept_as_in_file(found, quoted)
        old_level, self._new_level = _levels(found, quoted, self._here, right)
        self._stands = [not line.blank for line in found]
        in_file = [columns(line.indent) for line in found]
        in_old = [self._here.depth(columns(line.indent), old_level) for line in quoted.old]
        like_file = _written_like_file(quoted, self._here, old_level, self._new_level)
        self._old = quoted.old
        if right is None:
            right = self._is_right(quoted, in_file, in_old, like_file)
        self._as_quoted = quoted.stays or not right
        self._written = in_old if self._as_quoted else in_file
        # Where the same depth means two things, the line that was passed last tells; before any, the first.
        places = list(zip(self._written, found, self._stands))
        self._meant = {depth: line.indent for depth, line, stands in reversed(places) if stands}
        self._depths = sorted(self._meant)

    def of(self, new: Line, origin: int | None) -> str:
        depth = self._depth(new)
        if origin is not None and self._stands[origin]:
            self._meant[self._written[origin]] = self._found[origin].indent
            if self._as_quoted and new.indent == self._old[origin].indent:
                return self._found[origin].indent
        if depth in self._meant:
            return self._meant[depth]
        below = self._depths[max(0, bisect_right(self._depths, depth) - 1)]
        return self._here.write(max(0, columns(self._meant[below]) + depth - below), new.indent)

    def _depth(self, new: Line) -> int:
        return self._here.depth(columns(new.indent), self._new_level)

    def _is_right(self, quoted: Quoted, in_file: list[int], in_old: list[int], like_file: bool) -> bool:
        """Whether the new text stands where the file does: the first of these signs that tells decides."""
        wanted = [self._depth(line) for line in quoted.new if not line.blank]
        actual, told = ([depth for depth, stands in zip(each, self._stands) if stands] for each in (in_file, in_old))
        if not wanted:
            return False
        if like_file and min(wanted) >= min(actual):
            return True
        kept = [(self._depth(quoted.new[place]), in_file[origin], in_old[origin]) for place, origin in quoted.kept]
        first_was_kept = bool(kept) and quoted.kept[0][0] == quoted.first
        signs = [
            *(kept[:1] if first_was_kept else []),
            _majority(kept, min(wanted), min(actual), min(told)),
            (min(wanted), min(actual), min(told)),
            (wanted[0], actual[0], told[0]),
        ]
        telling = set(actual) ^ set(told)
        by_any = next((depth in actual for depth in wanted if depth in telling), False)
        return next((depth == here for depth, here, there in signs if here != there and depth in (here, there)), by_any)


def _kept_as_in_file(found: list[Line], quoted: Quoted) -> bool | None:
    """Whether all lines that were kept, and tell, stand as in the file, blank by blank, or all as in the old text."""
    said = {
        new == here
        for new, here, there in (
            (quoted.new[place].indent, found[origin].indent, quoted.old[origin].indent) for place, origin in quoted.kept
        )
        if here != there and new in (here, there)
    }
    if len(said) != 1:
        return None
    (right,) = said
    # A text that begins further out than the one it would stand as was wrapped, not kept.
    place = found if right else quoted.old
    return right if _outermost(quoted.new) >= _outermost(place) else None


def _outermost(lines: list[Line]) -> int:
    return min((columns(line.indent) for line in lines if not line.blank), default=0)


Sign = tuple[int, int, int]
"""A depth of the new text, and the depths of the file and of the old text that it may be."""


def _majority(kept: list[Sign], lowest: int, in_file: int, in_old: int) -> Sign:
    """Where most of the lines stand that were kept; nothing where the new text would then leave its place."""
    as_file = sum(depth == here != there for depth, here, there in kept)
    as_old = sum(depth == there != here for depth, here, there in kept)
    told = (as_file > as_old and lowest >= in_file) or (as_old > as_file and lowest >= in_old)
    return (as_file, max(as_file, as_old), min(as_file, as_old)) if told else (0, 0, 0)


def _written_like_file(quoted: Quoted, here: IndentStyle, old_level: int, new_level: int) -> bool:
    """Whether the new text is written as the file is, with its tabs or its steps, and the old text is not."""
    kinds = tabbed(quoted.old), tabbed(quoted.new)
    return kinds == (not here.tabs, here.tabs) or (kinds == (False, False) and old_level != here.level == new_level)


def _style_at(found: list[Line], quoted: Quoted, file: FileStyle) -> IndentStyle:
    """How the file indents at this place; where neither the place nor the file tells, as the quoted texts do."""
    kinds = (tabbed(found), file.tabs, tabbed(quoted.new))
    tabs = next((kind for kind in kinds if kind is not None), False)
    return IndentStyle(tabs, TAB if tabs else level(depths(found)) or file.level or quoted.step or TAB)


def _levels(found: list[Line], quoted: Quoted, here: IndentStyle, right: bool | None) -> tuple[int, int]:
    """How many columns a level takes in the old and in the new text, where lines were kept as in the file, or not."""
    old = TAB if tabbed(quoted.old) else _scaled(found, quoted.old, here) or level(depths(quoted.old))
    if tabbed(quoted.new):
        return old or here.level, TAB
    shown = depths(quoted.new)
    if right:
        return old or here.level, here.level
    known = len(set(shown)) > 1 and set(shown) <= set(depths(quoted.old))
    if old and (known or (right is False and all((depth - shown[0]) % old == 0 for depth in shown))):
        return old, old
    new = _new_level(shown, here.level if tabbed(quoted.old) else old, here)
    in_place = bool(shown) and shown[0] in depths(found) and shown[0] not in depths(quoted.old)
    return old or new, here.level if in_place else new


def _scaled(found: list[Line], old: list[Line], here: IndentStyle) -> int | None:
    """A level of the old text, where its lines stand apart by levels of the file."""
    pairs = [(columns(one.indent), columns(other.indent)) for one, other in zip(found, old) if not one.blank]
    outer, inner = min(pairs), max(pairs)
    levels, rest = divmod(inner[0] - outer[0], here.level)
    if rest or not levels:
        return None
    scaled, rest = divmod(inner[1] - outer[1], levels)
    return scaled if scaled > ALIGNMENT and not rest else None


def _new_level(shown: list[int], old: int | None, here: IndentStyle) -> int:
    """The step that the new text shows, unless it is several levels of the old text or of the file at once."""
    inwards, outwards = level(shown), level(shown[::-1])
    if inwards:
        return inwards if inwards == here.level or not old or inwards % old else old
    several = next((each for each in (old, here.level) if each and outwards and outwards % each == 0), None)
    return several or outwards or old or here.level
