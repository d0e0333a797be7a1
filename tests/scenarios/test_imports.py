"""Chats of other programs, brought along and gone on with by models of every dialect; twice, killed, and grown."""

import asyncio
import json
import signal
import sqlite3
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from perdure.client.connection import Connection
from perdure.client.importing.conversation import Conversation
from perdure.client.importing.files import Source
from perdure.client.importing.sending import Brought, Sender
from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet

RECORDINGS = Path(__file__).parents[1] / "recordings/sessions"
DIALECTS = {
    "anthropic_messages": ("", "claude-sim"),
    "openai_responses": ("/v1", "gpt-5-sim"),
    "openai_chat": ("/v1", "gpt-sim"),
    "gemini": ("", "gemini-sim"),
}


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(database_url, pool, tmp_path, count=1) as fleet:
        yield fleet


@asynccontextmanager
async def connected(fleet: Fleet) -> AsyncGenerator[Connection]:
    person = fleet.at(0)
    connection = Connection(person.url, person.token)
    try:
        yield connection
    finally:
        await connection.close()


def recorded(folder: Path, name: str) -> Path:
    """A recording as its program keeps it."""
    if not name.endswith(".db"):
        return RECORDINGS / name
    path = folder / name
    with closing(sqlite3.connect(path)) as database:
        for table in json.loads((RECORDINGS / f"{name}.json").read_text()):
            columns = ", ".join(table["columns"])
            database.execute(f"CREATE TABLE {table['table']} ({columns})")
            values = ", ".join("?" * len(table["columns"]))
            database.executemany(f"INSERT INTO {table['table']} VALUES ({values})", table["rows"])  # noqa: S608
        database.commit()
    return path


def chats_of(path: Path) -> list[Conversation]:
    found = list(Source(path).conversations())
    assert all(isinstance(each, Conversation) for each in found), found
    return [each for each in found if isinstance(each, Conversation)]


async def bring(connection: Connection, path: Path) -> list[Brought]:
    source = Source(path)
    sender = Sender(connection, source.attachment)
    return [await sender.bring(chat) for chat in source.conversations() if isinstance(chat, Conversation)]


async def all_dialects(fleet: Fleet) -> None:
    person = fleet.at(0)
    for name, (path, model) in DIALECTS.items():
        at: dict[str, Any] = {"name": name, "dialect": name, "base_url": f"{fleet.sim.url}{path}", "options": {}}
        provider = await person.post("/providers", at)
        assert provider.status == 201, provider.json
        key = await person.post(f"/providers/{provider.json['id']}/keys", {"key": "sk-sim", "personal": False})
        assert key.status < 300, key.json
        setting = {"name": name, "provider_id": provider.json["id"], "model": model}
        assert (await person.post("/model-settings", setting)).status == 201


async def messages(fleet: Fleet, chat: str) -> list[dict[str, Any]]:
    return (await fleet.at(0).get(f"/chats/{chat}/messages?after=0&limit=200")).json["items"]


async def goes_on(fleet: Fleet, chat: str, model: str) -> None:
    """A model of this dialect answers in the chat, with all that was imported before it."""
    before = await messages(fleet, chat)
    body = {"content": [{"type": "text", "text": f"[[say:on by {model}]]"}], "model": model}
    assert (await fleet.at(0).post(f"/chats/{chat}/messages", body)).status < 300
    card = await fleet.until(
        0, chat, lambda card: card["status"] in ("waiting", "error") and card["updated_at"] > before[-1]["created_at"]
    )
    said = (await messages(fleet, chat))[-1]
    assert card["status"] == "waiting", card["last_error"]
    assert [part["text"] for part in said["parts"]] == [f"on by {model}"]


