"""Stories about work in a workspace: a whole task, and a command that outlives its replica."""

import asyncio
import json
import os
import shutil
import signal
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from perdure.sim.script import Call, Script, Step, Text
from perdure.store.pool import Pool
from perdure.testing.fleet import PATIENCE, Fleet, open_fleet
from perdure.testing.metric_reader import sample
from perdure.testing.polling import seen

COUNT = "echo ran >> marker; until [ -e go ]; do sleep 0.05; done; wc -l < marker"
UNRULY = (
    "trap '' TERM INT HUP; setsid sh -c \"trap '' TERM; while :; do echo moved >> moving; sleep 0.02; done\" & "
    "while :; do sleep 0.05 & wait; done"
)
ENDING = str(Path(__file__).with_name("ending.py"))


def call(tool: str, **arguments: Any) -> str:
    return f"[[call:{tool} {json.dumps(arguments)}]]"


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(database_url, pool, tmp_path) as fleet:
        yield fleet


async def results(fleet: Fleet, chat: str) -> list[str]:
    page = (await fleet.at(1).get(f"/chats/{chat}/messages?after=0")).json
    return [part["result"] for message in page["items"] for part in message["parts"] if part["type"] == "tool_result"]


async def test_the_demo_agent_writes_a_program_and_fixes_it(fleet: Fleet) -> None:
    chat = await fleet.asks(1, "Please write a small program that prints fibonacci numbers, with a test.")
    rested = await fleet.comes_to_rest(1, chat)
    assert rested["status"] == "waiting"
    answers = await results(fleet, chat)
    assert any("FAIL" in answer for answer in answers)
    assert any("+    for _ in range(count):" in answer for answer in answers)
    assert answers[-1].startswith("0 1 1 2 3 5 8 13 21 34")


async def started(fleet: Fleet, chat: str, tool: str) -> None:
    """Wait until a call is journaled as begun."""
    begun = "SELECT count(*) FROM journal WHERE chat_id = $1 AND tool = $2 AND state = 'started'"
    await seen(lambda: fleet.pool.fetchval(begun, chat, tool), within=timedelta(seconds=PATIENCE))


async def content(fleet: Fleet, chat: str, path: str) -> bytes:
    workspace = (await fleet.chat(1, chat))["workspace_id"]
    return (await fleet.at(1).get(f"/workspaces/{workspace}/files/content?path={path}")).body


def agent_program(folder: Path, workspace: str) -> int:
    (information,) = folder.rglob(f"{workspace}/run/agent.json")
    return json.loads(information.read_text())["child-pid"]


def tree_of(folder: Path, workspace: str) -> Path:
    (found,) = folder.rglob(f"{workspace}/tree")
    return found


async def marked(fleet: Fleet, chat: str) -> bool:
    return await content(fleet, chat, "marker") == b"ran\n"


async def moves(fleet: Fleet, chat: str) -> None:
    """Wait until the command that never rests has left a mark."""
    async with asyncio.timeout(PATIENCE):
        while not (await content(fleet, chat, "moving")).startswith(b"moved"):
            pass


async def test_a_command_outlives_its_replica_and_runs_once(fleet: Fleet, tmp_path: Path) -> None:
    chat = await fleet.asks(0, f"{call('create_workspace')} [[then]] {call('execute', command=COUNT, timeout=60)}")
    await started(fleet, chat, "execute")
    workspace = (await fleet.chat(0, chat))["workspace_id"]
    await seen(lambda: marked(fleet, chat))
    first = await fleet.pool.fetchval("SELECT worker_id FROM chats WHERE id = $1", chat)
    await fleet.dies(0)
    await seen(lambda: fleet.pool.fetchval("SELECT worker_id <> $2 FROM chats WHERE id = $1", chat, first))
    (tree_of(tmp_path, workspace) / "go").touch()
    assert (await fleet.comes_to_rest(1, chat))["status"] == "waiting"
    (output,) = (await results(fleet, chat))[1:]
    assert output.splitlines()[0].strip() == "1"
    assert "Exit code 0" in output
    assert await content(fleet, chat, "marker") == b"ran\n"


