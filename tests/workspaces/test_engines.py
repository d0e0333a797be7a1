"""Engines and hosts that are away, or whose processes have other numbers than they had."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from uuid import uuid4

import pytest
from tests.workspaces.engine import StandIn, standing_in
from tests.workspaces.waiting import eventually

from perdure.core.errors import Misconfigured, WorkspaceUnreachable
from perdure.core.ids import WorkspaceId
from perdure.workspaces.agent.main import started
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


@pytest.fixture
async def engine(root: Path) -> AsyncGenerator[StandIn]:
    async with standing_in(root / "engine.sock") as found:
        yield found


@pytest.fixture
async def driver(root: Path, engine: StandIn) -> AsyncGenerator[DockerDriver]:
    assert engine.images == {"image"}
    found = DockerDriver(Engine(f"unix://{root}/engine.sock", "image", root / "docker"))
    yield found
    await found.close()


async def test_a_removal_that_was_cut_short_is_gone_on_with(root: Path, engine: StandIn, driver: DockerDriver) -> None:
    plan = Plan(WorkspaceId(uuid4()))
    await driver.create(plan)
    engine.left(f"perdure-{plan.id}-eraser", "exited")
    await driver.remove(plan)
    assert (engine.containers, (root / "docker" / str(plan.id)).exists()) == ({}, False)
    await driver.remove(plan)


async def test_a_container_that_was_made_and_never_started_is_started(engine: StandIn, driver: DockerDriver) -> None:
    plan = Plan(WorkspaceId(uuid4()))
    await driver.create(plan)
    name = f"perdure-{plan.id}-agent"
    engine.left(name, "created")
    starting = asyncio.create_task(driver.start(plan))
    await eventually(lambda: engine.containers[name]["status"] == "running")
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting


async def test_why_an_engine_starts_nothing_is_said(engine: StandIn, driver: DockerDriver) -> None:
    plan = Plan(WorkspaceId(uuid4()))
    await driver.create(plan)
    engine.images.clear()
    with pytest.raises(WorkspaceUnreachable, match=r"The container engine says: .*no such image: image"):
        await driver.start(plan)
    with pytest.raises(Misconfigured, match="has no image image: pull or build it first"):
        await driver.create(plan)


async def test_an_engine_that_is_away_is_named_before_anything_is_made(root: Path) -> None:
    driver = DockerDriver(Engine(f"unix://{root}/none.sock", "image", root / "docker"))
    with pytest.raises(Misconfigured, match=r"No container engine answers at unix://.*/none\.sock: start it"):
        await driver.create(Plan(WorkspaceId(uuid4())))
    await driver.close()
    assert not (root / "docker").exists()
