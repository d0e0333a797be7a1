"""What somebody types into the search box: words, and terms such as `label:team:docs`."""

import re
import shlex
from dataclasses import dataclass, replace

import msgspec

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
            raise InvalidInput("This search term is not known.", Validation("q", f"{key}: is not a key"))


def _literal(text: str) -> str:
    """The text as LIKE takes it for itself."""
    return re.sub(r"([\\%_])", r"\\\1", text)


def _flag(key: str, value: str) -> bool:
    if value not in ("true", "false"):
        raise InvalidInput("This search term does not fit.", Validation("q", f"{key}: must be true or false"))
    return value == "true"


def _labels(text: str) -> dict[str, str]:
    key, colon, value = text.partition(":")
    if not colon or not key or not value:
        raise InvalidInput("A label is written key:value.", Validation("label", "must be key:value"))
    return {key: value}