async def test_a_command_whose_workspace_is_killed_is_asked_about_and_runs_again_only_when_told_to(
    fleet: Fleet, tmp_path: Path
) -> None:
    command = "echo ran >> marker; [ $(wc -l < marker) = 2 ] || sleep 60"
    chat = await fleet.asks(0, f"{call('create_workspace')} [[then]] {call('execute', command=command, timeout=60)}")
    await started(fleet, chat, "execute")
    workspace = (await fleet.chat(0, chat))["workspace_id"]
    await seen(lambda: marked(fleet, chat), within=timedelta(seconds=PATIENCE))
    os.kill(agent_program(tmp_path, workspace), signal.SIGKILL)
    await fleet.until(0, chat, lambda card: card["status"] == "requires_action")
    action = (await fleet.at(0).get(f"/chats/{chat}")).json["action"]
    assert action["kind"] == "outcome_unknown"
    assert await content(fleet, chat, "marker") == b"ran\n"
    decision = {"call_id": action["calls"][0]["call_id"], "decision": "repeat"}
    assert (await fleet.at(0).post(f"/chats/{chat}/action", {"decisions": [decision]})).status == 200
    await fleet.comes_to_rest(0, chat)
    assert "Exit code 0" in (await results(fleet, chat))[-1]
    assert await content(fleet, chat, "marker") == b"ran\nran\n"


@pytest.mark.parametrize("point", ["tools.started", "tools.ran", "tools.journaled"])
async def test_an_edit_is_made_once_over_the_end_of_its_replica(
    point: str, database_url: str, pool: Pool, tmp_path: Path
) -> None:
    work = " [[then]] ".join(
        [
            call("create_workspace"),
            call("write_file", path="a.txt", content="one\n"),
            call("edit_files", files=[{"path": "a.txt", "edits": [{"old_text": "one", "new_text": "one one"}]}]),
            "[[say:done]]",
        ]
    )
    async with open_fleet(database_url, pool, tmp_path, first=(ENDING, point, "3", "SIGKILL")) as fleet:
        await fleet.leaves_to_first()
        chat = await fleet.asks(0, work)
        await fleet.is_dead(0)
        assert (await fleet.comes_to_rest(1, chat))["status"] == "waiting"
        assert "+one one" in (await results(fleet, chat))[2]
        assert await content(fleet, chat, "a.txt") == b"one one\n"


async def test_the_same_call_id_of_a_provider_in_two_turns_runs_twice(fleet: Fleet) -> None:
    count = Call("execute", {"command": "echo ran >> marker; wc -l < marker"}, id="toolu_again")
    fleet.sim.script(Script("counting", steps=(Step((count,)), Step((Text("done"),)))))
    chat = await fleet.asks(0, f"{call('create_workspace')} [[then]] [[say:ready]]")
    await fleet.comes_to_rest(0, chat)
    for _ in range(2):
        await fleet.at(0).post(
            f"/chats/{chat}/messages", {"content": [{"type": "text", "text": "[[script:counting]]"}]}
        )
        await fleet.comes_to_rest(0, chat)
    assert [text.splitlines()[0].strip() for text in (await results(fleet, chat))[1:]] == ["1", "2"]


@pytest.mark.parametrize("killed", [False, True])
async def test_stop_reaches_what_ignores_signals_and_forks_also_when_its_replica_is_gone(
    fleet: Fleet, killed: bool
) -> None:
    chat = await fleet.asks(0, f"{call('create_workspace')} [[then]] {call('execute', command=UNRULY, timeout=600)}")
    await started(fleet, chat, "execute")
    await moves(fleet, chat)
    if killed:
        await fleet.dies(0)
    assert (await fleet.at(1).post(f"/chats/{chat}/interrupt")).status == 200
    assert (await fleet.comes_to_rest(1, chat))["status"] == "waiting"
    before = await content(fleet, chat, "moving")
    again = {"content": [{"type": "text", "text": call("execute", command="sleep 1; wc -c < moving")}]}
    await fleet.at(1).post(f"/chats/{chat}/messages", again)
    await fleet.comes_to_rest(1, chat)
    assert int((await results(fleet, chat))[-1].split()[0]) == len(before)
    numbers = await fleet.numbers(int(killed))
    assert sample(numbers, "perdure_workspace_quiet_seconds_count") == 1
    assert sample(numbers, "perdure_workspace_quiet_seconds_sum") < PATIENCE


