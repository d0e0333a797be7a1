"""The place for which lines of two texts correspond, in time that grows with their length and not with its square."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

WINDOW = 48
WINDOWS = 400


class Run(NamedTuple):
    """So many equal lines, one after the other, from these places on."""

    old: int
    new: int
    size: int


def align(old: Sequence[str], new: Sequence[str]) -> list[Run]:
    """Runs of equal lines in order.

    What both begin and end with is equal. Between, a line that occurs once in either text holds them together. What is
    left between two such lines is compared window by window, so that nothing takes longer than a bounded number of
    windows; lines beyond them count as different.
    """
    head = _common_head(old, new)
    tail = _common_tail(old, new, head)
    ends = (len(old) - tail, len(new) - tail)
    position = (head, head)
    windows = iter(range(WINDOWS))
    pairs: list[Place] = []
    for anchor in [*_anchors(old, new, position, ends), ends]:
        pairs += _between(old, new, position, anchor, windows)
        if anchor != ends:
            pairs.append(anchor)
        position = (anchor[0] + 1, anchor[1] + 1)
    runs = [Run(0, 0, head), *_runs(pairs), Run(*ends, tail)]
    return [run for run in runs if run.size]


Place = tuple[int, int]
"""A line of the old text and a line of the new one."""


def _common_head(old: Sequence[str], new: Sequence[str]) -> int:
    shorter = min(len(old), len(new))
    return next((index for index in range(shorter) if old[index] != new[index]), shorter)


def _common_tail(old: Sequence[str], new: Sequence[str], head: int) -> int:
    most = min(len(old), len(new)) - head
    return next((size for size in range(most) if old[-1 - size] != new[-1 - size]), most)


def _anchors(old: Sequence[str], new: Sequence[str], start: Place, end: Place) -> list[Place]:
    """Lines that occur once in either text, as many as keep their order."""
    in_old, in_new = _single(old, start[0], end[0]), _single(new, start[1], end[1])
    return _rising([(place, in_new[line]) for line, place in in_old.items() if line in in_new])


def _single(lines: Sequence[str], start: int, end: int) -> dict[str, int]:
    places: dict[str, int] = {}
    repeated: set[str] = set()
    for index in range(start, end):
        line = lines[index]
        if line in places:
            repeated.add(line)
        places[line] = index
    return {line: index for line, index in places.items() if line not in repeated}


def _rising(pairs: list[Place]) -> list[Place]:
    """The longest selection whose second numbers rise; the first numbers rise already."""
    ends: list[int] = []
    best: list[int] = []
    before: list[int] = []
    for index, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        before.append(best[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        best[length : length + 1] = [index]
    chosen: list[Place] = []
    index = best[-1] if best else -1
    while index >= 0:
        chosen.append(pairs[index])
        index = before[index]
    return chosen[::-1]


def _between(
    old: Sequence[str], new: Sequence[str], start: Place, end: Place, windows: Iterator[int]
) -> Iterator[Place]:
    """Equal lines are taken as they come; where the texts part, a window of both is compared in full."""
    left, right = start
    while left < end[0] and right < end[1]:
        if old[left] == new[right]:
            yield left, right
            left, right = left + 1, right + 1
        elif next(windows, None) is None:
            return
        else:
            stop = (min(left + WINDOW, end[0]), min(right + WINDOW, end[1]))
            common = _longest_common(old[left : stop[0]], new[right : stop[1]])
            yield from ((left + row, right + column) for row, column in common)
            left, right = (left + common[-1][0] + 1, right + common[-1][1] + 1) if common else stop


def _longest_common(old: Sequence[str], new: Sequence[str]) -> list[Place]:
    """A longest common subsequence, by the table of lengths from every pair of places to the end."""
    width = len(new)
    lengths = [[0] * (width + 1)]
    for line in reversed(old):
        below = lengths[-1]
        row = [0] * (width + 1)
        for column in range(width - 1, -1, -1):
            row[column] = below[column + 1] + 1 if line == new[column] else max(below[column], row[column + 1])
        lengths.append(row)
    lengths.reverse()
    pairs: list[Place] = []
    left = right = 0
    while left < len(old) and right < width:
        if old[left] == new[right]:
            pairs.append((left, right))
            left, right = left + 1, right + 1
        elif lengths[left + 1][right] >= lengths[left][right + 1]:
            left += 1
        else:
            right += 1
    return pairs


def _runs(pairs: list[Place]) -> list[Run]:
    runs: list[Run] = []
    for old, new in pairs:
        last = runs[-1] if runs else None
        if last and (last.old + last.size, last.new + last.size) == (old, new):
            runs[-1] = last._replace(size=last.size + 1)
        else:
            runs.append(Run(old, new, 1))
    return runs
