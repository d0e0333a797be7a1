"""Exports and sessions as programs write them, and files that are nothing of the kind, broken, huge or hostile."""

import io
import json
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.client.importing import streams
from perdure.client.importing.conversation import Attachment, Conversation, NotReadable, moment
from perdure.client.importing.files import Source
from perdure.client.importing.streams import Elements
from perdure.core.message import Reasoning, Text, ToolCall, ToolResult

CLAUDE: dict[str, Any] = {
    "uuid": "c-1",
    "name": "Tides",
    "created_at": "2025-03-01T10:00:00Z",
    "chat_messages": [
        {
            "uuid": "m1",
            "sender": "human",
            "created_at": "2025-03-01T10:00:00Z",
            "content": [{"type": "text", "text": "When is high tide?"}],
            "attachments": [{"file_name": "table.txt", "extracted_content": "06:12 18:40"}],
            "files": [{"file_name": "map.png", "file_uuid": "f1"}],
        },
        {
            "uuid": "m2",
            "sender": "assistant",
            "created_at": "2025-03-01T10:00:05Z",
            "content": [
                {"type": "thinking", "thinking": "I look it up."},
                {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "tide"}},
                {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "06:12"}]},
                {"type": "text", "text": "At 06:12."},
            ],
        },
    ],
}
LIBRECHAT: dict[str, Any] = {
    "conversationId": "l-1",
    "title": "Tides",
    "recursive": True,
    "messages": [
        {
            "messageId": "m1",
            "parentMessageId": "00000000-0000-0000-0000-000000000000",
            "isCreatedByUser": True,
            "text": "When?",
            "createdAt": "2025-03-01T10:00:00Z",
            "children": [
                {
                    "messageId": "m2",
                    "parentMessageId": "m1",
                    "text": "At six.",
                    "model": "m",
                    "createdAt": "2025-03-01T10:00:01Z",
                },
                {
                    "messageId": "m3",
                    "parentMessageId": "m1",
                    "model": "m",
                    "createdAt": "2025-03-01T10:00:02Z",
                    "content": [
                        {"type": "think", "think": "Hm."},
                        {"type": "tool_call", "tool_call": {"id": "t", "name": "clock", "args": "{}", "output": "6"}},
                        {"type": "text", "text": {"value": "At 06:12."}},
                    ],
                },
            ],
        }
    ],
}
OPEN_WEBUI: dict[str, Any] = {
    "id": "w-1",
    "title": "Tides",
    "chat": {
        "history": {
            "currentId": "m2",
            "messages": {
                "m1": {
                    "parentId": None,
                    "role": "user",
                    "content": "When?",
                    "timestamp": 1740823200,
                    "files": [{"type": "image", "name": "a.txt", "url": "data:text/plain;base64,aGVsbG8="}],
                },
                "m2": {
                    "parentId": "m1",
                    "role": "assistant",
                    "content": "At six.",
                    "model": "m",
                    "timestamp": 1740823201.5,
                },
                "m3": {
                    "parentId": "m1",
                    "role": "assistant",
                    "content": "At ten.",
                    "model": "n",
                    "timestamp": 1740823202,
                },
            },
        }
    },
}


def written(folder: Path, content: Any, name: str = "conversations.json") -> Source:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return Source(path)


def one(source: Source) -> Conversation:
    (chat,) = source.conversations()
    assert isinstance(chat, Conversation), chat
    return chat


def words(chat: Conversation) -> list[list[str]]:
    return [[f"{node.role[0]}:{_said(part)}" for node in path for part in node.parts] for path in chat.paths()]


def _said(part: object) -> str:
    match part:
        case Text(text=text) | Reasoning(text=text):
            return text
        case ToolCall():
            return f"{part.tool}{part.args}"
        case ToolResult():
            return f"={part.result}"
        case _:
            return "?"


def test_an_export_of_claude_has_its_calls_as_steps(tmp_path: Path) -> None:
    chat = one(written(tmp_path, [CLAUDE]))
    assert (chat.source, chat.id, chat.title) == ("claude", "c-1", "Tides")
    assert words(chat) == [
        [
            "u:When is high tide?",
            "u:table.txt:\n\n06:12 18:40",
            "a:I look it up.",
            'a:search{"q": "tide"}',
            "t:=06:12",
            "a:At 06:12.",
        ]
    ]
    assert chat.nodes[0].attachments == (Attachment("map.png", "f1"),)
    assert chat.nodes[0].at == moment("2025-03-01T10:00:00+00:00")


def test_librechat_keeps_answers_that_were_made_again(tmp_path: Path) -> None:
    chat = one(written(tmp_path, LIBRECHAT))
    assert words(chat) == [["u:When?", "a:At six."], ["u:When?", "a:Hm.", "a:clock{}", "t:=6", "a:At 06:12."]]
    assert chat.nodes[-1].model == "m"


def test_open_webui_shows_the_branch_that_people_see(tmp_path: Path) -> None:
    source = written(tmp_path, [OPEN_WEBUI])
    chat = one(source)
    assert words(chat) == [["u:When?", "a:At ten."], ["u:When?", "a:At six."]]
    (file,) = chat.nodes[0].attachments
    assert source.attachment(file, lambda text: text.encode()) == b"aGVsbG8="


