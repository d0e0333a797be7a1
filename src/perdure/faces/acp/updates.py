"""From a turn's events to updates of a session, as editors show them."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from perdure.core.message import Message, Role, Text, ToolResult
from perdure.faces.turn import Called, Piece, Returned, TextKind, TurnEvent, TurnLog

T = TypeVar("T")


class _Edit(Struct, frozen=True):
    old_text: str = ""
    new_text: str = ""


class _File(Struct, frozen=True):
    path: str = ""
    edits: tuple[_Edit, ...] = ()


class _Arguments(Struct, frozen=True):
    """What editors show of a call's arguments."""

    path: str = ""
    command: str = ""
    content: str | None = None
    files: tuple[_File, ...] = ()


_CHUNKS = {TextKind.TEXT: "agent_message_chunk", TextKind.REASONING: "agent_thought_chunk"}
_KINDS = {
    "read_file": "read",
    "write_file": "edit",
    "edit_files": "edit",
    "list_files": "search",
    "search_files": "search",
    "execute": "execute",
    "propose_plan": "think",
}


def updates_of(events: Iterable[TurnEvent]) -> Iterator[dict[str, Any]]:
    for event in events:
        match event:
            case Piece(kind=kind, text=text):
                yield {"sessionUpdate": _CHUNKS[kind], "content": text_block(text)}
            case Called(call=call):
                yield {"sessionUpdate": "tool_call", "status": "pending", **call_of(call.call_id, call.tool, call.args)}
            case Returned(result=result):
                yield _returned(result)
            case _:
                pass


def history_of(messages: Iterable[Message]) -> Iterator[dict[str, Any]]:
    """All that was said, for an editor that opens a session again."""
    log = TurnLog(0)
    for message in messages:
        if message.role is Role.USER:
            texts = (part.text for part in message.parts if isinstance(part, Text))
            yield {"sessionUpdate": "user_message_chunk", "content": text_block("\n".join(texts))}
        yield from updates_of(log.committed(message))


def call_of(call_id: str, tool: str, args: str) -> dict[str, Any]:
    """A call as an editor shows it: what it is about, which files it touches, what it would change."""
    given = _decoded(args, _Arguments) or _Arguments()
    paths = [path for path in (given.path, *(file.path for file in given.files)) if path]
    subject = given.command or ", ".join(paths)
    called: dict[str, Any] = {
        "toolCallId": call_id,
        "title": f"{tool}: {subject}" if subject else tool,
        "kind": _KINDS.get(tool, "other"),
        "rawInput": _decoded(args, dict[str, Any]) or {},
        "locations": [{"path": path} for path in paths],
    }
    if tool == "write_file" and given.content is not None:
        called["content"] = [{"type": "diff", "path": given.path, "newText": given.content}]
    elif diffs := [
        {"type": "diff", "path": file.path, "oldText": edit.old_text, "newText": edit.new_text}
        for file in given.files
        for edit in file.edits
    ]:
        called["content"] = diffs
    return called


def text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _returned(result: ToolResult) -> dict[str, Any]:
    return {
        "sessionUpdate": "tool_call_update",
        "toolCallId": result.call_id,
        "status": "failed" if result.is_error else "completed",
        "content": [{"type": "content", "content": text_block(result.result)}],
    }


def _decoded(args: str, kind: type[T]) -> T | None:
    """The arguments, where they are what they should be: a model may write anything."""
    try:
        return msgspec.json.decode(args or "{}", type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
