"""The server dies; the workspace does not notice."""

import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from tests.workspaces.waiting import alive, eventually

from perdure.core.ids import WorkspaceId
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.driver import Plan
from perdure.workspaces.local import driver
from perdure.workspaces.local.driver import LocalDriver
from perdure.workspaces.wire import FileEdits, ProcessState, TextEdit

PATIENCE = timedelta(seconds=60)
COMMAND = "echo once >> marker; while [ ! -e go ]; do sleep 0.05; done; echo finished"
APPEND = [FileEdits("notes", [TextEdit("one\n", "one\nmore\n")])]

# A replica that starts a workspace, a command and an edit, says so, and waits to be killed.
REPLICA = f"""
import asyncio, sys
from pathlib import Path
from uuid import UUID
from perdure.workspaces.driver import Plan
from perdure.workspaces.local.driver import LocalDriver
from perdure.workspaces.wire import FileEdits, TextEdit

async def main():
    driver, plan = LocalDriver(Path(sys.argv[1])), Plan(UUID(sys.argv[2]))
    await driver.create(plan)
    client = await driver.start(plan)
    process = await client.processes.start({COMMAND!r}, key="run")
    await client.files.write("notes", "one\\n", key="write")
    await client.files.edit([FileEdits("notes", [TextEdit("one\\n", "one\\nmore\\n")])], key="edit")
    marker = Path(sys.argv[1]) / sys.argv[2] / "tree/marker"
    while not (marker.exists() and marker.read_text()):
        await asyncio.sleep(0.01)
    print(process.id, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


class Killed:
    """What a killed replica left: its directory, its workspace, and the id of the command it had started."""

    def __init__(self, root: Path, plan: Plan, process: str) -> None:
        self.driver, self.root, self.plan, self.process = LocalDriver(root), root, plan, process

    async def enter(self) -> WorkspaceClient:
        return await self.driver.connect(self.plan)


@pytest.fixture
async def killed() -> AsyncGenerator[Killed]:
    root, plan = Path(tempfile.mkdtemp(prefix="perdure-")), Plan(WorkspaceId(uuid4()))
    replica = await asyncio.create_subprocess_exec(
        sys.executable, "-c", REPLICA, str(root), str(plan.id), stdout=asyncio.subprocess.PIPE, start_new_session=True
    )
    assert replica.stdout is not None
    process = (await replica.stdout.readline()).decode().strip()
    os.killpg(replica.pid, signal.SIGKILL)
    await replica.wait()
    found = Killed(root, plan, process)
    yield found
    await found.driver.remove(plan)
    shutil.rmtree(root)


async def test_a_command_goes_on_and_another_replica_gets_its_one_result(killed: Killed) -> None:
    async with await killed.enter() as client:
        again = await client.processes.start(COMMAND, key="run")
        assert (again.id, again.state) == (killed.process, ProcessState.RUNNING)
        await client.files.write("go", "")
        ended = await client.processes.wait(again.id, PATIENCE)
        assert (ended.exit_code, ended.head) == (0, "finished\n")
        assert await client.files.content("marker", 100) == b"once\n"


async def test_an_edit_is_made_once_over_the_crash(killed: Killed) -> None:
    async with await killed.enter() as client:
        assert (await client.files.edit(APPEND, key="edit")).state == "done"
        assert await client.files.content("notes", 100) == b"one\nmore\n"
        assert (await client.files.edit(APPEND, key="the same call of the next turn")).state == "done"
        assert await client.files.content("notes", 100) == b"one\nmore\nmore\n"


async def test_the_same_command_in_another_turn_runs_again(killed: Killed) -> None:
    async with await killed.enter() as client:
        await client.files.write("go", "")
        other = await client.processes.start(COMMAND, key="chat/7/0/0")
        await client.processes.wait(other.id, PATIENCE)
        assert other.id != killed.process
        assert await client.files.content("marker", 100) == b"once\nonce\n"


async def test_a_workspace_that_answers_nobody_is_ended_all_the_same(
    killed: Killed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "WORKSPACE_STOP", timedelta(milliseconds=100))
    information = json.loads((killed.root / str(killed.plan.id) / "run/agent.json").read_text())
    os.kill(information["child-pid"], signal.SIGSTOP)
    await killed.driver.stop(killed.plan)
    assert not alive(information["child-pid"])


async def test_a_workspace_killed_from_outside_says_lost_and_ends_with_everything(killed: Killed) -> None:
    async with await killed.enter() as client:
        before = await client.health()
    information = json.loads((killed.root / str(killed.plan.id) / "run/agent.json").read_text())
    os.kill(information["child-pid"], signal.SIGKILL)
    await eventually(lambda: not alive(information["child-pid"]))
    async with await killed.driver.start(killed.plan) as client:
        again = await client.processes.start(COMMAND, key="run")
        assert (again.state, again.incarnation) == (ProcessState.LOST, before.incarnation)
        assert await client.files.content("marker", 100) == b"once\n"


def held_open(path: Path) -> bool:
    """Whether this process holds a directory open."""
    return str(path) in [_leads_to(descriptor) for descriptor in Path("/proc/self/fd").iterdir()]


def _leads_to(descriptor: Path) -> str:
    try:
        return str(descriptor.readlink())
    except FileNotFoundError:
        return ""


async def test_a_start_that_is_given_up_leaves_nothing_open(killed: Killed) -> None:
    place = killed.root / str(killed.plan.id) / "run"
    information = json.loads((place / "agent.json").read_text())
    os.kill(information["child-pid"], signal.SIGSTOP)
    starting = asyncio.create_task(killed.driver.start(killed.plan))
    # It waits for the health of an agent that does not answer.
    await eventually(lambda: held_open(place))
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert not held_open(place)
    os.kill(information["child-pid"], signal.SIGCONT)
