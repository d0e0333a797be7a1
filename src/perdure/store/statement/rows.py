"""Rows of messages: one is given as values, several as arrays."""

from collections.abc import Hashable, Sequence
from typing import Any

from perdure.core.message import NewMessage
from perdure.store.rows import MESSAGE_COLUMNS
from perdure.store.statement.text import Shape, Text

Rows = Sequence[tuple[int, NewMessage]]
# A column that no message of the change has a value for is left out of the statement.
_ALWAYS = frozenset({"role", "visibility", "kind", "parts"})


def bind_rows(rows: Rows, columns: Sequence[Any], values: list[object]) -> Hashable:
    if len(rows) == 1:
        ((number, message),) = rows
        values.append(number)
        names: list[str] = []
        for name, (_, of) in columns:
            value = of(message)
            if value is not None or name in _ALWAYS:
                names.append(name)
                values.append(value)
        return False, tuple(names)
    values.append([number for number, _ in rows])
    values += ([of(message) for _, message in rows] for _, (_, of) in columns)
    return True, tuple(name for name, _ in columns)


def listed_rows(text: Text, shape: Shape) -> tuple[str, str, str]:
    """The columns of the rows, their values, and where the values come from."""
    many, names = shape
    typed = {"number": "integer", **{name: MESSAGE_COLUMNS[name][0] for name in names}}
    columns = ", ".join(typed)
    if not many:
        return columns, ", ".join(f"{text.value()}::{kind}" for kind in typed.values()), "swap"
    arrays = ", ".join(f"{text.value()}::{kind}[]" for kind in typed.values())
    return columns, ", ".join(f"r.{name}" for name in typed), f"swap, unnest({arrays}) AS r({columns})"
