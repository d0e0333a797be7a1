"""The place for telling a file that got another name from one that went and one that came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Callable, NamedTuple, Optional

from perdure.workspaces.agent.kept import Kept
from perdure.workspaces.agent.rewinding import Step

ALIKE = 0.5
"""Two files with so much in common are one file that was renamed and edited."""
COMPARED_FILES = 20
"""So many files that went, and as many that came, are compared by their lines; all of them by what they hold."""
LONGER = 3
"""A file that is so many times longer than another does not have half its lines."""

Text = Callable[[str, Kept], Optional[bytes]]


class Renamed(NamedTuple):
    """A file that went under one name and came under another."""

    before: Step
    after: Step


def renamed(steps: Iterable[Step], was: Text, wanted: Text) -> list[Renamed]:
    """Files that hold the same, then files that hold nearly the same. Empty files say nothing of each other."""
    gone: list[Step] = []
    come: list[Step] = []
    for step in steps:
        if _file(step.was) and step.wanted is None:
            gone.append(step)
        elif _file(step.wanted) and step.was is None:
            come.append(step)
    same = list(_same(gone, come))
    paired = {step.path for pair in same for step in pair}
    gone, come = ([step for step in some if step.path not in paired] for some in (gone, come))
    return same + _nearly(gone[:COMPARED_FILES], come[:COMPARED_FILES], was, wanted)


def _file(entry: Kept | None) -> bool:
    return entry is not None and entry.is_file and entry.size > 0


def _same(gone: list[Step], come: list[Step]) -> Iterator[Renamed]:
    """Those that keep their last name first, where several hold the same."""
    left = come
    for key in (_content_and_name, _content):
        by_key: dict[object, list[Step]] = {}
        for step in sorted(gone, reverse=True):
            by_key.setdefault(key(step, step.was), []).append(step)
        unpaired: list[Step] = []
        for step in sorted(left):
            alike = by_key.get(key(step, step.wanted))
            if alike:
                pair = Renamed(alike.pop(), step)
                gone = [other for other in gone if other is not pair.before]
                yield pair
            else:
                unpaired.append(step)
        left = unpaired


def _content(_: Step, entry: Kept | None) -> str:
    return entry.id if entry else ""


def _content_and_name(step: Step, entry: Kept | None) -> tuple[str, str]:
    return _content(step, entry), step.path.rsplit("/", 1)[-1]


def _nearly(gone: list[Step], come: list[Step], was: Text, wanted: Text) -> list[Renamed]:
    """The most alike first; each file is paired once."""
    if not gone or not come:
        return []
    before = [(step, step.was.size, _lines(was(step.path, step.was))) for step in gone if step.was]
    after = [(step, step.wanted.size, _lines(wanted(step.path, step.wanted))) for step in come if step.wanted]
    likenesses = [
        (-likeness, one.path, other.path, Renamed(one, other))
        for one, size, old in before
        for other, new_size, new in after
        if max(size, new_size) <= LONGER * min(size, new_size) and (likeness := _likeness(old, new)) >= ALIKE
    ]
    pairs: list[Renamed] = []
    taken: set[str] = set()
    for *_, pair in sorted(likenesses):
        paths = {pair.before.path, pair.after.path}
        if not paths & taken:
            taken |= paths
            pairs.append(pair)
    return pairs


def _lines(content: bytes | None) -> Counter[bytes]:
    """Nothing of what is not text."""
    return Counter() if content is None or b"\0" in content else Counter(content.splitlines())


def _likeness(old: Counter[bytes], new: Counter[bytes]) -> float:
    longer = max(sum(old.values()), sum(new.values()))
    return sum((old & new).values()) / longer if longer else 0.0
