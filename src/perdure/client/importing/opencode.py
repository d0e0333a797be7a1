"""Sessions of opencode: its database, or what `opencode export` writes."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path, PurePath
from typing import Any

from perdure.client.importing.conversation import (
    AnyImported,
    Conversation,
    Node,
    NotReadable,
    arguments,
    bounded,
    chained,
    items,
    mapping,
    moment,
    text_of,
)
from perdure.core.message import Reasoning, Role, Text, ToolCall, ToolResult

SOURCE = "opencode"
_SESSIONS = "SELECT id, title, directory FROM session ORDER BY time_created, id"
_MESSAGES = "SELECT id, data, time_created FROM message WHERE session_id = ? ORDER BY time_created, id"
_PARTS = "SELECT message_id, data FROM part WHERE session_id = ? ORDER BY id"


def is_export(value: Mapping[str, Any]) -> bool:
    return "info" in value and isinstance(value.get("messages"), list)


def read_export(value: Mapping[str, Any]) -> Conversation:
    """A session as `opencode export` writes it."""
    info = mapping(value.get("info"))
    nodes = list[Node]()
    for message in items(value.get("messages")):
        about = mapping(mapping(message).get("info"))
        parts = [mapping(part) for part in items(mapping(message).get("parts"))]
        nodes += _nodes(text_of(about.get("id")), about, parts)
    return _conversation(text_of(info.get("id")), text_of(info.get("title")), text_of(info.get("directory")), nodes)


def read_database(path: Path) -> Iterator[Conversation]:
    """The sessions of a database, which may be in use."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            for session, title, folder in database.execute(_SESSIONS).fetchall():
                yield _conversation(session, title, folder, _stored(database, session))
    except sqlite3.Error as error:
        raise NotReadable(f"The database cannot be read: {error}.") from error


def _stored(database: sqlite3.Connection, session: str) -> list[Node]:
    parts = dict[str, list[Mapping[str, Any]]]()
    for message, data in database.execute(_PARTS, (session,)):
        parts.setdefault(message, []).append(_parsed(data))
    nodes = list[Node]()
    for message, data, created in database.execute(_MESSAGES, (session,)):
        about = {"time": {"created": created}, **_parsed(data)}
        nodes += _nodes(message, about, parts.get(message, ()))
    return nodes


def _parsed(data: object) -> Mapping[str, Any]:
    try:
        return mapping(json.loads(text_of(data)))
    except (ValueError, RecursionError):
        return {}


def _conversation(session: str, title: str, folder: str, nodes: Sequence[Node]) -> Conversation:
    linked = chained(nodes)
    newest = linked[-1].key if linked else None
    return Conversation(SOURCE, session, title, linked, newest, project=PurePath(folder or "").name)


def _nodes(key: str, about: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]) -> Iterator[Node]:
    """A message of opencode: what was said with its calls, then their results, as often as it has steps."""
    if not key or about.get("role") not in ("user", "assistant"):
        return
    role = Role(about["role"])
    at, model = moment(mapping(about.get("time")).get("created")), text_of(about.get("modelID"))
    said, results = list[AnyImported](), list[AnyImported]()
    made = 0

    def closed() -> Iterator[Node]:
        if said:
            # A step that grew since it was imported is another one.
            yield Node(f"{key}.{made}.{len(said)}", None, role, tuple(said), at, model)
        if results:
            yield Node(f"{key}.{made}.{len(results)}r", None, Role.TOOL, tuple(results), at)

    for part in parts:
        found = list(_parts(part))
        if results and found and not isinstance(found[0], ToolCall):
            yield from closed()
            made, said, results = made + 1, [], []
        said += [each for each in found if not isinstance(each, ToolResult)]
        results += [each for each in found if isinstance(each, ToolResult)]
    yield from closed()


def _parts(part: Mapping[str, Any]) -> Iterator[AnyImported]:
    match part.get("type"):
        case "text" if not part.get("synthetic") and text_of(part.get("text")).strip():
            yield Text(bounded(part["text"]))
        case "reasoning" if text_of(part.get("text")).strip():
            yield Reasoning(bounded(part["text"]))
        case "file":
            yield Text(f"[{text_of(part.get('filename')) or 'file'}]")
        case "tool":
            state, call = mapping(part.get("state")), text_of(part.get("callID"))
            name = text_of(part.get("tool"))
            yield ToolCall(call, name, arguments(state.get("input")))
            if state.get("status") in ("completed", "error"):
                failed = state["status"] == "error"
                yield ToolResult(call, name, bounded(state.get("error" if failed else "output")), is_error=failed)
        case _:
            pass
