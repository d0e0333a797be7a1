"""Local calls and their results: paired whatever the history looks like, under ids that every API takes."""

import re
from collections import defaultdict
from dataclasses import dataclass

import msgspec
from msgspec import structs

from perdure.core.message import ToolCall, ToolResult
from perdure.core.text import encodable

NAME_LENGTH = 64
NO_RESULT = "This call was interrupted before it produced a result."
_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]")


class Names:
    """Gives every call of a transcript an id of its own, legal everywhere, the same one every time."""

    def __init__(self, length: int, taken: set[str]) -> None:
        self._length = length
        self._taken = taken
        self._counts: dict[str, int] = {}
        """By the beginning of names, how many of its numbers are taken: some servers call every call the same."""

    def name(self, wanted: str) -> str:
        base = _ILLEGAL.sub("_", wanted)[: self._length] or "call"
        name, count = base, self._counts.get(base, 1)
        while name in self._taken:
            count += 1
            suffix = f"_{count}"
            name = base[: self._length - len(suffix)] + suffix
        self._taken.add(name)
        self._counts[base] = count
        return name


@dataclass(slots=True)
class Slot:
    """A local call and the place for its result."""

    call: ToolCall
    result: ToolResult | None = None


class Pairing:
    """Finds each result its call. A newer answer that repeats an id takes it over."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._open: dict[str, list[Slot]] = {}

    def calls(self, calls: list[ToolCall]) -> list[Slot]:
        """Slots for the calls of one assistant message."""
        fresh: dict[str, list[Slot]] = defaultdict(list)
        slots: list[Slot] = []
        for call in calls:
            renamed = structs.replace(
                call, call_id=self._names.name(call.call_id), tool=tool_name(call.tool), args=arguments(call.args)
            )
            slots.append(Slot(renamed))
            fresh[call.call_id].append(slots[-1])
        self._open.update(fresh)
        return slots

    def result(self, result: ToolResult) -> Slot | None:
        """Put a result where it belongs. If it belongs nowhere: a slot with a call made up for it."""
        waiting = self._open.get(result.call_id)
        if waiting:
            waiting.pop(0).result = result
            return None
        name = self._names.name(result.call_id)
        return Slot(ToolCall(call_id=name, tool=tool_name(result.tool), args="{}"), result)


def tool_name(written: str) -> str:
    """A tool's name as every API takes it: models invent some that none does."""
    return _ILLEGAL.sub("_", written)[:NAME_LENGTH] or "unknown"


def arguments(written: str) -> str:
    """The arguments as the text of a JSON object, which every API demands, whatever the model wrote."""
    written = encodable(written)
    if not written.strip():
        return "{}"
    return written if is_object(written) else msgspec.json.encode({"invalid_arguments": written}).decode()


def is_object(written: str) -> bool:
    """Whether the text is a JSON object."""
    try:
        return isinstance(msgspec.json.decode(written), dict)
    except (msgspec.DecodeError, RecursionError):
        return False
