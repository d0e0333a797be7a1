"""How a row of the driver becomes a struct: columns by name, texts as the enumerations that they stand for."""

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from operator import itemgetter
from types import NoneType, UnionType
from typing import Any, TypeAlias, Union, get_args, get_origin, get_type_hints

import msgspec
from asyncpg import Record

from perdure.core.chat import Chat
from perdure.core.events import QueuedMessage
from perdure.core.message import Message
from perdure.store.rows import ANSWER_FIELDS, chat_of, message_of, queued_of

Reader: TypeAlias = "Callable[[Record], Any]"

# What is put together in a way of its own, and from which columns where those are not its fields.
_OWN: dict[Any, Reader] = {Chat: chat_of, Message: message_of, QueuedMessage: queued_of, Record: lambda row: row}
_TEXTS = {
    Chat: ("last_error", "retry_state", "action", "stopped_by", "open_calls"),
    Message: ("parts",),
    QueuedMessage: ("parts",),
}
_QUEUE = {"queue": list[int]}
_ANSWER = {"answer": str}


def optional(hint: Any) -> tuple[Any, bool]:
    """What a type is without None, and whether it may be None."""
    if get_origin(hint) not in (Union, UnionType):
        return hint, hint is NoneType
    kinds = [each for each in get_args(hint) if each is not NoneType]
    return (kinds[0] if len(kinds) == 1 else hint), len(kinds) < len(get_args(hint))


def fields_of(hint: Any) -> tuple[str, ...]:
    """The fields of a struct, in order; nothing for what is no struct."""
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return hint.__struct_fields__
    if isinstance(hint, type) and is_dataclass(hint):
        return tuple(field.name for field in fields(hint))
    return ()


def reader_of(hint: Any) -> Reader:
    """How a row becomes such a value."""
    if hint in _OWN:
        return _OWN[hint]
    names = fields_of(hint)
    if names:
        return _struct_reader(hint, names)
    cast = _cast(hint)
    return _first if cast is None else lambda row: cast(row[0])


def _first(row: Record) -> Any:
    return row[0]


def _struct_reader(kind: Any, names: Sequence[str]) -> Reader:
    hints = get_type_hints(kind)
    nested = {name: reader_of(hints[name]) for name in names if hints[name] in _OWN or fields_of(hints[name])}
    if nested:
        readers = [nested.get(name) or _column_reader(name, hints[name]) for name in names]
        return lambda row: kind(*[read(row) for read in readers])
    casts = [(place, cast) for place, name in enumerate(names) if (cast := _cast(hints[name])) is not None]
    columns = _columns(names)
    if not casts:
        return lambda row: kind(*columns(row))

    def read(row: Record) -> Any:
        values = list(columns(row))
        for place, cast in casts:
            values[place] = cast(values[place])
        return kind(*values)

    return read


def _columns(names: Sequence[str]) -> Callable[[Record], Sequence[Any]]:
    if len(names) == 1:
        return lambda row: (row[names[0]],)
    return itemgetter(*names)


def _column_reader(name: str, hint: Any) -> Reader:
    cast = _cast(hint)
    return itemgetter(name) if cast is None else lambda row: cast(row[name])


def _cast(hint: Any) -> Callable[[Any], Any] | None:
    """What makes a column's value of this type, where the driver does not."""
    kind, nullable = optional(hint)
    if isinstance(kind, type) and issubclass(kind, Enum):
        # An empty text is what no value is stored as in columns that may not be null.
        return (lambda value: kind(value) if value else None) if nullable else kind
    if get_origin(kind) is tuple:
        return (lambda value: None if value is None else tuple(value)) if nullable else tuple
    return None


def columns_of(kind: Any) -> dict[str, Any]:
    """The columns that a struct is read from, and what they become."""
    hints = get_type_hints(kind)
    if kind in _OWN:
        return _own_columns(kind, hints)
    columns: dict[str, Any] = {}
    for name in fields_of(kind):
        nested = fields_of(hints[name])
        columns |= columns_of(hints[name]) if nested else {name: hints[name]}
    return columns


def _own_columns(kind: Any, hints: dict[str, Any]) -> dict[str, Any]:
    columns = {name: hints[name] for name in fields_of(kind)}
    columns |= dict.fromkeys(_TEXTS[kind], str)
    if kind is Chat:
        columns |= _QUEUE
    if kind is Message:
        elsewhere = (*ANSWER_FIELDS, "said_at")
        columns = {name: hint for name, hint in columns.items() if name not in elsewhere} | _ANSWER
    return columns
