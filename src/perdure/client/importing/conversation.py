"""A chat of another program as a tree of messages: an edit or another answer is another branch of it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from perdure.core.message import File, Reasoning, Role, Text, ToolCall, ToolResult

AnyImported = Text | Reasoning | ToolCall | ToolResult | File
LONGEST_TEXT = 200_000
"""Characters of one text or result that are taken over. More is hardly read by anybody, and no model wants it."""

CUT = "\n[{count} characters were left out by the import.]"


class NotReadable(Exception):
    """A file, or a chat in it, cannot be read. The text says why."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of a message, which may be in the export or beside it."""

    name: str
    reference: str = ""
    """What the export calls it."""
    data: str = ""
    """Its content as Base64, where it stands in the message itself."""


@dataclass(frozen=True, slots=True)
class Node:
    """One message, and the one that it follows."""

    key: str
    parent: str | None
    role: Role
    parts: tuple[AnyImported, ...]
    at: datetime | None = None
    model: str = ""
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """A chat of another program. `current` is the newest message of the branch that people see."""

    source: str
    id: str
    title: str
    nodes: Sequence[Node]
    current: str | None = None
    project: str = ""
    """What the source calls the folder or the project that it belongs to."""
    skipped: int = 0
    """Messages that could not be read."""
    by_key: dict[str, Node] = field(init=False, repr=False, default_factory=dict[str, Node])

    def __post_init__(self) -> None:
        for node in self.nodes:
            self.by_key.setdefault(node.key, node)

    def paths(self) -> list[list[Node]]:
        """Every branch from its first message to its last, the oldest first and the one that people see last."""
        parents = {node.parent for node in self.by_key.values()}
        leaves = [node for node in self.by_key.values() if node.key not in parents]
        current = self.by_key.get(self.current or "") or (max(leaves, key=_when) if leaves else None)
        if current is None:
            return []
        seen = self.path(current)
        others = sorted((leaf for leaf in leaves if leaf.key != current.key), key=_when)
        on_path = {node.key for node in seen}
        branches = [self.path(leaf) for leaf in others if leaf.key not in on_path]
        return [*branches, seen]

    def path(self, leaf: Node) -> list[Node]:
        """From the first message to this one. A circle is cut where it closes."""
        found, key, seen = list[Node](), leaf.key, set[str]()
        while key not in seen and (node := self.by_key.get(key)) is not None:
            seen.add(key)
            found.append(node)
            if node.parent is None:
                break
            key = node.parent
        return found[::-1]


def _when(node: Node) -> tuple[float, str]:
    return (node.at.timestamp() if node.at else 0.0, node.key)


def chained(nodes: Sequence[Node]) -> list[Node]:
    """The nodes one after the other."""
    before: str | None = None
    linked = list[Node]()
    for node in nodes:
        linked.append(Node(node.key, before, node.role, node.parts, node.at, node.model, node.attachments))
        before = node.key
    return linked


def bounded(text: object) -> str:
    """A text as it is taken over."""
    said = text if isinstance(text, str) else "" if text is None else json.dumps(text, ensure_ascii=False)
    said = said.encode("utf-8", "replace").decode()
    return said if len(said) <= LONGEST_TEXT else said[:LONGEST_TEXT] + CUT.format(count=len(said) - LONGEST_TEXT)


def arguments(value: object) -> str:
    """The arguments of a call as JSON text: an object, whatever the source had."""
    if isinstance(value, str):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            parsed = {"input": value}
        return arguments(parsed)
    text = json.dumps(value if isinstance(value, dict) else {} if value is None else {"input": value})
    return text if len(text) <= LONGEST_TEXT else json.dumps({"input": bounded(text)})


def moment(value: object) -> datetime | None:
    """A time as ISO text, or as seconds or milliseconds since 1970."""
    try:
        match value:
            case bool():
                return None
            case int() | float():
                return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
            case str():
                found = datetime.fromisoformat(value)
                return found if found.tzinfo else found.replace(tzinfo=UTC)
            case _:
                return None
    except (ValueError, OverflowError, OSError):
        return None


def mapping(value: object) -> Mapping[str, Any]:
    """The value where it is an object, and nothing where it is anything else."""
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def items(value: object) -> Iterator[Any]:
    """The elements where it is a list."""
    if isinstance(value, list):
        yield from value  # pyright: ignore[reportUnknownVariableType]


def text_of(value: object) -> str:
    """What is a text, and nothing where it is anything else."""
    return value if isinstance(value, str) else ""
