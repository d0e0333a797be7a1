"""What every driver promises, whatever a workspace is made of."""

import asyncio
import hashlib
import shutil
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from tests.workspaces.kubernetes.place import cluster_place
from tests.workspaces.sshd import running_sshd

from perdure.core.errors import WorkspaceRefused, WorkspaceUnreachable
from perdure.core.ids import WorkspaceId
from perdure.workspaces import wire
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.docker import DockerDriver, Engine
from perdure.workspaces.driver import Driver, Plan
from perdure.workspaces.local.driver import LocalDriver
from perdure.workspaces.ssh import SshDriver

PATIENCE = timedelta(seconds=60)
CLUSTERED = ("kubernetes-pod", "kubernetes-sandbox")


class Bench:
    """Drivers as several replicas would make them, for the same place, and the workspaces made on it."""

    def __init__(self, make: Callable[[], Driver]) -> None:
        self._make = make
        self._drivers: list[Driver] = []
        self._plans: list[Plan] = []
        self._stack = AsyncExitStack()

    def replica(self) -> Driver:
        self._drivers.append(self._make())
        return self._drivers[-1]

    def plan(self) -> Plan:
        self._plans.append(Plan(WorkspaceId(uuid4()), environment={"GREETING": "hello"}))
        return self._plans[-1]

    async def keep(self, client: WorkspaceClient) -> WorkspaceClient:
        return await self._stack.enter_async_context(client)

    async def started(self, driver: Driver, plan: Plan) -> WorkspaceClient:
        await driver.create(plan)
        return await self.keep(await driver.start(plan))

    async def clear(self) -> None:
        last = self.replica()
        async with AsyncExitStack() as stack:
            for driver in self._drivers:
                stack.push_async_callback(driver.close)
            for plan in self._plans:
                stack.push_async_callback(last.remove, plan)
            await self._stack.aclose()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every ordinary driver, docker where an engine is named, and kubernetes where a cluster is."""
    engine = bool(metafunc.config.getoption("--docker-engine", default=None))
    cluster = bool(metafunc.config.getoption("--kubeconfig", default=None))
    drivers: list[str] = [
        "local",
        "unsandboxed",
        "ssh",
        *(["docker"] if engine else []),
        *(CLUSTERED if cluster else []),
    ]
    if "bench" in metafunc.fixturenames:
        metafunc.parametrize("bench", drivers, indirect=True)


@pytest.fixture
async def bench(request: pytest.FixtureRequest) -> AsyncGenerator[Bench]:
    async with AsyncExitStack() as stack:
        root = Path(tempfile.mkdtemp(prefix="perdure-"))
        stack.callback(shutil.rmtree, root)
        match request.param:
            case "ssh":
                host = await stack.enter_async_context(running_sshd())
                found = Bench(lambda: SshDriver(host))
            case "docker":
                url, image = (str(request.config.getoption(f"--docker-{name}")) for name in ("engine", "image"))
                found = Bench(lambda: DockerDriver(Engine(url, image, root)))
            case name if name in CLUSTERED:
                place = await stack.enter_async_context(cluster_place(request.config))
                resource = name.removeprefix("kubernetes-")
                found = Bench(lambda: place.driver(resource=resource))
            case name:
                found = Bench(lambda: LocalDriver(root, unsandboxed=name == "unsandboxed"))
        stack.push_async_callback(found.clear)
        yield found


async def runs(client: WorkspaceClient, command: str, key: str | None = None) -> wire.Process:
    process = await client.processes.start(command, key=key)
    return await client.processes.wait(process.id, PATIENCE)


async def test_a_new_workspace_is_empty_and_answers(bench: Bench) -> None:
    client = await bench.started(bench.replica(), bench.plan())
    assert (await client.files.list()).entries == []
    assert not (await client.health()).read_only


async def test_commands_run_in_the_tree_with_the_plans_environment(bench: Bench) -> None:
    client = await bench.started(bench.replica(), bench.plan())
    process = await runs(client, "pwd; echo $GREETING; echo $HOME; touch made")
    health = await client.health()
    assert process.head.splitlines() == [health.tree, "hello", health.home]
    assert [entry.path for entry in (await client.files.list()).entries] == ["made"]


async def test_creating_twice_keeps_what_is_there(bench: Bench) -> None:
    driver, plan = bench.replica(), bench.plan()
    client = await bench.started(driver, plan)
    await client.files.write("kept", "x")
    await driver.create(plan)
    assert (await client.files.list()).entries[0].path == "kept"


async def test_starting_twice_finds_the_one_that_runs(bench: Bench) -> None:
    driver, plan = bench.replica(), bench.plan()
    first = await bench.started(driver, plan)
    second = await bench.keep(await driver.start(plan))
    assert (await first.health()).incarnation == (await second.health()).incarnation


async def test_replicas_that_start_at_once_start_one(bench: Bench) -> None:
    drivers, plan = [bench.replica() for _ in range(3)], bench.plan()
    await drivers[0].create(plan)
    clients = await asyncio.gather(*(driver.start(plan) for driver in drivers))
    healths = [await (await bench.keep(client)).health() for client in clients]
    assert len({health.incarnation for health in healths}) == 1


async def test_nobody_answers_before_the_start_and_after_the_stop(bench: Bench) -> None:
    driver, plan = bench.replica(), bench.plan()
    await driver.create(plan)
    with pytest.raises(WorkspaceUnreachable, match="Call start_workspace"):
        await driver.connect(plan)
    await bench.keep(await driver.start(plan))
    await driver.stop(plan)
    with pytest.raises(WorkspaceUnreachable):
        await driver.connect(plan)


async def test_files_and_home_stay_over_a_stop(bench: Bench) -> None:
    driver, plan = bench.replica(), bench.plan()
    client = await bench.started(driver, plan)
    await runs(client, "echo tree > kept; echo home > ~/kept")
    await driver.stop(plan)
    again = await bench.keep(await driver.start(plan))
    assert (await runs(again, "cat kept ~/kept")).head == "tree\nhome\n"


async def test_a_stop_ends_everything_that_runs(bench: Bench) -> None:
    driver, plan = bench.replica(), bench.plan()
    client = await bench.started(driver, plan)
    await runs(
        client, "(trap '' TERM; while :; do date +%N > beat; sleep 0.02; done) & while [ ! -e beat ]; do :; done"
    )
    await driver.stop(plan)
    again = await bench.keep(await driver.start(plan))
    first = await again.files.content("beat", 100)
    await runs(again, "sleep 0.2")
    assert await again.files.content("beat", 100) == first


async def test_results_stay_over_a_stop_and_unfinished_runs_are_lost(bench: Bench) -> None:
    driver, plan = bench.replica(), bench.plan()
    client = await bench.started(driver, plan)
    before = await client.health()
    await runs(client, "echo done", key="finished")
    await client.processes.start("sleep 60", key="unfinished")
    await driver.stop(plan)
    again = await bench.keep(await driver.start(plan))
    assert (await again.processes.start("echo done", key="finished")).head == "done\n"
    assert (await again.processes.start("sleep 60", key="unfinished")).state in (
        wire.ProcessState.EXITED,
        wire.ProcessState.LOST,
    )
    assert (await again.health()).incarnation != before.incarnation


async def test_another_replica_attaches_to_a_running_command(bench: Bench) -> None:
    first, second, plan = bench.replica(), bench.replica(), bench.plan()
    client = await bench.started(first, plan)
    started = await client.processes.start("echo once >> marker; sleep 0.3; echo end", key="k")
    await first.close()
    other = await bench.keep(await second.connect(plan))
    again = await other.processes.start("echo once >> marker; sleep 0.3; echo end", key="k")
    ended = await other.processes.wait(again.id, PATIENCE)
    assert (again.id, ended.head) == (started.id, "end\n")
    assert await other.files.content("marker", 100) == b"once\n"


async def test_a_removed_workspace_is_gone(bench: Bench) -> None:
    driver, plan = bench.replica(), bench.plan()
    client = await bench.started(driver, plan)
    await runs(client, "mkdir -p deep/er && touch deep/er/file && chmod 000 deep/er && chmod 000 deep")
    await driver.remove(plan)
    with pytest.raises(WorkspaceRefused, match="Create a new workspace"):
        await driver.start(plan)
    await driver.remove(plan)


async def test_the_view_reads_and_never_writes(bench: Bench) -> None:
    driver, plan = bench.replica(), bench.plan()
    client = await bench.started(driver, plan)
    await client.files.write("readme", "text\n")
    if not driver.has_view:
        with pytest.raises(WorkspaceRefused, match="no read-only view"):
            await driver.view(plan)
        return
    view = await bench.keep(await driver.view(plan))
    process = await runs(view, "cat readme; echo x > readme; touch new ~/new; rm -rf readme; chmod 777 readme")
    assert process.head.startswith("text\n")
    with pytest.raises(WorkspaceRefused) as refusal:
        await view.files.write("readme", "changed")
    assert refusal.value.code == "read_only"
    assert await client.files.content("readme", 100) == b"text\n"
    assert [entry.path for entry in (await client.files.list()).entries] == ["readme"]


async def test_workspaces_are_apart(bench: Bench) -> None:
    driver, mine, other = bench.replica(), bench.plan(), bench.plan()
    theirs = await bench.started(driver, other)
    await theirs.files.write("secret", "s")
    client = await bench.started(driver, replace(mine))
    with pytest.raises(WorkspaceRefused, match="outside the workspace"):
        await client.files.read(f"../../{other.id}/tree/secret", 1, 10)


async def test_commands_of_a_sandboxed_workspace_cannot_reach_the_records(bench: Bench) -> None:
    driver, plan = bench.replica(), bench.plan()
    client = await bench.started(driver, plan)
    await runs(client, "true", key="k")
    record = hashlib.sha256(b"k").hexdigest()
    where = "/" if driver.sandboxed else ".."
    seen = await runs(
        client, f"find {where} -path /usr -prune -o -path /proc -prune -o -name {record} -print 2>/dev/null"
    )
    if not driver.sandboxed:
        assert record in seen.head
        return
    traced = await runs(client, "ls /proc/1/fd; cat /proc/1/environ; kill -9 1; echo alive")
    assert seen.head == ""
    assert traced.head.count("Permission denied") == 2
    assert traced.head.endswith("alive\n")
