"""What a workspace tells its chats' agents: pinned, marked when it drifts, refreshed on request; and how git stands."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from perdure.store.pool import Pool
from perdure.testing.fleet import PATIENCE, Fleet, open_fleet

SKILL = "---\nname: release\ndescription: How we release.\n---\nRead the checklist in steps.md.\n"


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(database_url, pool, tmp_path, count=1) as fleet:
        yield fleet


def call(tool: str, **arguments: Any) -> str:
    return f"[[call:{tool} {json.dumps(arguments)}]]"


async def asks(fleet: Fleet, text: str, **body: Any) -> dict[str, Any]:
    said = await fleet.at(0).post("/chats", {"content": [{"type": "text", "text": text}], **body})
    assert said.status == 201, said.body
    return await fleet.comes_to_rest(0, said.json["chat"]["id"])


async def says(fleet: Fleet, chat: str, text: str) -> dict[str, Any]:
    before = (await fleet.chat(0, chat))["updated_at"]
    await fleet.at(0).post(f"/chats/{chat}/messages", {"content": [{"type": "text", "text": text}]})
    return await fleet.until(0, chat, lambda card: card["status"] == "waiting" and card["updated_at"] > before)


def system(fleet: Fleet, marker: str) -> str:
    """The system prompt of the last request that belongs to a message."""
    bodies: list[Any] = [request.json for request in fleet.sim.requests]
    found = [body for body in bodies if marker in json.dumps(body.get("messages", [])) and body.get("tools")]
    return json.dumps(found[-1]["system"])


async def a_workspace(fleet: Fleet) -> str:
    """A workspace with instructions and a skill, made by a chat."""
    work = "[[then]]".join(
        [
            call("create_workspace"),
            call("write_file", path="AGENTS.md", content="Always answer in rhymes."),
            call("write_file", path=".agents/skills/release/SKILL.md", content=SKILL),
            call("write_file", path=".agents/skills/release/steps.md", content="1. Tag. 2. Push."),
        ]
    )
    return (await asks(fleet, f"{work}[[then]][[say:done]]"))["workspace_id"]


async def results(fleet: Fleet, chat: str) -> list[str]:
    page = (await fleet.at(0).get(f"/chats/{chat}/messages?after=0")).json
    return [part["result"] for message in page["items"] for part in message["parts"] if part["type"] == "tool_result"]


async def test_the_instructions_are_pinned_marked_when_they_drift_and_refreshed_on_request(fleet: Fleet) -> None:
    workspace = await a_workspace(fleet)
    chat = (await asks(fleet, "first [[say:hello]]", workspace_id=workspace))["id"]
    before = system(fleet, "first [[")
    assert "This chat has a workspace" in before
    assert "Always answer in rhymes." in before
    assert "release: How we release." in before
    await says(fleet, chat, f"second {call('write_file', path='AGENTS.md', content='Never rhyme.')}[[then]][[say:ok]]")
    marked = await fleet.until(0, chat, lambda card: card.get("context_dirty", False))
    assert marked["context_dirty"]
    await says(fleet, chat, "third [[say:hello]]")
    assert system(fleet, "third [[") == before
    context = (await fleet.at(0).get(f"/chats/{chat}/context")).json
    assert (context["dirty"], [file["path"] for file in context["files"]]) == (True, ["AGENTS.md"])
    refreshed = await fleet.at(0).post(f"/chats/{chat}/context/refresh")
    assert (refreshed.status, "dirty" in refreshed.json) == (200, False)
    assert "context_dirty" not in await fleet.chat(0, chat)
    await says(fleet, chat, "fourth [[say:hello]]")
    assert "Never rhyme." in system(fleet, "fourth [[")


async def test_a_workspace_made_in_the_middle_of_a_turn_is_asked_at_once(fleet: Fleet) -> None:
    chat = await asks(fleet, f"{call('create_workspace')}[[then]][[say:done]]")
    told = [json.dumps(request.json) for request in fleet.sim.requests if '"tools"' in json.dumps(request.json)]
    assert ["This chat has no workspace yet" in text for text in told] == [True, False]
    assert ["This chat has a workspace" in text for text in told] == [False, True]
    context = (await fleet.at(0).get(f"/chats/{chat['id']}/context")).json
    assert len(context["hash"]) == 64
    assert "files" not in context


async def test_a_skill_is_read_with_its_files_and_nothing_beside_it(fleet: Fleet) -> None:
    workspace = await a_workspace(fleet)
    reads = "".join(
        [
            call("read_skill", name="release"),
            call("read_skill_file", name="release", path="steps.md"),
            call("read_skill_file", name="release", path="long.md"),
            call("read_skill_file", name="release", path="../../../AGENTS.md"),
            call("read_skill", name="dance"),
        ]
    )
    grow = call("execute", command="yes line | head -c 300000 > .agents/skills/release/long.md")
    chat = await asks(fleet, f"{grow}[[then]]{reads}[[then]][[say:done]]", workspace_id=workspace)
    _, skill, steps, long, outside, unknown = await results(fleet, chat["id"])
    assert "Read the checklist" in skill
    assert steps == "1. Tag. 2. Push."
    assert long.endswith("[Cut after 262144 bytes.]")
    assert "has no file" in outside
    assert unknown == "There is no skill 'dance'. There are: release."


async def test_a_workspace_that_does_not_answer_is_no_reason_to_wait_and_is_asked_again(
    fleet: Fleet, pool: Pool
) -> None:
    workspace = await a_workspace(fleet)
    await fleet.at(0).post(f"/workspaces/{workspace}/stop")
    await pool.execute("UPDATE workspaces SET driver = 'gone' WHERE id = $1", workspace)
    chat = await asks(fleet, "first [[say:hello]]", workspace_id=workspace)
    assert chat["status"] == "waiting"
    assert (await fleet.at(0).get(f"/chats/{chat['id']}/context")).json["hash"] == ""
    await pool.execute("UPDATE workspaces SET driver = 'local' WHERE id = $1", workspace)
    await says(fleet, chat["id"], "second [[say:hello]]")
    assert "Always answer in rhymes." in system(fleet, "second [[")


async def test_how_git_stands_reaches_the_card_and_the_watch(fleet: Fleet) -> None:
    prepare = "git init -q -b work . && git config user.email a@b.c && git config user.name a && git add -A"
    workspace = await a_workspace(fleet)
    watch = fleet.at(0).events("/chats/watch")
    heard: list[str] = []

    async def listen() -> None:
        async for event in watch:
            heard.append(event["type"])
            if event["type"] == "diff_status_change" and event["chat"].get("diff", {}).get("removed"):
                return

    listening = asyncio.create_task(listen())
    while not heard:
        # What happens before somebody listens is not told.
        await asks(fleet, "[[say:1 tokens]]")
    work = "[[then]]".join(
        [
            call(
                "execute",
                command=f"{prepare} && git commit -qm one && git remote add origin https://me:key@forge/a.git",
            ),
            call("write_file", path="AGENTS.md", content="Sing.\nDance.\n"),
        ]
    )
    chat = await asks(fleet, f"{work}[[then]][[say:done]]", workspace_id=workspace)
    card = await fleet.until(0, chat["id"], lambda card: card.get("diff", {}).get("removed") == 1)
    assert card["diff"] == {"branch": "work", "origin": "https://forge/a.git", "files": 1, "added": 2, "removed": 1}
    async with asyncio.timeout(PATIENCE):
        await listening
    await watch.aclose()
    assert "diff_status_change" in heard
    diff = (await fleet.at(0).get(f"/workspaces/{workspace}/diff?path=.")).json["diff"]
    assert "-Always answer in rhymes." in diff
    assert (await fleet.at(0).get(f"/workspaces/{workspace}/diff?path=elsewhere")).status == 404
    found = (await fleet.at(0).get("/chats?q=repo:forge/a")).json["items"]
    assert chat["id"] in [item["id"] for item in found]


async def test_the_pull_request_of_a_pushed_branch_is_on_the_card_and_found(
    database_url: str, pool: Pool, tmp_path: Path
) -> None:
    pull = {"html_url": "https://forge/team/app/pull/7", "number": 7, "title": "Sing", "state": "open", "draft": True}

    async def answer(request: web.Request) -> web.Response:
        assert (request.query["head"], request.headers["authorization"]) == ("team:work", "Bearer secret")
        return web.json_response([pull])

    app = web.Application()
    app.router.add_get("/api/v3/repos/team/app/pulls", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    forge = f"http://127.0.0.1:{runner.addresses[0][1]}"
    prepare = (
        "git init -q -b work . && git config user.email a@b.c && git config user.name a && touch a && git add -A && "
        f"git commit -qm one && git remote add origin {forge}/team/app.git && "
        "git update-ref refs/remotes/origin/work HEAD && git branch -q -u origin/work"
    )
    environment = {"PERDURE_FORGE_URL": f"{forge}/api/v3", "PERDURE_FORGE_TOKEN": "secret"}
    async with open_fleet(database_url, pool, tmp_path, count=1, environment=environment) as fleet:
        work = f"{call('create_workspace')}[[then]]{call('execute', command=prepare)}[[then]][[say:done]]"
        chat = (await asks(fleet, work))["id"]
        card = await fleet.until(0, chat, lambda card: "pull_request_url" in card.get("diff", {}))
        told = {name: card["diff"][f"pull_request_{name}"] for name in ("url", "state", "number", "title", "draft")}
        assert told == {"url": pull["html_url"], "state": "open", "number": 7, "title": "Sing", "draft": True}
        found = (await fleet.at(0).get("/chats?q=pr:app/pull/7")).json["items"]
        assert [item["id"] for item in found] == [chat]
    await runner.cleanup()