@pytest.mark.parametrize("name", ["claude_code.jsonl", "codex.jsonl", "opencode.db"])
async def test_a_recorded_session_is_brought_once_and_every_dialect_goes_on_with_it(
    fleet: Fleet, tmp_path: Path, name: str
) -> None:
    await all_dialects(fleet)
    path = recorded(tmp_path, name)
    (chat,) = chats_of(path)
    async with connected(fleet) as connection:
        (first,) = await bring(connection, path)
        assert (first.outcome, first.added) == ("created", len(chat.paths()[-1]))
        (again,) = await bring(connection, path)
        assert (again.outcome, again.added, again.chat_id) == ("unchanged", 0, first.chat_id)
        assert first.chat_id is not None
        there = await messages(fleet, first.chat_id)
        parts = [part for message in there for part in message["parts"]]
        assert sum(part["type"] == "tool_call" for part in parts) == 2
        assert sum(part["type"] == "tool_result" for part in parts) == 2
        assert not any(part.get("is_error") for part in parts)
        assert "Look at the notes." in json.dumps(there[0])
        assert there[0]["created_at"][:10] == str(chat.nodes[0].at)[:10]
        card = await fleet.chat(0, first.chat_id)
        assert (card["status"], card["source"], card["labels"]["project"]) == ("waiting", "import", "atlas")
        assert card["created_at"] <= there[1]["created_at"]
        assert not card.get("unread")
        for model in DIALECTS:
            await goes_on(fleet, first.chat_id, model)
        (after,) = await bring(connection, path)
        assert (after.outcome, after.chat_id) == ("unchanged", first.chat_id)


async def test_a_session_that_grew_adds_only_what_is_new_and_goes_apart_where_the_chat_went_on(
    fleet: Fleet, tmp_path: Path
) -> None:
    await all_dialects(fleet)
    lines = (RECORDINGS / "claude_code.jsonl").read_text().splitlines()
    path = tmp_path / "session.jsonl"
    chat_id = ""
    async with connected(fleet) as connection:
        for count in range(1, len(lines) + 1):
            path.write_text("\n".join(lines[:count]))
            if any(chat.nodes for chat in Source(path).conversations() if isinstance(chat, Conversation)):
                (brought,) = await bring(connection, path)
                assert brought.chat_id is not None
                assert chat_id in ("", brought.chat_id)
                chat_id = brought.chat_id
        (whole,) = chats_of(path)
        state = (await fleet.at(0).get(f"/imports?source={whole.source}&source_id={whole.id}")).json
        assert state["live"] == [node.key for node in whole.paths()[-1]]
        await goes_on(fleet, chat_id, "gemini")
        newest = next(json.loads(line) for line in reversed(lines) if '"uuid"' in line)
        asked = {**newest, "type": "user", "uuid": "u-new", "parentUuid": newest["uuid"]}
        asked["message"] = {"role": "user", "content": "One thing more, there."}
        path.write_text("\n".join([*lines, json.dumps(asked)]))
        (apart,) = await bring(connection, path)
        assert apart.outcome == "apart"
        assert apart.chat_id not in (None, chat_id)
        assert len(await messages(fleet, chat_id)) == len(state["live"]) + 2
        texts = json.dumps(await messages(fleet, str(apart.chat_id)))
        assert "One thing more, there." in texts
        assert "on by gemini" not in texts
        (again,) = await bring(connection, path)
        assert (again.outcome, again.chat_id) == ("unchanged", apart.chat_id)
        await goes_on(fleet, str(apart.chat_id), "openai_responses")