@pytest.mark.parametrize("killed", [False, True])
async def test_an_edit_ends_the_command_that_it_took_out_of_the_chat_also_when_its_replica_is_gone(
    fleet: Fleet, killed: bool
) -> None:
    chat = await fleet.asks(0, f"{call('create_workspace')} [[then]] {call('execute', command=UNRULY, timeout=600)}")
    await started(fleet, chat, "execute")
    await moves(fleet, chat)
    if killed:
        await fleet.dies(0)
    measure = call("execute", command="wc -c < moving; sleep 1; wc -c < moving")
    edit = {"content": [{"type": "text", "text": f"{measure} [[then]] [[say:done]]"}]}
    assert (await fleet.at(1).put(f"/chats/{chat}/messages/1", edit)).status == 202
    assert (await fleet.comes_to_rest(1, chat))["status"] == "waiting"
    before, after = (await results(fleet, chat))[-1].split()[:2]
    assert before == after
    left = "SELECT count(*) = 0 FROM journal WHERE chat_id = $1"
    await seen(lambda: fleet.pool.fetchval(left, chat), within=timedelta(seconds=PATIENCE))


async def test_a_chat_that_plans_runs_commands_and_changes_nothing(fleet: Fleet) -> None:
    made = await fleet.asks(0, f"{call('create_workspace')} [[then]] {call('write_file', path='a', content='kept')}")
    workspace = (await fleet.comes_to_rest(0, made))["workspace_id"]
    command = "cat a; echo x > a; touch b ~/c; rm a; exit 0"
    text = f"{call('execute', command=command)} [[then]] [[say:done]]"
    plan = {"content": [{"type": "text", "text": text}], "workspace_id": workspace, "plan_mode": True}
    said = await fleet.at(0).post("/chats", plan)
    await fleet.comes_to_rest(0, said.json["chat"]["id"])
    (output,) = await results(fleet, said.json["chat"]["id"])
    assert output.startswith("kept")
    assert output.count("Read-only file system") == 4
    assert await content(fleet, made, "a") == b"kept"


async def test_a_workspace_that_does_not_answer_is_a_result_with_one_instruction(fleet: Fleet, pool: Pool) -> None:
    chat = await fleet.asks(0, f"{call('create_workspace')} [[then]] [[say:ready]]")
    await fleet.comes_to_rest(0, chat)
    workspace = (await fleet.chat(0, chat))["workspace_id"]
    await fleet.at(0).post(f"/workspaces/{workspace}/stop")
    await pool.execute("UPDATE workspaces SET plan = NULL, template = 'gone' WHERE id = $1", workspace)
    await fleet.at(0).post(
        f"/chats/{chat}/messages", {"content": [{"type": "text", "text": call("execute", command="true")}]}
    )
    await fleet.comes_to_rest(0, chat)
    assert "There is no template 'gone'" in (await results(fleet, chat))[-1]


async def test_a_workspace_that_is_no_use_is_a_result_that_says_what_to_do_and_doing_it_helps(
    fleet: Fleet, tmp_path: Path
) -> None:
    chat = await fleet.asks(0, f"{call('create_workspace')} [[then]] [[say:ready]]")
    workspace = (await fleet.comes_to_rest(0, chat))["workspace_id"]
    await fleet.at(0).post(f"/workspaces/{workspace}/stop")
    root = tree_of(tmp_path, workspace).parent
    (root / "run").rename(root / "aside")
    await says(fleet, chat, call("execute", command="true") + call("list_files"))
    ran, listed = (await results(fleet, chat))[-2:]
    assert listed.startswith("The workspace does not answer. Call start_workspace and try again;")
    assert ran.endswith("What was asked for may or may not have been done: look before you repeat it.")
    shutil.rmtree(root)
    await says(fleet, chat, f"{call('list_files')}[[then]]{call('create_workspace')}[[then]]{call('list_files')}")
    gone, made, empty = (await results(fleet, chat))[-3:]
    assert gone == "The workspace's files are gone. Create a new workspace."
    assert made.startswith("Made a workspace from blank.")
    assert empty == "[The directory is empty.]"


async def says(fleet: Fleet, chat: str, text: str) -> None:
    await fleet.at(0).post(f"/chats/{chat}/messages", {"content": [{"type": "text", "text": text}]})
    await fleet.comes_to_rest(0, chat)
