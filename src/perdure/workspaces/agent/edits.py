"""The place for what an edit means: text in, text out, or a refusal that says what to do. No files are touched here.

Everything here is bounded before it begins: a file of `EDITABLE_BYTES` takes less than a second, whatever is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from perdure.workspaces.agent.lines import (
    BLANKS,
    Line,
    contents,
    depths,
    dominant_ending,
    endings,
    join,
    level,
    line_of,
    raw_lines,
    split,
    tabbed,
)
from perdure.workspaces.agent.near_miss import near_miss
from perdure.workspaces.agent.tolerance import FileStyle, Quoted, weave

EDITABLE_BYTES = 4 * 1024 * 1024
TOLERANT_LINES = 200_000
QUOTED_LINES = 5_000
WOVEN_LINES = 10_000
WORK_CHARACTERS = 128 * 1024 * 1024
"""How much text the edits of one file may read, all together; ignoring blanks counts several times."""
LOOSE_WORK = 16
LEAST_WORK = 16 * 1024
"""An edit of a small file takes its time, too."""
HABIT_LINES = 5_000
"""How a file indents is read off its beginning."""
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
    _fits(len(content), "the file has")
    if b"\0" in content:
        raise Refused("the file is binary; change it with a command")
    text = content.decode("utf-8", "surrogateescape")
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    text = text[len(mark) :]
    work = 0
    for number, edit in enumerate(edits, 1):
        place = f"edit {number} of {len(edits)}: " if len(edits) > 1 else ""
        work += max(len(text), LEAST_WORK) * (1 if edit.old_text in text else LOOSE_WORK)
        if work > WORK_CHARACTERS and number > 1:
            raise Refused(f"{place}so many edits of so large a file take too long; make them in several calls")
        text = apply(text, edit, place=place)
    try:
        return (mark + text).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise Refused("new_text holds half of a surrogate pair, which cannot be written as UTF-8") from None


def apply(text: str, edit: Edit, *, place: str = "") -> str:
    """One edit. Exact, then ignoring trailing, then surrounding blanks: the first pass with a hit decides."""
    try:
        return _applied(text, edit)
    except Refused as refusal:
        raise Refused(place + str(refusal)) from None


def _applied(text: str, edit: Edit) -> str:
    if not edit.old_text:
        raise Refused("old_text is empty; use write_file to create a file, or quote the text next to the place")
    if edit.old_text == edit.new_text:
        raise Refused("old_text and new_text are the same; nothing would change")
    if edit.old_text in text:
        return _with_whole_indentation(text, edit) or _exact(text, edit)
    for what, lines, most in (("the file", text, TOLERANT_LINES), ("old_text", edit.old_text, QUOTED_LINES)):
        if lines.count("\n") > most:
            raise Refused(
                f"old_text was not found, and nothing like it is looked for where {what} has more than {most} lines; "
                "copy the text exactly from the file"
            )
    edited = _tolerant(text, edit) if _may_be_loose(edit) else None
    if edited is None:
        raise Refused(near_miss(text, edit.old_text, edit.new_text))
    return edited


def _fits(size: int, what: str) -> None:
    if size > EDITABLE_BYTES:
        raise Refused(f"{what} {size} bytes, only files up to {EDITABLE_BYTES} can be edited; use a command")


def _exact(text: str, edit: Edit) -> str:
    hits = text.count(edit.old_text)
    if not edit.replace_all:
        _unique(text, edit.old_text, hits)
    new = edit.new_text
    if not endings(edit.old_text) and "\r" not in new and dominant_ending(text) == "\r\n":
        new = new.replace("\n", "\r\n")
    _fits(len(text) + hits * (len(new) - len(edit.old_text)), "the edited file would have")
    return text.replace(edit.old_text, new)


def _with_whole_indentation(text: str, edit: Edit) -> str | None:
    """The edit of whole lines, where the only hit begins in the middle of an indentation: then blanks were ignored."""
    old, new = edit.old_text, edit.new_text
    start = text.find(old)
    line = text.rfind("\n", 0, start) + 1
    missing = text[line:start]
    if not missing or missing.strip(BLANKS) or text.find(old, start + 1) >= 0 or not _may_be_loose(edit):
        return None
    if old[0] not in BLANKS and line_of(new[: new.find("\n") + 1] or new).indent != missing:
        # What follows the first line says for itself where it stands.
        return None
    if not old.endswith("\n"):
        end = text.find("\n", start + len(old))
        rest = text[start + len(old) : end if end >= 0 else len(text)].removesuffix("\r")
        if not new or (rest and new.endswith("\n")):
            return None
        old, new = old + rest, new + rest
    if old.count("\n") > QUOTED_LINES or new.count("\n") > QUOTED_LINES:
        return None
    whole = Edit(old, new)
    edited = "".join(_woven(text, whole, [text.count("\n", 0, line)], len(contents(old))))
    return edited if edited != text else None


def _unique(text: str, piece: str, hits: int) -> None:
    """Two that overlap are two; how many more there may be is not counted out."""
    count = max(hits, 2 if text.find(piece, text.find(piece) + 1) >= 0 else 1)
    if count > 1:
        raise Refused(
            f"old_text occurs {count} times; add neighbouring lines to old_text until it is unique, or set replace_all"
        )


def _may_be_loose(edit: Edit) -> bool:
    """Whether blanks may be ignored: there is more than blanks, and both texts end their lines alike."""
    old, new = endings(edit.old_text), endings(edit.new_text)
    return bool(edit.old_text.strip()) and (old == new or not old or not new)


def _tolerant(text: str, edit: Edit) -> str | None:
    """Whole lines, compared without their trailing blanks, then without any around them."""
    lines, old = contents(text), contents(edit.old_text)
    for bare in (str.rstrip, str.strip):
        hits = _line_hits([bare(line, BLANKS) for line in lines], [bare(line, BLANKS) for line in old], edit)
        if hits:
            return "".join(_woven(text, edit, hits, len(old)))
    return None


def _line_hits(lines: list[str], old: list[str], edit: Edit) -> list[int]:
    """Which lines the old ones begin at, found as text between line ends."""
    text, piece = (f"\n{joined}\n" for joined in ("\n".join(lines), "\n".join(old)))
    hits: list[int] = []
    number = position = 0
    start = text.find(piece)
    while start >= 0:
        number += text.count("\n", position, start)
        position = start
        hits.append(number)
        # The line end behind one hit may be the one before the next.
        start = text.find(piece, start + len(piece) - 1)
    if hits and not edit.replace_all:
        _unique(text, piece, len(hits))
    return hits


def _woven(text: str, edit: Edit, hits: list[int], size: int) -> Iterator[str]:
    """The whole text with the new lines at each hit. Where the file has the same lines, the same comes out."""
    _few_enough(edit.old_text.count("\n") + edit.new_text.count("\n"))
    lines, old = raw_lines(text), split(edit.old_text)
    quoted, file = Quoted.of(old, split(edit.new_text)), _habits(text, lines)
    done: dict[str, str] = {}
    position = written = 0
    for start in hits:
        yield from lines[position:start]
        position = start + size
        found = "".join(lines[start:position])
        if found not in done:
            done[found] = _replaced(split(found), quoted, file)
            _few_enough(len(done) * (len(old) + len(quoted.new)))
        written += len(done[found])
        _fits(written, "the edited file would have more than")
        yield done[found]
    yield from lines[position:]


def _few_enough(lines: int) -> None:
    if lines > WOVEN_LINES:
        raise Refused(
            "old_text was only found where blanks are ignored, and so many lines are not fitted in; "
            "copy the text exactly from the file"
        )


def _replaced(found: list[Line], quoted: Quoted, file: FileStyle) -> str:
    """An ending that the old text does not name stays where it is."""
    if quoted.old[-1].ending:
        return join(weave(found, quoted, file))
    last = found[-1]
    return join(weave([*found[:-1], last._replace(ending="")], quoted, file)) + last.ending


def _habits(text: str, lines: list[str]) -> FileStyle:
    beginning = [line_of(line) for line in lines[:HABIT_LINES]]
    return FileStyle(tabbed(beginning), level(depths(beginning)), dominant_ending(text))