async def test_branches_become_versions_and_stay_so(fleet: Fleet, tmp_path: Path) -> None:
    await all_dialects(fleet)
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([chatgpt_chat()]))
    async with connected(fleet) as connection:
        (first,) = await bring(connection, path)
        chat = str(first.chat_id)
        said = [part["text"] for message in await messages(fleet, chat) for part in message["parts"]]
        assert said == ["A joke about seas.", "Sea joke.", "Thanks."]
        branches = (await fleet.at(0).get(f"/chats/{chat}/branches")).json["items"]
        hidden = [part["text"] for branch in branches for message in branch["messages"] for part in message["parts"]]
        assert "A joke." in hidden
        assert "Old joke." in hidden
        (again,) = await bring(connection, path)
        assert again.outcome == "unchanged"
        assert (await fleet.at(0).get(f"/chats/{chat}/branches")).json["items"] == branches
        card = await fleet.chat(0, chat)
        assert (card["title"], card["created_at"][:10]) == ("Jokes", "2024-05-01")
        for model in DIALECTS:
            await goes_on(fleet, chat, model)
        await fleet.at(0).patch(f"/chats/{chat}", {"archived": True})
        assert (await fleet.at(0).delete(f"/chats/{chat}")).status == 204
        (gone,) = await bring(connection, path)
        assert (gone.outcome, gone.chat_id) == ("deleted", None)
        assert (await fleet.at(0).get("/chats")).json["items"] == []


def chatgpt_chat() -> dict[str, Any]:
    """A chat whose question was edited and whose answer was made again."""
    begun = 1_714_550_000

    def node(key: str, parent: str | None, role: str, text: str, **more: Any) -> dict[str, Any]:
        content = {"content_type": "text", "parts": [text]}
        message = {"author": {"role": role}, "create_time": begun + len(nodes), "content": content, **more}
        nodes[key] = {"id": key, "parent": parent, "message": message if text else None, "children": []}
        if parent:
            nodes[parent]["children"].append(key)
        return nodes[key]

    nodes = dict[str, dict[str, Any]]()
    node("root", None, "system", "")
    node("u1", "root", "user", "A joke.")
    node("a1", "u1", "assistant", "Old joke.", metadata={"model_slug": "gpt-4o"})
    node("u2", "root", "user", "A joke about seas.")
    node("a2", "u2", "assistant", "Worse joke.")
    node("a3", "u2", "assistant", "Sea joke.", metadata={"model_slug": "gpt-4o"})
    node("u3", "a3", "user", "Thanks.")
    return {"id": "c1", "title": "Jokes", "create_time": begun, "mapping": nodes, "current_node": "u3"}


async def test_an_import_that_is_killed_at_any_moment_is_finished_by_the_next(fleet: Fleet, tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_text("\n".join(long_session(3_000)))
    (whole,) = chats_of(path)
    person = fleet.at(0)
    environment = {"PERDURE_URL": person.url, "PERDURE_TOKEN": person.token, "HOME": str(tmp_path)}

    async def importing() -> asyncio.subprocess.Process:
        command = (sys.executable, "-m", "perdure", "import", str(path))
        return await asyncio.create_subprocess_exec(*command, env=environment, stdout=asyncio.subprocess.PIPE)

    async def there() -> int:
        query = "SELECT count(*) FROM messages WHERE client_id LIKE 'import:%'"
        return await fleet.pool.fetchval(query)

    for wanted in (1, 900):
        process = await importing()
        async with asyncio.timeout(120):
            while await there() < wanted and process.returncode is None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        if process.returncode is None:
            process.send_signal(signal.SIGKILL)
        await process.wait()
    assert await there() < len(whole.nodes)
    process = await importing()
    said, _ = await process.communicate()
    assert process.returncode == 0, said
    rows = await fleet.pool.fetch("SELECT client_id FROM messages WHERE hidden_in IS NULL AND client_id IS NOT NULL")
    assert sorted(row["client_id"] for row in rows) == sorted(f"import:{node.key}" for node in whole.nodes)
    assert await fleet.pool.fetchval("SELECT count(*) FROM chats") == 1


def long_session(count: int) -> list[str]:
    said = list[str]()
    for number in range(count):
        role = "user" if number % 2 == 0 else "assistant"
        line: dict[str, Any] = {"type": role, "uuid": f"m{number}", "parentUuid": f"m{number - 1}" if number else None}
        line |= {"sessionId": "s1", "timestamp": "2026-01-01T10:00:00Z", "cwd": "/home/ada/atlas"}
        line["message"] = {"role": role, "id": f"r{number}", "content": [{"type": "text", "text": "word " * 400}]}
        said.append(json.dumps(line))
    return said
