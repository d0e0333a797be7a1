"""Sessions of Claude Code: one JSON line a message, each naming the one before it."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from perdure.client.importing.conversation import (
    AnyImported,
    Conversation,
    Node,
    arguments,
    bounded,
    items,
    mapping,
    moment,
    text_of,
)
from perdure.core.message import Reasoning, Role, Text, ToolCall, ToolResult

SOURCE = "claude_code"
_NOT_SAID = ("<local-command-", "<command-name>", "<command-message>", "Caveat: The messages below")


def is_session(line: Mapping[str, Any]) -> bool:
    return "sessionId" in line


def read(lines: Iterable[Mapping[str, Any]], name: str) -> Conversation:
    """The session of a file."""
    session, title, folder = "", "", ""
    said = list[Mapping[str, Any]]()
    links = dict[str, str | None]()
    for line in lines:
        session = session or text_of(line.get("sessionId"))
        folder = folder or text_of(line.get("cwd"))
        if line.get("type") in ("summary", "ai-title", "custom-title"):
            title = next((text_of(line[key]) for key in ("customTitle", "aiTitle", "summary") if key in line), title)
        key = text_of(line.get("uuid"))
        if not key or line.get("isSidechain"):
            continue
        links[key] = text_of(line.get("parentUuid")) or text_of(line.get("logicalParentUuid")) or None
        if line.get("type") in ("user", "assistant") and not line.get("isMeta"):
            said.append(line)
    nodes = _rejoined(_merged(said, links))
    newest = nodes[-1].key if nodes else None
    return Conversation(SOURCE, session or name, title, nodes, newest, project=PurePath(folder).name)


def _merged(lines: Sequence[Mapping[str, Any]], links: dict[str, str | None]) -> list[Node]:
    """The pieces of one answer, each of which has a line, as one message; and each message after the one before."""
    groups = dict[str, list[Mapping[str, Any]]]()
    for line in lines:
        answer = text_of(mapping(line.get("message")).get("id")) if line["type"] == "assistant" else ""
        groups.setdefault(answer or line["uuid"], []).append(line)
    known = dict[str, str]()
    made = list[tuple[list[Mapping[str, Any]], str]]()
    for group in groups.values():
        parts = sum(len(_parts(line)) for line in group)
        # An answer that grew since it was imported is another one.
        key = group[0]["uuid"] if len(group) == 1 else f"{group[0]['uuid']}.{parts}"
        known |= {line["uuid"]: key for line in group}
        made.append((group, key))
    nodes = list[Node]()
    for group, key in made:
        if (node := _node(group, key, links, known, nodes)) is not None:
            nodes.append(node)
    return nodes


def _node(
    group: Sequence[Mapping[str, Any]],
    key: str,
    links: dict[str, str | None],
    known: dict[str, str],
    earlier: Sequence[Node],
) -> Node | None:
    first = group[0]
    parts = tuple(part for line in group for part in _parts(line))
    if not parts:
        return None
    role = Role.ASSISTANT if first["type"] == "assistant" else Role.USER
    if role is Role.USER and all(isinstance(part, ToolResult) for part in parts):
        role = Role.TOOL
    model = text_of(mapping(first.get("message")).get("model")).replace("<synthetic>", "")
    return Node(
        key, _before(first["uuid"], key, links, known, earlier), role, parts, moment(first.get("timestamp")), model
    )


def _before(
    uuid: str, key: str, links: dict[str, str | None], known: dict[str, str], earlier: Sequence[Node]
) -> str | None:
    """The nearest message before a line: what lies between are notes of the program. Where a line is missing, the
    message that stands before it."""
    at, seen = links.get(uuid), {uuid}
    while at is not None and at not in seen and known.get(at, key) == key:
        if at not in links:
            return earlier[-1].key if earlier else None
        seen.add(at)
        at = links[at]
    return known.get(at) if at is not None and at not in seen else None


def _rejoined(nodes: Sequence[Node]) -> list[Node]:
    """The results of parallel calls in a row. In the file each hangs on its own call, and only one is gone on from."""
    asked = {part.call_id: node.key for node in nodes for part in node.parts if isinstance(part, ToolCall)}
    calls_of = {node.key: call for node in nodes if (call := _answered(node, asked)) is not None}
    ends = {call: key for key, call in calls_of.items()}
    before = dict[str, str]()
    joined = list[Node]()
    for node in nodes:
        parent = node.parent
        if (call := calls_of.get(node.key)) is not None:
            parent, before[call] = before.get(call, call), node.key
        elif parent is not None:
            parent = ends.get(calls_of.get(parent, parent), parent)
        joined.append(Node(node.key, parent, node.role, node.parts, node.at, node.model))
    return joined


def _answered(node: Node, asked: Mapping[str, str]) -> str | None:
    """The message whose call this one answers."""
    if node.role is not Role.TOOL:
        return None
    return next((asked[p.call_id] for p in node.parts if isinstance(p, ToolResult) and p.call_id in asked), None)


def _parts(line: Mapping[str, Any]) -> list[AnyImported]:
    content = mapping(line.get("message")).get("content")
    if isinstance(content, str):
        return [] if not content.strip() or content.startswith(_NOT_SAID) else [Text(bounded(content))]
    return [part for block in items(content) if (part := _part(mapping(block))) is not None]


def _part(block: Mapping[str, Any]) -> AnyImported | None:
    match block.get("type"):
        case "text" if text_of(block.get("text")).strip() and not text_of(block["text"]).startswith(_NOT_SAID):
            return Text(bounded(block["text"]))
        case "thinking" if text_of(block.get("thinking")).strip():
            return Reasoning(bounded(block["thinking"]))
        case "tool_use":
            return ToolCall(text_of(block.get("id")), text_of(block.get("name")), arguments(block.get("input")))
        case "tool_result":
            error = bool(block.get("is_error"))
            return ToolResult(text_of(block.get("tool_use_id")), "", _result(block.get("content")), is_error=error)
        case "image" | "document":
            return Text(f"[{block['type']}]")
        case _:
            return None


def _result(content: object) -> str:
    if isinstance(content, str):
        return bounded(content)
    said = (
        text_of(mapping(block).get("text")) or f"[{mapping(block).get('type', 'part')}]" for block in items(content)
    )
    return bounded("\n".join(said))
