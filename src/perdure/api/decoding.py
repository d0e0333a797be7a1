"""From bytes to what a handler wants: bodies and query strings into structs, with errors that name the place."""

import re
from functools import cache
from typing import Any

import msgspec

from perdure.api.wire.content import END
from perdure.core.errors import InvalidInput, Validation

_PLACE = re.compile(r"^(?P<detail>.*?)(?: - at (?:`key` in )?`\$\.?(?P<field>.*)`)?$", re.DOTALL)
_NAMED = re.compile(r"(?:contains unknown|missing required) field `(.*)`$")
_END_SHOWN = repr(END)[1:-1]


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def body_of(kind: Any, content: bytes) -> Any:
    """The body as a struct. An empty body is an empty object."""
    try:
        return _decoder(kind).decode(content or b"{}")
    except msgspec.ValidationError as error:
        raise InvalidInput("The request does not fit.", *_validations(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput("The body is not JSON.", Validation("", str(error))) from error


def query_of(kind: Any, values: dict[str, str]) -> Any:
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidInput("The query does not fit.", *_validations(error)) from error


def _validations(error: msgspec.ValidationError) -> tuple[Validation, ...]:
    found = _PLACE.match(str(error))
    assert found is not None
    place, detail = found["field"] or "", found["detail"].replace(_END_SHOWN, "$")
    if named := _NAMED.search(detail):
        # It says where the object is; who reads it wants to know which field.
        place = f"{place}.{named[1]}".lstrip(".")
    return (Validation(place, detail),)
