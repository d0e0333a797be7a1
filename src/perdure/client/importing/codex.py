"""Sessions of Codex: a rollout file, one JSON line an item of the conversation, in their order."""

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

from perdure.client.importing.conversation import (
    AnyImported,
    Conversation,
    Node,
    arguments,
    bounded,
    chained,
    items,
    mapping,
    moment,
    text_of,
)
from perdure.core.message import Reasoning, Role, Text, ToolCall, ToolResult

SOURCE = "codex"
_CONTEXT = (
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<permissions",
    "# AGENTS.md instructions",
)


def is_session(line: Mapping[str, Any]) -> bool:
    return line.get("type") == "session_meta"


def read(lines: Iterable[Mapping[str, Any]], name: str) -> Conversation:
    """The session of a file."""
    session, folder, model = "", "", ""
    nodes = list[Node]()
    for number, line in enumerate(lines):
        payload = mapping(line.get("payload"))
        match line.get("type"):
            case "session_meta":
                session = session or text_of(payload.get("id"))
                folder = folder or text_of(payload.get("cwd"))
            case "turn_context":
                model = text_of(payload.get("model")) or model
            case "response_item" if (found := _item(payload)) is not None:
                role, part = found
                nodes.append(Node(f"{number}", None, role, (part,), moment(line.get("timestamp")), model))
            case _:
                pass
    merged = chained(_merged(nodes))
    newest = merged[-1].key if merged else None
    return Conversation(SOURCE, session or name, "", merged, newest, project=PurePath(folder).name)


def _item(item: Mapping[str, Any]) -> tuple[Role, AnyImported] | None:
    call_id = text_of(item.get("call_id")) or text_of(item.get("id"))
    match item.get("type"):
        case "message":
            return _message(item)
        case "reasoning":
            text = "\n\n".join(text_of(mapping(each).get("text")) for each in items(item.get("summary")))
            return (Role.ASSISTANT, Reasoning(bounded(text))) if text.strip() else None
        case "function_call":
            return Role.ASSISTANT, ToolCall(call_id, text_of(item.get("name")), arguments(item.get("arguments")))
        case "custom_tool_call":
            return Role.ASSISTANT, ToolCall(call_id, text_of(item.get("name")), arguments(item.get("input")))
        case "local_shell_call":
            return Role.ASSISTANT, ToolCall(call_id, "shell", arguments(item.get("action")))
        case "function_call_output" | "custom_tool_call_output" | "local_shell_call_output":
            return Role.TOOL, ToolResult(call_id, "", _output(item.get("output")))
        case _:
            return None


def _message(item: Mapping[str, Any]) -> tuple[Role, AnyImported] | None:
    said = "\n".join(text_of(mapping(part).get("text")) for part in items(item.get("content")))
    role = item.get("role")
    if not said.strip() or role not in ("user", "assistant"):
        return None
    if role == "user" and said.lstrip().startswith(_CONTEXT):
        return None
    return Role(role), Text(bounded(said))


def _output(output: object) -> str:
    content: object = mapping(output).get("content", output)
    texts = [text_of(mapping(each).get("text")) or "[part]" for each in items(content)]
    return bounded("\n".join(texts) if texts else content)


def _merged(nodes: Iterable[Node]) -> list[Node]:
    """What a model said in one answer as one message: its items follow each other until a result or a person."""
    merged = list[Node]()
    for node in nodes:
        last = merged[-1] if merged else None
        if last is None or node.role is not last.role or node.role is Role.USER or _closed(last, node):
            merged.append(node)
        else:
            key = f"{last.key.partition('-')[0]}-{node.key}"
            merged[-1] = Node(key, None, last.role, (*last.parts, *node.parts), last.at, last.model)
    return merged


def _closed(last: Node, node: Node) -> bool:
    """Whether an answer is over: a text after a text is another one."""
    return isinstance(last.parts[-1], Text) and isinstance(node.parts[0], Text | Reasoning)
