"""The place for showing what an edit changed: a unified diff that fits an answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from perdure.workspaces.agent.alignment import align

DIFF_BYTES = 32 * 1024
COMPARED_LINES = (10_000, 200_000)
"""How much of the texts is compared; more only where what was found does not fill the answer."""
LINE_CHARACTERS = 1024
CONTEXT = 3
LONGER = "… the diff is longer than this; read the file to see the rest\n"


class ChangedLines(NamedTuple):
    """Lines of the old text that lines of the new text stand for now; either may be none."""

    old: range
    new: range


def unified(path: str, before: bytes, after: bytes) -> str:
    """A unified diff, cut at a size that fits an answer. Lines that are very long are cut, too."""
    start = _parting(before, after)
    skipped = before.count(b"\n", 0, start)
    shown = ""
    for most in COMPARED_LINES:
        old, new = (_lines(content[start:], most) for content in (before, after))
        shown, full = _bounded(_pieces(path, old, new, skipped))
        if full or most not in (len(old), len(new)):
            return shown
    return shown + LONGER


def _bounded(pieces: Iterator[str]) -> tuple[str, bool]:
    kept: list[str] = []
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > DIFF_BYTES:
            return "".join([*kept, LONGER]), True
        kept.append(piece)
    return "".join(kept), False


def _parting(before: bytes, after: bytes) -> int:
    """Where a line begins, shortly before the first difference."""
    same, most = 0, min(len(before), len(after))
    while same < most:
        middle = (same + most + 1) // 2
        same, most = (middle, most) if before[same:middle] == after[same:middle] else (same, middle - 1)
    for _ in range(CONTEXT + 1):
        same = max(0, before.rfind(b"\n", 0, same))
    return same + 1 if same else 0


def _lines(content: bytes, most: int) -> list[str]:
    *pieces, last = content.split(b"\n", most)
    lines = [piece.decode("utf-8", "replace") + "\n" for piece in pieces]
    return [*lines, last.decode("utf-8", "replace")] if last and len(lines) < most else lines


def _pieces(path: str, old: list[str], new: list[str], skipped: int) -> Iterator[str]:
    hunks = _hunks(_changes(old, new))
    yield from (f"--- a/{path}\n", f"+++ b/{path}\n") if hunks else ()
    for hunk in hunks:
        first, last = hunk[0], hunk[-1]
        lead, rest = min(CONTEXT, first.old.start), min(CONTEXT, len(old) - last.old.stop)
        shown_old = range(first.old.start - lead, last.old.stop + rest)
        shown_new = range(first.new.start - lead, last.new.stop + rest)
        yield f"@@ -{_span(shown_old, skipped)} +{_span(shown_new, skipped)} @@\n"
        position = shown_old.start
        for change in hunk:
            yield from (_shown(" ", old[index]) for index in range(position, change.old.start))
            yield from (_shown("-", old[index]) for index in change.old)
            yield from (_shown("+", new[index]) for index in change.new)
            position = change.old.stop
        yield from (_shown(" ", old[index]) for index in range(position, shown_old.stop))


def _changes(old: list[str], new: list[str]) -> list[ChangedLines]:
    changes: list[ChangedLines] = []
    left = right = 0
    for start, place, size in [*align(old, new), (len(old), len(new), 0)]:
        if (left, right) != (start, place):
            changes.append(ChangedLines(range(left, start), range(right, place)))
        left, right = start + size, place + size
    return changes


def _hunks(changes: list[ChangedLines]) -> list[list[ChangedLines]]:
    """Changes with so few lines between them that what is shown around them would touch."""
    hunks: list[list[ChangedLines]] = []
    for change in changes:
        if hunks and change.old.start - hunks[-1][-1].old.stop <= 2 * CONTEXT:
            hunks[-1].append(change)
        else:
            hunks.append([change])
    return hunks


def _span(lines: range, skipped: int) -> str:
    first = lines.start + skipped + (1 if lines else 0)
    return str(first) if len(lines) == 1 else f"{first},{len(lines)}"


def _shown(mark: str, line: str) -> str:
    content = line.rstrip("\n")
    over = len(content) - LINE_CHARACTERS
    text = f"{content[:LINE_CHARACTERS]}… [{over} more characters in this line]" if over > 0 else content
    return f"{mark}{text}\n" if line.endswith("\n") else f"{mark}{text}\n\\ No newline at end of file\n"
