"""From a turn's events to updates of a session, as editors show them."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from perdure.core.deltas import ToolResultDelta
from perdure.core.message import Message, Role, Text, ToolResult
from perdure.faces.turn import Called, Piece, Returned, TextKind, TurnEvent, TurnLog

T = TypeVar("T")


class _Edit(Struct, frozen=True):
    old_text: str = ""
    new_text: str = ""


class _File(Struct, frozen=True):
    path: str = ""
    edits: tuple[_Edit, ...] = ()


class _Plan(Struct, frozen=True):
    plan: str | None = None


class _Arguments(Struct, frozen=True):
    """What editors show of a call's arguments."""

    path: str = ""
    command: str = ""
    content: str | None = None
    files: tuple[_File, ...] = ()


PLANNING = "propose_plan"
PRINTED = 16 * 1024
"""How much of what a call prints an editor is shown while it runs."""
_POINT = re.compile(r"(?:[-*+]|\d+[.)])\s+(.+)")
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
                if call.tool == PLANNING:
                    yield from _planned(call.args)
            case Returned(result=result):
                yield _returned(result)
                if result.tool == PLANNING and not result.is_error:
                    # The plan of a file is known with the result only.
                    yield from _planned(result.result)
            case _:
                pass


class Running:
    """What calls that run have printed so far, as an editor shows it."""

    def __init__(self) -> None:
        self._printed: dict[str, str] = {}

    def update(self, delta: ToolResultDelta) -> dict[str, Any] | None:
        """What a piece of a result adds; nothing where it is the whole result, which is told when it is committed."""
        if delta.done or not delta.call_id:
            self._printed.pop(delta.call_id, None)
            return None
        before = "" if delta.result_reset else self._printed.get(delta.call_id, "")
        printed = self._printed[delta.call_id] = (before + delta.result_delta)[-PRINTED:]
        content = [{"type": "content", "content": text_block(printed)}]
        told = {"sessionUpdate": "tool_call_update", "toolCallId": delta.call_id, "status": "in_progress"}
        return {**told, "content": content}


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


def _planned(args: str) -> Iterator[dict[str, Any]]:
    """A plan as a list of steps: the points of its text, or all of it where it has none."""
    plan = (_decoded(args, _Plan) or _Plan()).plan or ""
    steps = [match[1].strip() for line in plan.splitlines() if (match := _POINT.match(line))] or [plan.strip()]
    entries = [{"content": step, "priority": "medium", "status": "pending"} for step in steps if step]
    if entries:
        yield {"sessionUpdate": "plan", "entries": entries}


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
