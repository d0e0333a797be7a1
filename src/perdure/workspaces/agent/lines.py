"""The place for text as lines: splitting without loss, indentation, and what a file's own habits are."""

from __future__ import annotations

from collections import Counter
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
    pieces = text.split("\n")
    lines = [_line(piece[:-1], "\r\n") if piece.endswith("\r") else _line(piece, "\n") for piece in pieces[:-1]]
    if pieces[-1]:
        lines.append(_line(pieces[-1], ""))
    return lines


def _line(content: str, ending: str) -> Line:
    body = content.strip(BLANKS)
    if not body:
        return Line("", "", content, ending)
    start = len(content) - len(content.lstrip(BLANKS))
    return Line(content[:start], body, content[start + len(body) :], ending)


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


def indent_unit(lines: list[Line]) -> str:
    """One level of indentation as this text writes it, or nothing where it never indents."""
    steps: Counter[str] = Counter()
    previous = ""
    for line in lines:
        if line.blank:
            continue
        if line.indent.startswith(previous) and line.indent != previous:
            steps[line.indent[len(previous) :]] += 1
        previous = line.indent
    if not steps:
        return ""
    return "\t" if steps.most_common(1)[0][0].startswith("\t") else steps.most_common(1)[0][0]


def width(indent: str, tab: int) -> int:
    """How many columns an indentation takes, with tabs of this width."""
    return len(indent.replace("\t", " " * tab))
