"""The place for reading a request's JSON: every field is asked for by name and type, anything else is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import cast

from perdure.workspaces.agent.problems import invalid


class Fields:
    """A JSON object from outside, narrowed field by field."""

    def __init__(self, values: Mapping[str, object], where: str = "") -> None:
        self._values = values
        self._where = where

    @classmethod
    def parse(cls, content: bytes) -> Fields:
        try:
            value: object = json.loads(content) if content else {}
        except ValueError:
            raise invalid("the request's body is not JSON") from None
        return cls.of(value)

    @classmethod
    def of(cls, value: object, where: str = "") -> Fields:
        if not isinstance(value, dict):
            raise invalid(f"{where or 'the body'} must be an object")
        return cls(cast("Mapping[str, object]", value), where)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def text(self, name: str, default: str | None = None) -> str:
        value = self._values.get(name, default)
        if not isinstance(value, str):
            raise invalid(f"{self._named(name)} must be a string")
        return value

    def has(self, name: str) -> bool:
        return self._values.get(name) is not None

    def maybe_text(self, name: str) -> str | None:
        return None if self._values.get(name) is None else self.text(name)

    def integer(self, name: str, default: int | None = None, low: int = 0, high: int = 1 << 62) -> int:
        value = self._values.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise invalid(f"{self._named(name)} must be a whole number")
        if not low <= value <= high:
            raise invalid(f"{self._named(name)} must be between {low} and {high}")
        return value

    def maybe_integer(self, name: str) -> int | None:
        return None if self._values.get(name) is None else self.integer(name)

    def flag(self, name: str, default: bool = False) -> bool:
        value = self._values.get(name, default)
        if not isinstance(value, bool):
            raise invalid(f"{self._named(name)} must be true or false")
        return value

    def objects(self, name: str) -> list[Fields]:
        value = self._values.get(name)
        if not isinstance(value, list):
            raise invalid(f"{self._named(name)} must be a list")
        items = cast("list[object]", value)
        return [Fields.of(item, f"{self._named(name)}[{index}]") for index, item in enumerate(items)]

    def texts(self, name: str) -> list[str]:
        value = self._values.get(name, [])
        if not isinstance(value, list):
            raise invalid(f"{self._named(name)} must be a list of strings")
        items = cast("list[object]", value)
        found = [item for item in items if isinstance(item, str)]
        if len(found) != len(items):
            raise invalid(f"{self._named(name)} must be a list of strings")
        return found

    def text_map(self, name: str) -> dict[str, str]:
        inner = Fields.of(self._values.get(name) or {}, self._named(name))
        return {key: inner.text(key) for key in inner._values}

    def object(self, name: str) -> Fields:
        return Fields.of(self._values.get(name) or {}, self._named(name))

    def fingerprint(self) -> str:
        """The same for the same request, whatever the order of its fields."""
        content = json.dumps(self._values, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()

    def _named(self, name: str) -> str:
        return f"{self._where}.{name}" if self._where else name
