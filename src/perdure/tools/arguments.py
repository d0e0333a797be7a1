"""Arguments of calls: which schemas can be used, and what a model wrote, read as values that fit one of them."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import jsonschema_rs
from jsonschema_rs import FancyRegexOptions

from perdure.tools.call import ToolFailed

LARGEST_SCHEMA = 64 * 1024
BACKTRACKS = 10_000
"""How much a pattern of somebody else's may try: some milliseconds' worth."""


class UnusableSchema(ValueError):
    """The schema cannot be used. The text says why."""


def usable(schema: Any) -> dict[str, Any]:
    """The schema as models see it. Raises UnusableSchema where it cannot be shown to them, or checked against."""
    if not isinstance(schema, dict):
        raise UnusableSchema("it is not an object")
    kept = of_object(schema)  # pyright: ignore[reportUnknownArgumentType]
    if kept["type"] != "object":
        raise UnusableSchema("it does not describe an object")
    if len(json.dumps(kept)) > LARGEST_SCHEMA:
        raise UnusableSchema(f"it is larger than {LARGEST_SCHEMA} bytes")
    if any(not reference.startswith("#") for reference in _references(kept)):
        # Following it would make us fetch whatever address it names.
        raise UnusableSchema("it refers to something outside itself")
    try:
        validator_of(kept)
    except ValueError as error:
        raise UnusableSchema(str(error).splitlines()[0][:200]) from error
    return kept


def of_object(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema that says what it describes: vendors refuse tools whose schema leaves that out."""
    return {"type": "object", **{name: value for name, value in schema.items() if name != "$schema"}}


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


def parsed(text: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments, checked. Raises ToolFailed with one instruction for the model."""
    arguments = decoded(text)
    try:
        _check_case(arguments, schema)
        error = next(iter(_validator(json.dumps(schema, sort_keys=True)).iter_errors(arguments)), None)
    except (ValueError, RecursionError) as trouble:
        raise ToolFailed(
            f"The arguments cannot be checked ({trouble}). Call the tool again with simpler ones."
        ) from None
    if error is not None:
        where = ".".join(str(step) for step in error.instance_path) or "the arguments"
        wrong = f"{where}: {_complaint(error, schema)}"
        raise ToolFailed(f"The arguments do not match the tool's schema: {wrong}. Call it again, corrected.")
    return arguments


def misfit(value: Any, schema: Mapping[str, Any]) -> str | None:
    """What keeps a value from fitting somebody else's schema; nothing where it fits."""
    try:
        error = next(iter(_validator(json.dumps(of_object(schema), sort_keys=True)).iter_errors(value)), None)
    except (ValueError, RecursionError) as trouble:
        return f"cannot be checked: {trouble}"[:200]
    if error is None:
        return None
    where = ".".join(str(step) for step in error.instance_path)
    return f"{where}: {error.message}" if where else error.message


def _complaint(error: Any, schema: Any) -> str:
    """What is wrong with a value; where it may be one of several things, what those are."""
    choices = schema
    for step in error.schema_path:
        choices = choices[step] if isinstance(choices, list | dict) else None  # pyright: ignore[reportUnknownVariableType]
    if error.schema_path[-1:] != ["anyOf"] or not isinstance(choices, list):
        return error.message
    named = [value for each in choices for value in each.get("enum", (each.get("type"),))]  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    return f"{json.dumps(error.instance)} is none of: {', '.join(str(value) for value in named)}"  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def is_json_object(text: str) -> bool:
    try:
        decoded(text)
    except ToolFailed:
        return False
    return True


def decoded(text: str) -> dict[str, Any]:
    """The JSON object that a model wrote. What is none, or cannot be passed on, is refused with one instruction."""
    try:
        value: Any = json.loads(text or "{}", object_pairs_hook=_without_repeats, parse_constant=_refuse_constant)
        if "\\u" in text:
            # Half of a surrogate pair, which only an escape can bring, has no form that anybody else could read.
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ToolFailed(f"The arguments are not valid JSON ({error}). Call the tool again with valid JSON.") from error
    if not isinstance(value, dict):
        raise ToolFailed("The arguments must be a JSON object. Call the tool again with one.")
    return value  # pyright: ignore[reportUnknownVariableType]


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ToolFailed(f"The arguments name {repeated!r} twice. Call the tool again with each key once.")
    return found


def _check_case(arguments: Any, schema: Any, path: str = "") -> None:
    """Refuse keys that differ from the schema's only by case: the model meant them, and they would be dropped."""
    match arguments, schema:
        case dict(), {"properties": dict(properties)}:  # pyright: ignore[reportUnknownVariableType]
            known = {str(name).lower(): str(name) for name in properties}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            for key, value in arguments.items():  # pyright: ignore[reportUnknownVariableType]
                name, meant = str(key), known.get(str(key).lower())  # pyright: ignore[reportUnknownArgumentType]
                if meant is not None and meant != name:
                    raise ToolFailed(f"{path}{name} must be spelled {path}{meant}. Call the tool again.")
                _check_case(value, properties.get(name), f"{path}{name}.")  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        case list(), {"items": items}:
            for index, value in enumerate(arguments):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
                _check_case(value, items, f"{path}{index}.")
        case _:
            pass


def validator_of(schema: dict[str, Any] | str) -> Any:
    """What checks arguments against a schema. Raises ValueError where that is none.

    Addresses in it are not followed: whoever wrote it could have us fetch anything, or read our own files.
    """
    return jsonschema_rs.validator_for(
        schema, offline=True, pattern_options=FancyRegexOptions(backtrack_limit=BACKTRACKS)
    )


_validator = lru_cache(maxsize=512)(validator_of)
