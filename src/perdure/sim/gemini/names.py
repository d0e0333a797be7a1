"""Field names of a protocol buffer in JSON: Google takes snake_case for camelCase, except in the caller's data."""

import re

from perdure.sim.document import Json

_OPAQUE = frozenset(
    {"args", "response", "parametersJsonSchema", "responseJsonSchema", "labels", "partMetadata", "default", "example"}
)
_SNAKE = re.compile(rb'"[a-z]+_[a-z_]+"\s*:')


def in_camel_case(document: Json, raw: bytes) -> Json:
    """The document with its field names in camelCase; untouched when there is nothing to do."""
    return _renamed(document) if _SNAKE.search(raw) else document


def _renamed(value: Json) -> Json:
    match value:
        case list():
            return [_renamed(one) for one in value]
        case dict():
            return {_camel(name): _inside(_camel(name), inner) for name, inner in value.items()}
        case _:
            return value


def _inside(name: str, value: Json) -> Json:
    if name in _OPAQUE:
        return value
    if name == "properties" and isinstance(value, dict):
        return {own: _renamed(schema) for own, schema in value.items()}
    return _renamed(value)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return name if name.startswith("_") else head + "".join(word[:1].upper() + word[1:] for word in rest)
