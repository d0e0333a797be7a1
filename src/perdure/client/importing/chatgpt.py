"""Chats of ChatGPT's export: a tree of nodes each, with the branch that people see."""

from collections.abc import Iterator, Mapping
from typing import Any

from perdure.client.importing.conversation import (
    AnyImported,
    Attachment,
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

SOURCE = "chatgpt"
_NOT_SAID = ("user_editable_context", "model_editable_context", "reasoning_recap", "system_error")


def is_chat(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("mapping"), dict)


def read(value: Mapping[str, Any]) -> Conversation:
    tree = mapping(value.get("mapping"))
    nodes, calls, known = list[Node](), dict[str, str](), set[str]()
    for key in _in_order(tree):
        node = mapping(tree[key])
        message = mapping(node.get("message"))
        parent = _nearest(tree, text_of(node.get("parent")), known)
        found = _message(key, message, calls.get(parent or "", ""))
        if found is None:
            continue
        role, parts, attachments = found
        known.add(key)
        if parts and isinstance(parts[0], ToolCall):
            calls[key] = parts[0].call_id
        model = text_of(mapping(message.get("metadata")).get("model_slug")) if role is Role.ASSISTANT else ""
        at = moment(message.get("create_time"))
        nodes.append(Node(key, parent, role, parts, at, model, attachments))
    current = _nearest(tree, text_of(value.get("current_node")), known)
    chat = text_of(value.get("conversation_id")) or text_of(value.get("id"))
    return Conversation(SOURCE, chat, text_of(value.get("title")), nodes, current)


def _in_order(tree: Mapping[str, Any]) -> Iterator[str]:
    """The nodes, each after its parent. What hangs on nothing or on itself is taken as it comes."""
    waiting = [key for key, node in tree.items() if mapping(node).get("parent") not in tree]
    seen = set[str]()
    while waiting:
        key = waiting.pop()
        if key in tree and key not in seen:
            seen.add(key)
            yield key
            waiting += [text_of(child) for child in items(mapping(tree[key]).get("children"))][::-1]
    yield from (key for key in tree if key not in seen)


def _nearest(tree: Mapping[str, Any], key: str, known: set[str]) -> str | None:
    """The node, or the nearest above it, that says something."""
    seen = set[str]()
    while key and key not in seen and key in tree:
        if key in known:
            return key
        seen.add(key)
        key = text_of(mapping(tree[key]).get("parent"))
    return None


def _message(
    key: str, message: Mapping[str, Any], call: str
) -> tuple[Role, tuple[AnyImported, ...], tuple[Attachment, ...]] | None:
    author, content = mapping(message.get("author")), mapping(message.get("content"))
    metadata = mapping(message.get("metadata"))
    kind, role = content.get("content_type"), author.get("role")
    if kind in _NOT_SAID or metadata.get("is_visually_hidden_from_conversation"):
        return None
    said, files = _said(content)
    files = (*files, *_attached(metadata, files))
    recipient = text_of(message.get("recipient")) or "all"
    match role:
        case "user" if said.strip() or files:
            return Role.USER, (Text(bounded(said)),) if said.strip() else (), files
        case "assistant" if recipient != "all":
            return Role.ASSISTANT, (ToolCall(key, recipient, arguments(said)),), ()
        case "assistant" if kind == "thoughts":
            return (Role.ASSISTANT, (Reasoning(bounded(said)),), ()) if said.strip() else None
        case "assistant" if said.strip() or files:
            return Role.ASSISTANT, (Text(bounded(said or "[image]")),), ()
        case "tool" if call:
            return Role.TOOL, (ToolResult(call, text_of(author.get("name")), bounded(said or "[no text]")),), ()
        case "tool" if said.strip():
            return Role.ASSISTANT, (Text(bounded(said)),), ()
        case _:
            return None


def _said(content: Mapping[str, Any]) -> tuple[str, tuple[Attachment, ...]]:
    texts, files = list[str](), list[Attachment]()
    for part in items(content.get("parts")):
        if isinstance(part, str):
            texts.append(part)
        elif pointer := text_of(mapping(part).get("asset_pointer")):
            files.append(Attachment("image", pointer.partition("://")[2]))
        else:
            texts.append(text_of(mapping(part).get("text")))
    for thought in items(content.get("thoughts")):
        texts.append(text_of(mapping(thought).get("content")) or text_of(mapping(thought).get("summary")))
    texts += [text_of(content.get(name)) for name in ("text", "result") if name in content]
    return "\n\n".join(text for text in texts if text), tuple(files)


def _attached(metadata: Mapping[str, Any], known: tuple[Attachment, ...]) -> Iterator[Attachment]:
    shown = {file.reference for file in known}
    for each in items(metadata.get("attachments")):
        about = mapping(each)
        reference = text_of(about.get("id"))
        if reference and reference not in shown:
            yield Attachment(text_of(about.get("name")) or "file", reference)
