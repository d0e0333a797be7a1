"""The place for which files are not kept: what `.gitignore` files say, read as Git reads them, and a setting."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Callable, NamedTuple

MOST_STARS = 12
MOST_PATTERNS = 5_000
PATTERN_CHARACTERS = 1024
GITIGNORE_BYTES = 256 * 1024

Load = Callable[[str], "bytes | None"]
"""What the `.gitignore` of a folder says; nothing where there is none."""


class IgnoreLine(NamedTuple):
    """One line: what it matches, below the folder that it stands in."""

    pattern: re.Pattern[str]
    negated: bool
    folders_only: bool


class IgnoreFile(NamedTuple):
    """The lines of one file. The last that matches says what holds."""

    any: re.Pattern[str] | None
    rules: tuple[IgnoreLine, ...]

    def say(self, path: str, folder: bool) -> bool | None:
        if self.any is None or not self.any.match(path):
            return None
        for rule in reversed(self.rules):
            if (folder or not rule.folders_only) and rule.pattern.match(path):
                return not rule.negated
        return None


def read_rules(lines: Sequence[str]) -> IgnoreFile:
    """Lines that mean nothing, or would take for ever to match, are passed over."""
    rules = tuple(rule for line in lines[:MOST_PATTERNS] if (rule := _rule(line)) is not None)
    return IgnoreFile(re.compile("|".join(rule.pattern.pattern for rule in rules)) if rules else None, rules)


class Ignoring:
    """What holds in one folder: the setting first, then its own `.gitignore`, then those above it."""

    def __init__(self, load: Load, setting: Sequence[str]) -> None:
        self._load = load
        self._setting = read_rules(setting)
        self._known: dict[str, tuple[tuple[int, IgnoreFile], ...]] = {}

    def ignores(self, folder: str, name: str, is_folder: bool) -> bool:
        """Whether an entry of a folder that is itself kept is not. The folder is `` at the root, else ends in `/`."""
        path = folder + name
        said = self._setting.say(path, is_folder)
        for skipped, rules in self.above(folder):
            if said is not None:
                break
            said = rules.say(path[skipped:], is_folder)
        return bool(said)

    def ignores_path(self, path: str, is_folder: bool) -> bool:
        """Whether an entry, or a folder on the way to it, is not kept."""
        folder = ""
        *above, name = path.split("/")
        for step in above:
            if self.ignores(folder, step, True):
                return True
            folder += step + "/"
        return self.ignores(folder, name, is_folder)

    def above(self, folder: str) -> tuple[tuple[int, IgnoreFile], ...]:
        """The rules that hold in a folder, the nearest first, each with how much of a path lies above it."""
        known = self._known.get(folder)
        if known is None:
            upper = self.above(folder[: folder.rstrip("/").rfind("/") + 1]) if folder else ()
            content = self._load(folder)
            own = ((len(folder), _parsed(content)),) if content else ()
            known = self._known[folder] = own + upper
        return known


def _parsed(content: bytes) -> IgnoreFile:
    return read_rules(content[:GITIGNORE_BYTES].decode("utf-8", "surrogateescape").splitlines())


def _rule(line: str) -> IgnoreLine | None:
    text = line.rstrip("\r\n")
    while text.endswith(" ") and not text.endswith("\\ "):
        text = text[:-1]
    if not text or text.startswith("#") or len(text) > PATTERN_CHARACTERS or text.count("*") > MOST_STARS:
        return None
    negated = text.startswith("!")
    text = text[1:] if negated else text
    folders_only = text.endswith("/")
    text = text[:-1] if folders_only else text
    anchored = "/" in text
    text = text.removeprefix("/")
    if not text:
        return None
    try:
        body = _translated(text)
        return IgnoreLine(
            re.compile(rf"(?:{'' if anchored else '(?:.*/)?'}{body})\Z", re.DOTALL), negated, folders_only
        )
    except re.error:
        return None


def _translated(text: str) -> str:
    """A pattern as a regular expression over a path."""
    out: list[str] = []
    place = 0
    while place < len(text):
        rest = text[place:]
        if rest.startswith("**/") and (place == 0 or text[place - 1] == "/"):
            out.append("(?:.*/)?")
            place += 3
        elif rest == "**" and (place == 0 or text[place - 1] == "/"):
            out.append(".+")
            place += 2
        elif rest[0] == "*":
            out.append("[^/]*")
            place += len(rest) - len(rest.lstrip("*"))
        elif rest[0] == "?":
            out.append("[^/]")
            place += 1
        elif rest[0] == "[" and (end := _class_end(rest)):
            out.append(_class(rest[1:end]))
            place += end + 1
        else:
            escaped = rest[0] == "\\" and len(rest) > 1
            out.append(re.escape(rest[1] if escaped else rest[0]))
            place += 2 if escaped else 1
    return "".join(out)


def _class_end(text: str) -> int:
    """Where `[…]` ends; nowhere if it is only a bracket."""
    start = 2 if text[1:2] in ("!", "^") else 1
    return max(0, text.find("]", start + 1))


def _class(inside: str) -> str:
    negated = inside[0] in "!^"
    body = inside[1:] if negated else inside
    escaped = body.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace("^", "\\^")
    return f"(?!/)[{'^' if negated else ''}{escaped}]"
