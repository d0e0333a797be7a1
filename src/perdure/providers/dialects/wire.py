"""JSON off the wire: decoded into the few fields that matter, and forgiving where vendors are careless."""

import json
from base64 import b64encode
from typing import Any, TypeVar

import msgspec

from perdure.core.text import encodable
from perdure.providers.errors.failures import Malformed
from perdure.providers.projection.media import Attachment

T = TypeVar("T")
SHOWN = 200
EXPLAINED = 500
MAX_WINDOW = 1_000_000_000
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What a decoder says of bytes that it cannot read."""


def parse(decoder: msgspec.json.Decoder[T], data: bytes) -> T:
    """The event. Broken UTF-8 and lone surrogates are replaced; what is not the expected JSON is Malformed."""
    try:
        return decoder.decode(data)
    except UNREADABLE as error:
        return parse_slowly(decoder, data, error)


def parse_slowly(decoder: msgspec.json.Decoder[T], data: bytes, first: Exception) -> T:
    """The second try at an event, for a caller whose first one failed."""
    try:
        value = json.loads(data.decode("utf-8", "replace"))
        return msgspec.convert(cleaned(value), decoder.type)
    except (ValueError, msgspec.ValidationError, RecursionError):
        raise Malformed(f"not an event of this API: {excerpt(data)}") from first


def cleaned(value: Any) -> Any:
    """Parsed JSON without lone surrogates."""
    match value:
        case str():
            return encodable(value)
        case list():
            return [cleaned(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
        case dict():
            return {encodable(key): cleaned(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case _:
            return value


def objects(value: object) -> list[dict[str, Any]]:
    """A list of objects, or none where it is anything else."""
    try:
        return msgspec.convert(value or [], list[dict[str, Any]])
    except msgspec.ValidationError:
        return []


def words(value: object) -> str:
    """The value where it is text; nothing where a server sends anything else in its place."""
    return value if isinstance(value, str) else ""


def explained(details: object) -> str | None:
    """Why an answer was withheld, in one line: the category and the explanation that the details give."""
    match details:
        case {"category": str(category), "explanation": str(explanation)}:
            words = f"{category}: {explanation}"
        case {"category": str(words)} | {"explanation": str(words)} if words.strip():
            pass
        case _:
            return None
    return " ".join(words.split())[:EXPLAINED] or None


def limit_of(*reported: object) -> int | None:
    """The first of these that is a size of a context window."""
    return next((size for size in reported if type(size) is int and 0 < size < MAX_WINDOW), None)


def excerpt(data: bytes) -> str:
    return data[:SHOWN].decode("utf-8", "replace")


def to_json(value: object) -> bytes:
    """The value as JSON. Lone surrogates, which JSON cannot hold, are replaced."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(cleaned(value))


def data_url(attachment: Attachment) -> str:
    return f"data:{attachment.media_type};base64,{b64encode(attachment.data).decode()}"
