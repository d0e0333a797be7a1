"""A workspace of the local driver, in its sandbox."""

import json
import shutil
import tempfile
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from tests.workspaces.egress.servers import HOSTS, Servers

from perdure.core.errors import WorkspaceRefused
from perdure.core.ids import WorkspaceId
from perdure.workspaces import wire
from perdure.workspaces.agent.lineage import descendants
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.driver import MEBIBYTE, Limits, Network, Plan
from perdure.workspaces.egress.control import EgressOptions
from perdure.workspaces.egress.rules import ArmedRule
from perdure.workspaces.local.driver import LocalDriver

PATIENCE = timedelta(seconds=60)
LIMITS = Limits(memory_bytes=256 * MEBIBYTE, processes=64, file_bytes=64 * MEBIBYTE, disk_bytes=128 * MEBIBYTE)


class Sandbox:
    """One workspace, its driver, and the directory on the host that holds it."""

    def __init__(self, root: Path, client: WorkspaceClient, driver: LocalDriver, plan: Plan) -> None:
        self.root, self.client, self.driver, self.plan = root, client, driver, plan

    async def runs(self, command: str) -> wire.Process:
        process = await self.client.processes.start(command)
        return await self.client.processes.wait(process.id, PATIENCE)

    async def runs_or_is_refused(self, command: str) -> str:
        """The code of a refusal, or nothing where it ran."""
        try:
            await self.runs(command)
        except WorkspaceRefused as refusal:
            return refusal.code
        return ""

    def processes_on_the_host(self) -> int:
        """How many processes there are below the sandbox's first one."""
        information = json.loads((self.root / str(self.plan.id) / "run/agent.json").read_text())
        return len(descendants(information["child-pid"]))

    async def says(self, command: str) -> str:
        return (await self.runs(command)).head


class Fenced(Sandbox):
    """A workspace with a network by permission, and servers outside."""

    servers: Servers

    async def told(self, *rules: ArmedRule) -> None:
        await self.driver.egress(self.plan).tell(rules)


@pytest.fixture
async def sandbox() -> AsyncGenerator[Sandbox]:
    root = Path(tempfile.mkdtemp(prefix="perdure-"))
    driver, plan = LocalDriver(root), Plan(WorkspaceId(uuid4()), limits=LIMITS)
    await driver.create(plan)
    async with await driver.start(plan) as client:
        yield Sandbox(root, client, driver, plan)
    await driver.remove(plan)
    shutil.rmtree(root)


@pytest.fixture
async def fenced() -> AsyncGenerator[Fenced]:
    root, servers = Path(tempfile.mkdtemp(prefix="perdure-")), Servers()
    driver = LocalDriver(root, egress=EgressOptions(servers.authority.certificate, HOSTS))
    plan = Plan(WorkspaceId(uuid4()), network=Network.ALLOW, limits=LIMITS)
    await driver.create(plan)
    async with await driver.start(plan) as client:
        found = Fenced(root, client, driver, plan)
        found.servers = servers
        yield found
    await driver.remove(plan)
    servers.close()
    shutil.rmtree(root)
