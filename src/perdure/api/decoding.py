"""From bytes to what a handler wants: bodies and query strings into structs, with errors that name the place."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from perdure.api.wire.content import END, LINE, NAME
from perdure.core.errors import InvalidInput, Validation

T = TypeVar("T")

_UNKNOWN, _MISSING = "Object contains unknown field `", "Object missing required field `"
_SHOWN = 300
"""How much is told of what is wrong: a field that nobody knows may be as long as the body."""
_STEP = re.compile(r"(?<!\[)\b[^.\[\]]+")
_END_SHOWN = repr(END)[1:-1]
_SAID = {
    f"Expected `str` matching regex {NAME!r}": "must not be blank, and must be one line",
    f"Expected `str` matching regex {LINE!r}": "must be one line",
}
"""What a pattern asks for, in words."""


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def body_of(kind: Any, content: bytes) -> Any:
    """The body as a struct. An empty body is an empty object."""
    try:
        return _decoder(kind).decode(content or b"{}")
    except msgspec.ValidationError as error:
        raise InvalidInput("The request is not valid.", *_validations(error, kind)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput("The body is not JSON.", Validation("", str(error))) from error


def fitting(body: T) -> T:
    """A body that was put together here, if a request could have brought it: types alone do not bound what it holds."""
    return body_of(type(body), msgspec.json.encode(body))


def query_of(kind: Any, values: dict[str, str]) -> Any:
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidInput("The query is not valid.", *_validations(error, kind)) from error


def _validations(error: msgspec.ValidationError, kind: Any) -> tuple[Validation, ...]:
    told, _, path = str(error).rpartition(" - at `") if str(error).endswith("`") else (str(error), "", "")
    if not told:
        told, path = path, ""
    place = path.removeprefix("key` in `").removeprefix("$").removeprefix(".").removesuffix("`")
    detail = _SAID.get(told, told).replace(_END_SHOWN, "$")
    for named in (_UNKNOWN, _MISSING):
        if detail.startswith(named):
            # It says where the object is; who reads it wants to know which field.
            place = f"{place}.{detail.removeprefix(named).removesuffix('`')}".lstrip(".")
    place, detail = place[:_SHOWN], detail[:_SHOWN]
    if detail.startswith("Invalid enum value") and (known := _choices(kind, place)):
        detail = f"{detail}. It is one of: {', '.join(known)}"
    return (Validation(place, detail),)


def _choices(kind: Any, place: str) -> list[str]:
    """The values that the field at this place may have, where it may have only some."""
    types = [*_within(inspect.type_info(kind))]
    for name in _STEP.findall(place):
        fields = [field for found in types if isinstance(found, inspect.StructType) for field in found.fields]
        types = [found for field in fields if field.encode_name == name for found in _within(field.type)]
    return [str(value.value) for found in types if isinstance(found, inspect.EnumType) for value in found.cls]


def _within(found: inspect.Type) -> Iterator[inspect.Type]:
    """The types that a value may have, also as one of many."""
    match found:
        case inspect.UnionType(types=types):
            for one in types:
                yield from _within(one)
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            yield from _within(item)
        case _:
            yield found


# There is no day after the last one that dates know.
_LAST = date.max - timedelta(days=1)


def midnight(day: date) -> datetime:
    """When a day begins."""
    return datetime.combine(day, time(), UTC)


def midnight_after(day: date) -> datetime:
    """When a day is over."""
    return midnight(min(day, _LAST)) + timedelta(days=1)
