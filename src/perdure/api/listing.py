"""Which chats a list shows: what somebody searches for, and where the next page begins."""

import base64
import re
import shlex
from dataclasses import dataclass, replace
from decimal import Decimal
from uuid import UUID

import msgspec

from perdure.access.chats import Seen
from perdure.api.wire.chats import ListQuery
from perdure.core.errors import InvalidInput, Validation


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Free words, and everything that narrows them down."""

    words: str = ""
    archived: bool | None = False
    shared: bool | None = None
    unread: bool | None = None
    labels: str | None = None
    title: str | None = None
    source: str | None = None
    repo: str | None = None
    pr: str | None = None

    @property
    def needs_words(self) -> bool:
        return bool(self.words) or self.repo is not None or self.pr is not None


def search_of(query: ListQuery) -> Search:
    labels = _labels(query.label) if query.label else {}
    search = Search(archived=bool(query.archived), unread=query.unread, shared=query.shared)
    words: list[str] = []
    for term in _terms(query.q or ""):
        key, colon, value = term.partition(":")
        if not colon or not key.isidentifier():
            words.append(term)
        elif key == "label":
            labels |= _labels(value)
        elif key == "search":
            words.append(value)
        else:
            search = _narrowed(search, key, value)
    return replace(
        search, words=" ".join(words).strip(), labels=msgspec.json.encode(labels).decode() if labels else None
    )


def _terms(text: str) -> list[str]:
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    lexer.quotes = '"'
    try:
        return list(lexer)
    except ValueError:
        return text.split()


def _narrowed(search: Search, key: str, value: str) -> Search:
    match key:
        case "title" | "repo" | "pr":
            return replace(search, **{key: _literal(value)})
        case "source":
            return replace(search, source=value)
        case "archived" | "unread" | "shared":
            return replace(search, **{key: _flag(key, value)})
        case _:
            raise InvalidInput("Unknown search term.", Validation("q", f"{key}: is not a key"))


def _literal(text: str) -> str:
    """The text as LIKE takes it for itself."""
    return re.sub(r"([\\%_])", r"\\\1", text)


def _flag(key: str, value: str) -> bool:
    if value not in ("true", "false"):
        raise InvalidInput("This search term is not valid.", Validation("q", f"{key}: must be true or false"))
    return value == "true"


def _labels(text: str) -> dict[str, str]:
    key, colon, value = text.partition(":")
    if not colon or not key or not value:
        raise InvalidInput("Write a label as key:value.", Validation("label", "must be key:value"))
    return {key: value}


_LAST_PIN = 2**31 - 1
_MOST_PASSED = 10_000


class Position(msgspec.Struct, array_like=True, frozen=True):
    """The last chat of a page, as the order of the list sees it."""

    pin: int
    age: str
    id: UUID


def next_cursor(seen: list[Seen], limit: int) -> str | None:
    """Where the next page begins, if this one is full."""
    if len(seen) < limit:
        return None
    last = seen[-1]
    assert last.age is not None
    pin = last.row.pin if last.own and last.row.pin else _LAST_PIN
    return _text(Position(pin, str(-last.age), last.chat.id))


def position_of(cursor: str | None) -> tuple[int, Decimal, UUID] | None:
    if cursor is None:
        return None
    try:
        position = msgspec.json.decode(_bytes(cursor), type=Position)
        age = Decimal(position.age)
        if not age.is_finite() or abs(age) > 10**12 or not 0 <= position.pin <= _LAST_PIN:
            raise ValueError
        return position.pin, age, position.id
    except (ValueError, ArithmeticError, msgspec.MsgspecError) as error:
        raise _not_ours() from error


def next_passed(found: int, passed: int, limit: int) -> str | None:
    """Where the next page of a search begins, if this one is full and anybody would read that far."""
    over = found < limit or passed + found > _MOST_PASSED
    return None if over else _text(passed + found)


def passed_of(cursor: str | None) -> int:
    if cursor is None:
        return 0
    try:
        passed = msgspec.json.decode(_bytes(cursor), type=int)
    except (ValueError, msgspec.MsgspecError) as error:
        raise _not_ours() from error
    if not 0 <= passed <= _MOST_PASSED:
        raise _not_ours()
    return passed


def _text(value: object) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(value)).decode().rstrip("=")


def _bytes(cursor: str) -> bytes:
    return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))


def _not_ours() -> InvalidInput:
    return InvalidInput("This cursor is not valid.", Validation("cursor", "not a cursor"))
