"""Engines and hosts that are away, or whose processes have other numbers than they had."""

import asyncio
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path
from uuid import uuid4

import pytest

from perdure.core.errors import WorkspaceUnreachable
from perdure.core.ids import WorkspaceId
from perdure.workspaces.agent.detaching import started
from perdure.workspaces.docker import DockerDriver, Engine
from perdure.workspaces.driver import Plan
from perdure.workspaces.ssh import KILL


@pytest.fixture
def root() -> Generator[Path]:
    path = Path(tempfile.mkdtemp(prefix="perdure-"))
    yield path
    shutil.rmtree(path)


async def test_an_engine_that_is_away_is_a_workspace_that_does_not_answer(root: Path) -> None:
    plan, driver = Plan(WorkspaceId(uuid4())), DockerDriver(Engine(f"unix://{root}/none.sock", "image", root))
    for name in ("tree", "agent", "view"):
        (root / str(plan.id) / name).mkdir(parents=True)
    try:
        for asked in (driver.start, driver.view, driver.stop, driver.remove):
            with pytest.raises(WorkspaceUnreachable):
                await asked(plan)
    finally:
        await driver.close()


@pytest.mark.parametrize("same", [True, False], ids=["the agent", "another process"])
async def test_a_host_ends_only_the_agent_that_was_noted(root: Path, same: bool) -> None:
    (root / "run").mkdir()
    process = await asyncio.create_subprocess_exec("sleep", "600")
    noted = started(process.pid) if same else "another-life 1"
    (root / "run/agent.pid").write_text(f"{process.pid}\n{noted}\n")
    killing = await asyncio.create_subprocess_exec("sh", "-c", KILL, cwd=root)
    assert await killing.wait() == 0
    if not same:
        process.terminate()
    assert await process.wait() == (-9 if same else -15)


@pytest.mark.parametrize("noted", [None, "", "12"], ids=["no note", "an empty one", "half a note"])
async def test_a_host_without_a_whole_note_ends_nothing(root: Path, noted: str | None) -> None:
    (root / "run").mkdir()
    if noted is not None:
        (root / "run/agent.pid").write_text(noted)
    killing = await asyncio.create_subprocess_exec("sh", "-c", KILL, cwd=root, stderr=asyncio.subprocess.PIPE)
    _, complaints = await killing.communicate()
    assert (killing.returncode, complaints) == (0, b"")
