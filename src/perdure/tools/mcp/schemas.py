"""Whether the schema that a server gives for a tool can be shown to models and checked against."""

import json
from collections.abc import Iterator
from typing import Any

from perdure.tools.arguments import validator_of

LARGEST = 64 * 1024


class UnusableSchema(Exception):
    """The schema cannot be used. The text says why."""


def usable(schema: Any) -> dict[str, Any]:
    """The schema as models see it."""
    if not isinstance(schema, dict):
        raise UnusableSchema("it is not an object")
    known: dict[str, Any] = schema  # pyright: ignore[reportUnknownVariableType]
    kept = {"type": "object", **{name: value for name, value in known.items() if name != "$schema"}}
    if kept["type"] != "object":
        raise UnusableSchema("it does not describe an object")
    if len(json.dumps(kept)) > LARGEST:
        raise UnusableSchema(f"it is larger than {LARGEST} bytes")
    if any(not reference.startswith("#") for reference in _references(kept)):
        # Following it would make us fetch whatever address the server names.
        raise UnusableSchema("it refers to something outside itself")
    try:
        validator_of(kept)
    except ValueError as error:
        raise UnusableSchema(str(error).splitlines()[0][:200]) from error
    return kept


def _references(schema: Any) -> Iterator[str]:
    match schema:
        case dict():
            known: dict[str, Any] = schema  # pyright: ignore[reportUnknownVariableType]
            for name, value in known.items():
                if name in ("$ref", "$dynamicRef", "$schema") and isinstance(value, str):
                    yield value
                yield from _references(value)
        case list():
            items: list[Any] = schema  # pyright: ignore[reportUnknownVariableType]
            for item in items:
                yield from _references(item)
        case _:
            return
