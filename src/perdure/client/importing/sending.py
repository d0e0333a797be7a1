"""Bringing chats of other programs to a deployment: only what it does not have, in pieces that it takes."""

import base64
import hashlib
import mimetypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import Struct

from perdure.client.connection import ApiError, Connection
from perdure.client.importing.conversation import Attachment, Conversation, Node
from perdure.core.message import File, Reasoning, Role, Text, ToolCall, ToolResult

MOST_MESSAGES = 400
MOST_BYTES = 4 * 1024 * 1024
MOST_FILES = 50
"""How many files a chat holds. Of more, the names are kept."""

MOST_LABEL = 256


class State(Struct, frozen=True):
    chat_id: str | None
    deleted: bool
    live: tuple[str, ...]
    hidden: tuple[str, ...]


class Result(Struct, frozen=True):
    chat_id: str | None
    outcome: str
    added: int


class UploadedFile(Struct, frozen=True):
    id: str


@dataclass(slots=True)
class Brought:
    """What became of one chat."""

    chat_id: str | None = None
    outcome: str = "unchanged"
    added: int = 0


@dataclass(slots=True)
class Sender:
    """Sends chats over a connection."""

    connection: Connection
    content_of: Callable[[Attachment, Callable[[str], bytes]], bytes | None]
    """What an attachment holds."""
    _files: int = field(default=0, init=False)

    async def bring(self, chat: Conversation) -> Brought:
        """Bring what is new of a chat along."""
        paths = [path for path in chat.paths() if path]
        self._files = 0
        brought = Brought()
        for number, path in enumerate(paths):
            state = await self._state(chat)
            if state.deleted:
                return Brought(outcome="deleted")
            brought.chat_id = brought.chat_id or state.chat_id
            known = {*state.live, *state.hidden}
            seen = number == len(paths) - 1
            if not seen and all(node.key in known for node in path):
                continue
            await self._path(chat, path, state, brought)
        return brought

    async def _path(self, chat: Conversation, path: Sequence[Node], state: State, brought: Brought) -> None:
        """Bring one branch along: from the first of its messages on that is not where it belongs."""
        same = next((at for at, pair in enumerate(zip(path, state.live, strict=False)) if pair[0].key != pair[1]), None)
        begun = min(len(path), len(state.live)) if same is None else same
        if begun == len(path):
            return
        for batch in _batches(path, begun):
            messages = [await self._message(node) for node in path[batch.start : batch.stop]]
            after = path[batch.start - 1].key if batch.start else None
            result = await self._send(chat, after, messages)
            brought.chat_id, brought.added = result.chat_id, brought.added + result.added
            if result.outcome != "unchanged" and brought.outcome != "created":
                brought.outcome = result.outcome
            if result.outcome == "deleted":
                return

    async def _state(self, chat: Conversation) -> State:
        return await self.connection.get("/imports", State, source=chat.source, source_id=chat.id[:200])

    async def _send(self, chat: Conversation, after: str | None, messages: Sequence[dict[str, Any]]) -> Result:
        title = "".join(c if c.isprintable() else " " for c in chat.title)[:200].strip()
        body: dict[str, Any] = {"source": chat.source, "source_id": chat.id[:200], "messages": messages}
        body |= {"title": title} if title else {}
        body |= {"after": after} if after is not None else {}
        project = "".join(c for c in chat.project if c.isprintable()).strip()[:MOST_LABEL]
        body |= {"labels": {"project": project}} if project else {}
        return await self.connection.post("/imports", Result, body)

    async def _message(self, node: Node) -> dict[str, Any]:
        parts = [_part(part) for part in node.parts]
        parts += [await self._attached(file) for file in node.attachments]
        body: dict[str, Any] = {"key": node.key, "role": node.role.value, "parts": parts}
        if node.at is not None:
            body["created_at"] = node.at
        if node.model:
            body["model"] = node.model[:200]
        return body

    async def _attached(self, file: Attachment) -> dict[str, Any]:
        """A file of a message; its name where it cannot be had, or is none that the server takes."""
        named = {"type": "text", "text": f"[File: {file.name}]"}
        content = self.content_of(file, _base64) if self._files < MOST_FILES else None
        if not content:
            return named
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        try:
            kept = await self.connection.upload(
                "/files", UploadedFile, content, name=_file_name(file, content), media_type=kind
            )
        except ApiError:
            return named
        self._files += 1
        return {"type": "file", "file_id": kept.id}


def _file_name(file: Attachment, content: bytes) -> str:
    name = file.name.replace("\\", "/").rpartition("/")[2][:100].strip()
    return name or hashlib.sha256(content).hexdigest()[:12]


def _base64(text: str) -> bytes:
    try:
        return base64.b64decode(text)
    except ValueError:
        return b""


def _part(part: Text | Reasoning | ToolCall | ToolResult | File) -> dict[str, Any]:
    match part:
        case Text(text=text):
            return {"type": "text", "text": text}
        case Reasoning(text=text):
            return {"type": "reasoning", "text": text}
        case ToolCall():
            return {"type": "tool_call", "call_id": _name(part.call_id), "tool": _name(part.tool), "args": part.args}
        case ToolResult():
            result: dict[str, Any] = {"type": "tool_result", "call_id": _name(part.call_id), "result": part.result}
            return {**result, "tool": _name(part.tool), "is_error": part.is_error}
        case File(name=name):
            return {"type": "text", "text": f"[File: {name}]"}


def _name(text: str) -> str:
    return "".join(c for c in text if c.isprintable())[:200]


def _batches(path: Sequence[Node], begun: int) -> Iterator[range]:
    """Pieces of a branch that one request holds. A call and its results stay together."""
    start, size, opened = begun, 0, set[str]()
    for at in range(begun, len(path)):
        node = path[at]
        weight = len(msgspec.json.encode([_part(part) for part in node.parts]))
        full = at - start >= MOST_MESSAGES or size + weight > MOST_BYTES
        if at > start and full and (not opened or node.role is Role.USER):
            yield range(start, at)
            start, size, opened = at, 0, set[str]()
        size += weight
        opened |= {part.call_id for part in node.parts if isinstance(part, ToolCall)}
        opened -= {part.call_id for part in node.parts if isinstance(part, ToolResult)}
    if start < len(path):
        yield range(start, len(path))
