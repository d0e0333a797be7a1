"""Process numbers are given out again: a workspace never ends what now has the number of its own former agent."""

import json
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path
from uuid import uuid4

import pytest
from tests.workspaces.waiting import alive, eventually

from perdure.core.ids import WorkspaceId
from perdure.workspaces.driver import Plan
from perdure.workspaces.local.driver import LocalDriver


class Host:
    """Where workspaces run, and the notes that they leave about their first processes."""

    def __init__(self, root: Path, *, unsandboxed: bool = False) -> None:
        self.root, self.driver, self.plans = root, LocalDriver(root, unsandboxed=unsandboxed), list[Plan]()

    async def starts(self) -> Plan:
        plan = Plan(WorkspaceId(uuid4()))
        self.plans.append(plan)
        await self.driver.create(plan)
        async with await self.driver.start(plan):
            return plan

    def note(self, plan: Plan, role: str = "agent") -> Path:
        return self.root / str(plan.id) / "run" / f"{role}.json"

    def first_process(self, plan: Plan, role: str = "agent") -> int:
        return json.loads(self.note(plan, role).read_text())["child-pid"]

    async def loses(self, plan: Plan, role: str, number_of: int) -> None:
        """An agent dies without a word, and another process gets its number."""
        pid = self.first_process(plan, role)
        os.kill(pid, signal.SIGKILL)
        await eventually(lambda: not alive(pid))
        note = self.note(plan, role)
        note.write_text(json.dumps({**json.loads(note.read_text()), "child-pid": number_of}))


@pytest.fixture(params=["sandboxed", "unsandboxed"])
async def host(request: pytest.FixtureRequest) -> AsyncGenerator[Host]:
    root = Path(tempfile.mkdtemp(prefix="perdure-"))
    host = Host(root, unsandboxed=request.param == "unsandboxed")
    yield host
    for plan in host.plans:
        await host.driver.remove(plan)
    shutil.rmtree(root)


async def test_the_agent_of_another_workspace_is_left_alone(host: Host) -> None:
    mine, others = await host.starts(), await host.starts()
    other = host.first_process(others)
    await host.loses(mine, "agent", number_of=other)
    async with await host.driver.start(mine):
        assert alive(other)
    await host.driver.stop(mine)
    assert alive(other)


@pytest.mark.parametrize("host", ["sandboxed"], indirect=True)
async def test_the_agent_of_the_same_workspace_is_not_taken_for_its_view(host: Host) -> None:
    plan = await host.starts()
    async with await host.driver.view(plan):
        pass
    agent = host.first_process(plan)
    await host.loses(plan, "view", number_of=agent)
    async with await host.driver.view(plan):
        assert alive(agent)
