"""Chats of Claude's export, of LibreChat and of Open WebUI: messages that name the one before them."""

from collections.abc import Iterator, Mapping
from typing import Any

from perdure.client.importing.conversation import (
    AnyImported,
    Attachment,
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

CLAUDE, LIBRECHAT, OPEN_WEBUI = "claude", "librechat", "open_webui"
Said = list[AnyImported]
_ROOTS = ("", "00000000-0000-0000-0000-000000000000", "00000000-0000-4000-8000-000000000000")


def is_claude(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("chat_messages"), list)


def is_librechat(value: Mapping[str, Any]) -> bool:
    return "conversationId" in value and isinstance(value.get("messages"), list)


def is_open_webui(value: Mapping[str, Any]) -> bool:
    return isinstance(mapping(mapping(value.get("chat")).get("history")).get("messages"), dict)


def read_claude(value: Mapping[str, Any]) -> Conversation:
    nodes = list[Node]()
    for each in items(value.get("chat_messages")):
        message = mapping(each)
        said = list(_claude_parts(message))
        files = tuple(
            Attachment(text_of(mapping(file).get("file_name")) or "file", text_of(mapping(file).get("file_uuid")))
            for file in items(message.get("files"))
        )
        role = Role.USER if message.get("sender") == "human" else Role.ASSISTANT
        at = moment(message.get("created_at"))
        nodes += _steps(
            text_of(message.get("uuid")), _parent(message.get("parent_message_uuid")), role, said, at, files
        )
    named = any(mapping(each).get("parent_message_uuid") for each in items(value.get("chat_messages")))
    linked = nodes if named else chained(nodes)
    current = _last_of(linked, text_of(value.get("current_leaf_message_uuid")))
    return Conversation(CLAUDE, text_of(value.get("uuid")), text_of(value.get("name")), linked, current)


def _claude_parts(message: Mapping[str, Any]) -> Iterator[AnyImported]:
    blocks = [mapping(block) for block in items(message.get("content"))]
    for block in blocks or [{"type": "text", "text": message.get("text")}]:
        match block.get("type"):
            case "text" if text_of(block.get("text")).strip():
                yield Text(bounded(block["text"]))
            case "thinking" if text_of(block.get("thinking")).strip():
                yield Reasoning(bounded(block["thinking"]))
            case "tool_use":
                yield ToolCall(text_of(block.get("id")), text_of(block.get("name")), arguments(block.get("input")))
            case "tool_result":
                said = "\n".join(text_of(mapping(each).get("text")) for each in items(block.get("content")))
                failed = bool(block.get("is_error"))
                yield ToolResult(text_of(block.get("tool_use_id")), "", bounded(said), is_error=failed)
            case _:
                pass
    for file in items(message.get("attachments")):
        if text := text_of(mapping(file).get("extracted_content")):
            yield Text(bounded(f"{text_of(mapping(file).get('file_name')) or 'File'}:\n\n{text}"))


def read_librechat(value: Mapping[str, Any]) -> Conversation:
    nodes = list[Node]()
    for message in _flat(value.get("messages")):
        role = Role.USER if message.get("isCreatedByUser") else Role.ASSISTANT
        at, model = moment(message.get("createdAt")), text_of(message.get("model"))
        key, parent = text_of(message.get("messageId")), _parent(message.get("parentMessageId"))
        nodes += _steps(key, parent, role, list(_librechat_parts(message)), at, (), "" if role is Role.USER else model)
    chat = text_of(value.get("conversationId"))
    return Conversation(LIBRECHAT, chat, text_of(value.get("title")), nodes, None)


def _flat(messages: object) -> Iterator[Mapping[str, Any]]:
    """Messages in a list, or each below the one that it answers."""
    waiting = list(items(messages))[::-1]
    while waiting:
        message = mapping(waiting.pop())
        yield message
        waiting += list(items(message.get("children")))[::-1]


def _librechat_parts(message: Mapping[str, Any]) -> Iterator[AnyImported]:
    blocks = [mapping(block) for block in items(message.get("content"))]
    for block in blocks or [{"type": "text", "text": message.get("text")}]:
        kind = block.get("type")
        text = block.get(str(kind))
        said = text_of(mapping(text).get("value")) or text_of(text)
        match kind:
            case "text" if said.strip():
                yield Text(bounded(said))
            case "think" if said.strip():
                yield Reasoning(bounded(said))
            case "tool_call":
                call = mapping(block.get("tool_call"))
                name = text_of(call.get("name"))
                yield ToolCall(text_of(call.get("id")), name, arguments(call.get("args")))
                if "output" in call:
                    yield ToolResult(text_of(call.get("id")), name, bounded(call["output"]))
            case _:
                pass


def read_open_webui(value: Mapping[str, Any]) -> Conversation:
    chat = mapping(value.get("chat"))
    history = mapping(chat.get("history"))
    nodes = list[Node]()
    for key, each in mapping(history.get("messages")).items():
        message = mapping(each)
        role = Role.USER if message.get("role") == "user" else Role.ASSISTANT
        said: Said = [Text(bounded(message["content"]))] if text_of(message.get("content")).strip() else []
        files = tuple(_open_webui_files(message))
        at, model = moment(message.get("timestamp")), text_of(message.get("model"))
        parent = _parent(message.get("parentId"))
        nodes += _steps(key, parent, role, said, at, files, "" if role is Role.USER else model)
    current = _last_of(nodes, text_of(history.get("currentId")))
    title = text_of(value.get("title")) or text_of(chat.get("title"))
    return Conversation(OPEN_WEBUI, text_of(value.get("id")) or text_of(chat.get("id")), title, nodes, current)


def _open_webui_files(message: Mapping[str, Any]) -> Iterator[Attachment]:
    for each in items(message.get("files")):
        file = mapping(each)
        url = text_of(file.get("url"))
        name = text_of(file.get("name")) or "image"
        yield Attachment(name, data=url.partition("base64,")[2] if url.startswith("data:") else "")


def _parent(value: object) -> str | None:
    """The message before. A root names none, or one of zeros."""
    key = text_of(value)
    return None if key in _ROOTS else key


def _steps(
    key: str,
    parent: str | None,
    role: Role,
    said: Said,
    at: Any,
    files: tuple[Attachment, ...] = (),
    model: str = "",
) -> Iterator[Node]:
    """A message; one that holds calls and their results as the steps that it was. The last has the message's key."""
    steps = list(_split(role, said))
    if not key or not (steps or files):
        return
    for number, (whose, parts) in enumerate(steps or [(role, [])]):
        last = number >= len(steps) - 1
        name = key if last else f"{key}.{number}"
        yield Node(name, parent, whose, tuple(parts), at, model, files if last else ())
        parent = name


def _split(role: Role, said: Said) -> Iterator[tuple[Role, Said]]:
    """What was said up to each group of results, and that group."""
    parts, results = Said(), Said()
    for part in said:
        if isinstance(part, ToolResult):
            results.append(part)
            continue
        if results:
            yield from _step(role, parts, results)
            parts, results = Said(), Said()
        parts.append(part)
    yield from _step(role, parts, results)


def _step(role: Role, parts: Said, results: Said) -> Iterator[tuple[Role, Said]]:
    if parts:
        yield role, parts
    if results:
        yield Role.TOOL, results


def _last_of(nodes: list[Node], key: str) -> str | None:
    return key if any(node.key == key for node in nodes) else None