def zipped(members: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return target.getvalue()


def test_an_archive_brings_its_files(tmp_path: Path) -> None:
    content = {"content_type": "multimodal_text", "parts": [{"asset_pointer": "file-service://file-7"}, "What is it?"]}
    message = {"author": {"role": "user"}, "content": content, "create_time": 1.7e9}
    chat = {"id": "c", "title": "", "current_node": "n", "mapping": {"n": {"id": "n", "message": message}}}
    members = {"export/conversations.json": json.dumps([chat]).encode(), "export/file-7-sea.png": b"\x89PNG"}
    source = written(tmp_path, zipped(members), "export.zip")
    for found in source.conversations():
        assert isinstance(found, Conversation)
        (node,) = found.nodes
        assert [source.attachment(file, str.encode) for file in node.attachments] == [b"\x89PNG"]


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "empty"),
        (b"\xff\xd8\xff\xe0 a picture", "no chats"),
        (b"Dear diary", "no chats"),
        (b"[" * 100_000, "cut off"),
        (b'{"a": ' * 100_000, "not valid JSON"),
        (b'[{"mapping": {}, "id": "x"', "cut off"),
        (b'[{"chat_messages": [{"uuid": "m"', "cut off"),
        (b"PK\x03\x04 not a zip", "cannot be read"),
        (b"SQLite format 3\0" + b"x" * 5_000, "database"),
        (zipped({"readme.txt": b"hello"}), "no conversations.json"),
        (zipped({"conversations.json": b"[" + b" " * 3_000_000}), "cut off"),
        (zipped({"conversations.json": b'["' + b"a" * 5_000_000}), "longer than"),
        (b'{"sessionId": "s", "type": "user"}\n{"broken', "1 lines are broken"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_cannot_be_imported_is_said_in_a_word(
    tmp_path: Path, content: bytes, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MOST_ELEMENT", 3_000_000)
    assert word in " ".join(problems(written(tmp_path, content, "file")))


def problems(source: Source) -> Iterable[str]:
    try:
        return [str(found) for found in source.conversations() if isinstance(found, NotReadable)]
    except NotReadable as error:
        return [str(error)]


def test_a_chat_that_is_foreign_broken_or_too_large_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MOST_ELEMENT", 3_000_000)
    large = {**CLAUDE, "uuid": "c-2", "chat_messages": [{"uuid": "x", "text": "a" * 1_000_000}] * 5}
    broken = {"chat_messages": [None, 7, {"uuid": 3}, {"uuid": "y", "content": 4, "text": "left"}], "uuid": "c-3"}
    source = written(tmp_path, [{"a": 1}, CLAUDE, large, {"mapping": {"n": 3, "m": None}}, broken])
    found = list(source.conversations())
    assert [isinstance(each, Conversation) for each in found] == [False, True, False, False, True]
    assert words(found[-1] if isinstance(found[-1], Conversation) else one(source)) == [["a:left"]]


def test_a_session_that_is_cut_off_keeps_what_is_whole(tmp_path: Path) -> None:
    line = {"type": "user", "uuid": "a", "sessionId": "s", "message": {"role": "user", "content": "Hello."}}
    chat = one(written(tmp_path, json.dumps(line).encode() + b'\n{"type": "assistant", "uu', "s.jsonl"))
    assert (words(chat), chat.skipped) == ([["u:Hello."]], 1)


def test_messages_that_follow_each_other_in_a_circle_end(tmp_path: Path) -> None:
    messages = {
        "a": {"parentId": "b", "role": "user", "content": "A"},
        "b": {"parentId": "a", "role": "user", "content": "B"},
    }
    chat = {"id": "w", "chat": {"history": {"currentId": "b", "messages": messages}}}
    assert words(one(written(tmp_path, [chat]))) == [["u:A", "u:B"]]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=4), each, max_size=3),
    max_leaves=10,
)


@given(
    st.lists(st.dictionaries(st.text(max_size=3), VALUES, max_size=3), max_size=6), st.integers(1, 40), st.booleans()
)
def test_a_list_is_read_whole_however_it_is_cut_into_pieces(
    values: list[dict[str, Any]], piece: int, indented: bool
) -> None:
    class Slow(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read(min(size or piece, piece))

    data = json.dumps(values, indent=1 if indented else None, ensure_ascii=False).encode()
    assert [json.loads(each or b"") for each in Elements(Slow(data))] == values


JUNK = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda each: st.lists(each, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["mapping", "message", "author", "role", "content", "parts", "chat_messages", "uuid", "chat", "history",
             "messages", "info", "id", "conversationId", "parent", "children", "text", "files", "type", "metadata"]
        ), each, max_size=5,
    ),
    max_leaves=25,
)  # fmt: skip


@given(st.lists(st.dictionaries(st.sampled_from(["mapping", "chat_messages", "chat", "messages", "info", "id"]), JUNK)))
def test_nothing_that_looks_like_an_export_breaks_the_reading(values: list[Any]) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(json.dumps(values))
        file.flush()
        for found in Source(Path(file.name)).conversations():
            assert isinstance(found, NotReadable) or found.paths() is not None
