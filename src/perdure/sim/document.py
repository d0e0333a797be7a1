"""Parsed JSON with its place: reading a field either gives the value or refuses the request in the vendor's words."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, TypeGuard

import msgspec


@dataclass(slots=True)
class Problem(Exception):
    """Why a request is refused; each wire format renders it as its vendor would."""

    status: int
    kind: str
    message: str
    param: str | None = None
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    details: tuple[Mapping[str, object], ...] = ()


Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
Path: TypeAlias = tuple[str | int, ...]


class VendorErrors(Protocol):
    """How a vendor says that a document does not fit."""

    def missing(self, path: Path) -> Problem: ...
    def wrong_type(self, path: Path, expected: str, value: Json) -> Problem: ...
    def not_among(self, path: Path, value: Json, allowed: tuple[str, ...]) -> Problem: ...
    def unknown(self, path: Path) -> Problem: ...
    def refusal(self, path: Path, message: str, code: str | None = None) -> Problem: ...


class Node:
    """One value of a document and where it stands."""

    __slots__ = ("errors", "path", "value")

    def __init__(self, value: Json, errors: VendorErrors, path: Path = ()) -> None:
        self.value = value
        self.path = path
        self.errors = errors

    def __getitem__(self, name: str) -> "Node":
        """A field that must be there."""
        fields = self.fields()
        if name not in fields:
            raise self.errors.missing((*self.path, name))
        return Node(fields[name], self.errors, (*self.path, name))

    def get(self, name: str) -> "Node | None":
        """A field that may be missing or null."""
        value = self.fields().get(name)
        return None if value is None else Node(value, self.errors, (*self.path, name))

    def at(self, *more: str | int) -> "Node":
        """The same value under a longer path, for vendors that name the chosen variant."""
        return Node(self.value, self.errors, (*self.path, *more))

    def up(self) -> "Node":
        """The same value under the path without its last name."""
        return Node(self.value, self.errors, self.path[:-1])

    def fields(self) -> dict[str, Json]:
        """The value as an object."""
        if not isinstance(self.value, dict):
            raise self.errors.wrong_type(self.path, "object", self.value)
        return self.value

    def only(self, *allowed: frozenset[str]) -> "Node":
        """Refuse fields that the vendor does not know."""
        unknown = self.fields().keys() - frozenset[str]().union(*allowed)
        if unknown:
            raise self.errors.unknown((*self.path, min(unknown)))
        return self

    def items(self) -> "Iterator[Node]":
        """The value as an array."""
        if not isinstance(self.value, list):
            raise self.errors.wrong_type(self.path, "array", self.value)
        for index, value in enumerate(self.value):
            yield Node(value, self.errors, (*self.path, index))

    def text(self) -> str:
        """The value as a string."""
        if not isinstance(self.value, str):
            raise self.errors.wrong_type(self.path, "string", self.value)
        return self.value

    def integer(self) -> int:
        """The value as a whole number."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self.errors.wrong_type(self.path, "integer", self.value)
        return self.value

    def number(self) -> float:
        """The value as a number."""
        if not isinstance(self.value, int | float) or isinstance(self.value, bool):
            raise self.errors.wrong_type(self.path, "number", self.value)
        return self.value

    def flag(self) -> bool:
        """The value as true or false."""
        if not isinstance(self.value, bool):
            raise self.errors.wrong_type(self.path, "boolean", self.value)
        return self.value

    def among(self, *allowed: str) -> str:
        """The value as one of a few words."""
        if not isinstance(self.value, str) or self.value not in allowed:
            raise self.errors.not_among(self.path, self.value, allowed)
        return self.value

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self.fields().get(name) is not None

    def refuse(self, message: str, code: str | None = None) -> Problem:
        """A rule of the vendor that goes beyond types."""
        return self.errors.refusal(self.path, message, code)


def names(words: str) -> frozenset[str]:
    """A set of field names, written as one text."""
    return frozenset(words.split())


def read(node: Node | None, how: Callable[[Node], object]) -> None:
    """Check an optional field."""
    if node is not None:
        how(node)


def is_object(value: Json) -> TypeGuard[dict[str, Json]]:
    """Narrow parsed JSON to an object."""
    return isinstance(value, dict)


def type_name(value: Json) -> str:
    """What JSON calls the type of a value."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case dict():
            return "object"


def arguments_of(text: str) -> dict[str, Json]:
    """Arguments that a model wrote; what is not JSON is nothing."""
    try:
        value: Json = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}
    return value if isinstance(value, dict) else {}
