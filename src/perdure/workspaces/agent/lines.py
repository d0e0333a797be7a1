"""The place for text as lines: cut without loss into indentation, body, trailing blanks and ending."""

from __future__ import annotations

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
    return [line_of(raw) for raw in raw_lines(text)]


def raw_lines(text: str) -> list[str]:
    """The lines with their endings; the last may have none."""
    pieces = text.split("\n")
    last = pieces.pop()
    lines = [piece + "\n" for piece in pieces]
    return [*lines, last] if last else lines


def contents(text: str) -> list[str]:
    """The lines without their endings."""
    *lines, last = text.split("\n")
    bare = [line.removesuffix("\r") for line in lines]
    return [*bare, last] if last else bare


def line_of(raw: str) -> Line:
    content, ending = _ending(raw)
    body = content.strip(BLANKS)
    if not body:
        return Line("", "", content, ending)
    start = len(content) - len(content.lstrip(BLANKS))
    return Line(content[:start], body, content[start + len(body) :], ending)


def _ending(raw: str) -> tuple[str, str]:
    if raw.endswith("\r\n"):
        return raw[:-2], "\r\n"
    return (raw[:-1], "\n") if raw.endswith("\n") else (raw, "")


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
