"""The place for what an edit means: text in, text out, or a refusal that says what to do. No files are touched here."""

from __future__ import annotations

from difflib import unified_diff
from typing import Callable, NamedTuple

from perdure.workspaces.agent.lines import Line, dominant_ending, endings, join, split
from perdure.workspaces.agent.near_miss import near_miss
from perdure.workspaces.agent.tolerance import Habits, weave

EDITABLE_BYTES = 4 * 1024 * 1024
DIFF_BYTES = 32 * 1024
BYTE_ORDER_MARK = "\ufeff"


class Edit(NamedTuple):
    """Replace one text by another, once, or everywhere."""

    old_text: str
    new_text: str
    replace_all: bool = False


class Refused(Exception):
    """An edit that cannot be made; the message is one instruction for whoever asked."""


def edit_bytes(content: bytes, edits: list[Edit]) -> bytes:
    """All edits one after the other, later ones seeing earlier ones. Bytes that are not UTF-8 stay as they are."""
    if len(content) > EDITABLE_BYTES:
        raise Refused(
            f"the file has {len(content)} bytes, only files up to {EDITABLE_BYTES} can be edited; use a command"
        )
    if b"\0" in content:
        raise Refused("the file is binary; change it with a command")
    text = content.decode("utf-8", "surrogateescape")
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    text = text[len(mark) :]
    for number, edit in enumerate(edits, 1):
        text = apply(text, edit, place=f"edit {number} of {len(edits)}: " if len(edits) > 1 else "")
    try:
        return (mark + text).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise Refused("new_text holds half of a surrogate pair, which cannot be written as UTF-8") from None


def apply(text: str, edit: Edit, *, place: str = "") -> str:
    """One edit. Exact, then ignoring trailing, then surrounding blanks: the first pass with a hit decides."""
    if not edit.old_text:
        raise Refused(place + "old_text is empty; use write_file to create a file, or quote the text next to the place")
    if edit.old_text == edit.new_text:
        raise Refused(place + "old_text and new_text are the same; nothing would change")
    if edit.old_text in text:
        return _exact(text, edit, place)
    if edit.old_text.strip() and not _endings_conflict(edit):
        for key in (_without_trail, _without_surroundings):
            edited = _tolerant(text, edit, key, place)
            if edited is not None:
                return edited
    raise Refused(place + near_miss(text, edit.old_text, edit.new_text))


def unified(path: str, before: bytes, after: bytes) -> str:
    """A unified diff, cut at a size that fits an answer."""
    old, new = (content.decode("utf-8", "replace").splitlines(keepends=True) for content in (before, after))
    pieces: list[str] = []
    size = 0
    for line in unified_diff(old, new, f"a/{path}", f"b/{path}"):
        piece = line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
        size += len(piece)
        if size > DIFF_BYTES:
            pieces.append("… the diff is longer than this; read the file to see the rest\n")
            break
        pieces.append(piece)
    return "".join(pieces)


def _exact(text: str, edit: Edit, place: str) -> str:
    hits = _overlapping(text, edit.old_text)
    if hits > 1 and not edit.replace_all:
        raise Refused(place + _ambiguous(hits))
    new = edit.new_text
    if not endings(edit.old_text) and "\r" not in new and dominant_ending(text) == "\r\n":
        new = new.replace("\n", "\r\n")
    return text.replace(edit.old_text, new)


def _overlapping(text: str, piece: str) -> int:
    hits, start = 0, text.find(piece)
    while start >= 0:
        hits += 1
        start = text.find(piece, start + 1)
    return hits


def _endings_conflict(edit: Edit) -> bool:
    old, new = endings(edit.old_text), endings(edit.new_text)
    return bool(old) and bool(new) and old != new


def _without_trail(line: Line) -> str:
    return line.indent + line.body


def _without_surroundings(line: Line) -> str:
    return line.body


def _tolerant(text: str, edit: Edit, key: Callable[[Line], str], place: str) -> str | None:
    lines, old = split(text), split(edit.old_text)
    hits = _line_hits([key(line) for line in lines], [key(line) for line in old])
    if not hits:
        return None
    if len(hits) > 1 and not edit.replace_all:
        raise Refused(place + _ambiguous(len(hits)))
    new, habits = split(edit.new_text), Habits.of(text)
    done: list[Line] = []
    position = 0
    for start in hits:
        if start < position:
            continue
        found = lines[start : start + len(old)]
        kept_ending = "" if old[-1].ending else found[-1].ending
        found[-1] = found[-1] if old[-1].ending else found[-1]._replace(ending="")
        done += [*lines[position:start], *weave(found, old, new, habits), Line("", "", "", kept_ending)]
        position = start + len(old)
    return join(done + lines[position:])


def _line_hits(lines: list[str], old: list[str]) -> list[int]:
    first, size = old[0], len(old)
    return [
        start for start in range(len(lines) - size + 1) if lines[start] == first and lines[start : start + size] == old
    ]


def _ambiguous(hits: int) -> str:
    return f"old_text occurs {hits} times; add neighbouring lines to old_text until it is unique, or set replace_all"
