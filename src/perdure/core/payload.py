"""What another program sends, as a template and conditions see it: its body and its headers, by paths."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, cast
from urllib.parse import parse_qsl

import msgspec
from msgspec import Struct

from perdure.core.text import storable

MOST_IN_TEXT = 16 * 1024
"""How many bytes of a body or of one of its fields a message holds. What is longer is attached."""
ATTACHED = "body.json"
_TOO_LONG = f"(too long for this message: see {ATTACHED})"
_FIELD = re.compile(r"\{\{([^{}]*)\}\}")
_PATH = re.compile(r"(?:body|headers)(?:\.[^\s.|{}]+)*")
_FORM = "application/x-www-form-urlencoded"


class BadPayload(ValueError):
    """What was sent cannot be read. The message says why."""


class Payload(Struct, frozen=True):
    """A body that was read, and the headers it came with; their names are lower-case."""

    body: Any
    headers: Mapping[str, str]

    def at(self, path: str) -> Any:
        """What stands at a path such as `body.issue.labels.0.name`; None where there is nothing."""
        root, *steps = path.split(".")
        found: Any = self.body if root == "body" else self.headers
        for step in steps:
            if isinstance(found, Mapping):
                found = cast("Mapping[str, Any]", found).get(step)
            elif isinstance(found, list) and step.isascii() and step.isdigit():
                found = cast("list[Any]", found)[int(step[:9]) :][:1]
                found = found[0] if found else None
            else:
                return None
        return found


class Filled(Struct, frozen=True):
    """What a template came to, and whether something was too long for it."""

    text: str
    cut: bool


class Test(StrEnum):
    """How the text at a path is compared."""

    IS = "is"
    IS_NOT = "is_not"
    CONTAINS = "contains"
    STARTS_WITH = "starts_with"
    EXISTS = "exists"


class Condition(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What must hold of a payload: the text at the path, compared with any of the values."""

    path: str
    test: Test = Test.IS
    values: tuple[str, ...] = ()

    def holds(self, payload: Payload) -> bool:
        found = payload.at(self.path)
        if self.test is Test.EXISTS:
            return found is not None
        text = "" if found is None else text_of(found)
        match self.test:
            case Test.IS:
                return text in self.values
            case Test.IS_NOT:
                return text not in self.values
            case Test.CONTAINS:
                return any(value in text for value in self.values)
            case Test.STARTS_WITH:
                return text.startswith(self.values)


def read_payload(body: bytes, headers: Mapping[str, str]) -> Payload:
    """The body as JSON. A form is its fields, or the JSON in the one that is called `payload`."""
    try:
        if not headers.get("content-type", "").startswith(_FORM):
            return Payload(msgspec.json.decode(body), headers)
        fields = dict(parse_qsl(body.decode(), keep_blank_values=True))
        return Payload(msgspec.json.decode(fields["payload"]) if "payload" in fields else fields, headers)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadPayload(storable(f"The body is not JSON: {error}")) from error


def text_of(value: object) -> str:
    """A text as it is, everything else as JSON."""
    if isinstance(value, str):
        return value
    text = msgspec.json.encode(value)
    return (msgspec.json.format(text, indent=2) if isinstance(value, dict | list) else text).decode()


def fill(template: str, payload: Payload) -> Filled:
    """The template with what its fields lead to. Of `{{a | b}}` the first that is there; nothing where none is."""
    cut = False

    def filled(found: re.Match[str]) -> str:
        nonlocal cut
        value = next((value for path in _paths(found[1]) if (value := payload.at(path)) is not None), "")
        text = text_of(value)
        if len(text) * 4 > MOST_IN_TEXT and len(text.encode(errors="replace")) > MOST_IN_TEXT:
            cut = True
            return _TOO_LONG
        return text

    return Filled(storable(_FIELD.sub(filled, template)), cut)


def wrong_fields(template: str) -> list[str]:
    """The fields of a template that are no paths."""
    return [found for found in _FIELD.findall(template) if not all(is_path(path) for path in _paths(found))]


def is_path(text: str) -> bool:
    return _PATH.fullmatch(text) is not None


def _paths(field: str) -> list[str]:
    return [path.strip() for path in field.split("|")]
