"""Stories about files that go back with the chat."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.workspaces.snapshot_cases import tree_hash

from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet


def call(tool: str, **arguments: Any) -> str:
    return f"[[call:{tool} {json.dumps(arguments)}]]"


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(database_url, pool, tmp_path) as fleet:
        yield fleet


class Story:
    """A chat whose agent changes files, turn by turn."""

    def __init__(self, fleet: Fleet, chat: str, tree: Path) -> None:
        self.fleet = fleet
        self.chat = chat
        self.tree = tree

    async def says(self, text: str) -> None:
        sent = await self.fleet.at(1).post(
            f"/chats/{self.chat}/messages", {"content": [{"type": "text", "text": text}]}
        )
        assert sent.status == 202, sent.json
        await self.fleet.comes_to_rest(1, self.chat)

    async def edits(self, number: int, **more: str) -> Any:
        body = {"content": [{"type": "text", "text": "Well then."}], **more}
        return await self.fleet.at(1).put(f"/chats/{self.chat}/messages/{number}", body)

    async def preview(self, number: int) -> Any:
        return (await self.fleet.at(1).get(f"/chats/{self.chat}/messages/{number}/files")).json

    async def prompts(self) -> list[int]:
        page = (await self.fleet.at(1).get(f"/chats/{self.chat}/prompts")).json
        return [each["number"] for each in page["items"]][::-1]

    async def notices(self) -> list[str]:
        page = (await self.fleet.at(1).get(f"/chats/{self.chat}/messages?after=0")).json
        parts = [part for message in page["items"] for part in message["parts"]]
        return [part["text"] for part in parts if part["type"] == "notice" and part["kind"] == "files"]

    @property
    def hash(self) -> str:
        return tree_hash(self.tree)


def tree_of(folder: Path, workspace: str) -> Path:
    (found,) = folder.rglob(f"{workspace}/tree")
    return found


@pytest.fixture
async def story(fleet: Fleet, tmp_path: Path) -> Story:
    chat = await fleet.asks(1, call("create_workspace"))
    await fleet.comes_to_rest(1, chat)
    return Story(fleet, chat, tree_of(tmp_path, (await fleet.chat(1, chat))["workspace_id"]))


async def test_an_edit_takes_files_back_whatever_wrote_them(story: Story) -> None:
    await story.says(call("write_file", path="a.txt", content="one\n"))
    before = story.hash
    await story.says(call("execute", command="echo two >> a.txt; mkdir -p deep; echo x > deep/b"))
    number = (await story.prompts())[-1]
    shown = await story.preview(number)
    assert (shown["possible"], {file["path"]: file["status"] for file in shown["files"]}) == (
        True,
        {"a.txt": "changed", "deep/b": "deleted"},
    )
    edited = await story.edits(number, files="back", files_state=shown["state"])
    assert edited.status == 202, edited.json
    assert story.hash == before
    await story.fleet.comes_to_rest(1, story.chat)


async def test_files_stay_unless_somebody_says_otherwise(story: Story) -> None:
    await story.says(call("write_file", path="a.txt", content="one\n"))
    now = story.hash
    assert (await story.edits((await story.prompts())[-1])).status == 202
    await story.fleet.comes_to_rest(1, story.chat)
    assert story.hash == now


async def test_an_edit_is_refused_rather_than_overwriting_what_somebody_wrote_since(story: Story) -> None:
    await story.says(call("write_file", path="a.txt", content="one\n"))
    (story.tree / "a.txt").write_text("mine\n")
    now, number = story.hash, (await story.prompts())[-1]
    shown = await story.preview(number)
    assert (shown["possible"], shown["conflicts"]) == (False, ["a.txt"])
    edited = await story.edits(number, files="back")
    assert (edited.status, "changed outside of the chat since" in str(edited.json)) == (409, True)
    assert (story.hash, (await story.prompts())[-1]) == (now, number)


async def test_a_fork_has_files_of_its_own(story: Story, tmp_path: Path) -> None:
    await story.says(call("write_file", path="a.txt", content="one\n"))
    before, first = story.hash, (await story.prompts())[-1]
    await story.says(call("execute", command="echo two >> a.txt; mkdir deep; echo x > deep/b"))
    last = (await story.prompts())[-1]
    shown = await story.preview(last)
    forks: dict[str, Story] = {}
    for files, more in (("keep", {}), ("back", {"files_state": shown["state"]})):
        body = {"after": last - 1, "files": files, **more}
        made = await story.fleet.at(1).post(f"/chats/{story.chat}/fork", body)
        assert made.status == 201, made.json
        card = made.json["chat"]
        forks[files] = Story(story.fleet, card["id"], tree_of(tmp_path, card["workspace_id"]))
    now = story.hash
    assert (forks["keep"].hash, forks["back"].hash) == (now, before)
    await forks["back"].says(call("execute", command="rm a.txt"))
    assert (story.hash, forks["keep"].hash, list(forks["back"].tree.iterdir())) == (now, now, [])
    none = await story.fleet.at(1).post(f"/chats/{story.chat}/fork", {"after": first, "files": "none"})
    assert (none.status, none.json["chat"].get("workspace_id")) == (201, None)


async def test_a_fork_is_refused_rather_than_begun_with_files_that_nobody_was_shown(story: Story, pool: Pool) -> None:
    await story.says(call("write_file", path="a.txt", content="one\n"))
    await story.says(call("execute", command="echo two >> a.txt"))
    number, before = (await story.prompts())[-1], await pool.fetchval("SELECT count(*) FROM chats")
    (story.tree / "a.txt").write_text("mine\n")
    forked = await story.fleet.at(1).post(f"/chats/{story.chat}/fork", {"after": number - 1, "files": "back"})
    assert (forked.status, "changed outside of the chat since" in str(forked.json)) == (409, True)
    assert await pool.fetchval("SELECT count(*) FROM chats") == before
    assert await pool.fetchval("SELECT count(*) FROM workspaces") == 1


async def test_the_changes_of_a_turn_are_known_without_git(story: Story) -> None:
    await story.says(call("write_file", path="a.txt", content="one\n"))
    await story.says(call("execute", command="echo two >> a.txt"))
    first, second = (await story.prompts())[1:]
    whole = (await story.fleet.at(1).get(f"/chats/{story.chat}/changes")).json
    assert [(file["path"], file["status"], file["added"]) for file in whole["files"]] == [("a.txt", "new", 2)]
    turn = (await story.fleet.at(1).get(f"/chats/{story.chat}/changes?turn={second}")).json
    assert [(file["path"], file["status"], file["added"]) for file in turn["files"]] == [("a.txt", "changed", 1)]
    assert first < second


async def test_a_turn_that_only_reads_takes_no_snapshot(story: Story) -> None:
    (story.tree / "a.txt").write_text("x\n")
    await story.says(call("read_file", path="a.txt"))
    await story.says(call("search_files", pattern="x"))
    assert not list(story.tree.parent.glob("state/agent/snapshots/links/*"))


async def test_no_room_for_earlier_states_is_said_in_the_chat_and_where_files_would_go_back(story: Story) -> None:
    set_ = await story.fleet.person.put("/settings/snapshots", {"value": {"megabytes": 0}})
    assert set_.status < 300, set_.json
    await story.says(call("execute", command="echo x > file"))
    (said,) = await story.notices()
    assert "no room is set aside for earlier states of files" in said
    number, now = (await story.prompts())[-1], story.hash
    shown = await story.preview(number)
    assert (shown["possible"], "(the setting snapshots)" in shown["why_not"]) == (False, True)
    edited = await story.edits(number, files="back")
    assert (edited.status, "No room is set aside" in str(edited.json)) == (409, True)
    forked = await story.fleet.at(1).post(f"/chats/{story.chat}/fork", {"after": number - 1, "files": "back"})
    assert (forked.status, story.hash) == (409, now)


async def test_what_cannot_go_back_is_said_in_the_chat(story: Story) -> None:
    await story.says(call("execute", command="mkfifo pipe; echo x > file"))
    assert await story.notices() == []
    await story.says(call("execute", command="echo y > file"))
    assert await story.notices() == ["Not every file can go back: 1 socket, pipe or device (pipe)."]
