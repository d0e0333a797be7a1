"""What becomes of commands when parts of a cluster die: attached to again or asked about, and never run twice."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import pytest
from tests.workspaces.kubernetes.box import API_SERVER, CONTAINERD, KUBELET, Box
from tests.workspaces.kubernetes.place import NOTHING, Place, new_plan

from perdure.core.errors import PerdureError, WorkspaceUnreachable
from perdure.testing.polling import seen
from perdure.workspaces import wire
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.driver import Plan
from perdure.workspaces.kubernetes.driver import KubernetesDriver

pytestmark = pytest.mark.timeout(400)
PATIENCE = timedelta(seconds=90)
BACK = 150.0
COMMAND = "echo begun >> ~/runs; until [ -e go ]; do sleep 0.1; done; echo end"
RESOURCES = ("pod", "sandbox")


@pytest.fixture
def box(request: pytest.FixtureRequest) -> Box:
    return Box(Path(str(request.config.getoption("--cluster-box"))))


@pytest.fixture(params=RESOURCES)
async def place(request: pytest.FixtureRequest, place: Place) -> AsyncGenerator[Place]:
    """Counted before and after."""
    place.resource = request.param
    assert await place.left() == NOTHING
    yield place
    assert await place.left() == NOTHING


class Work:
    """A workspace with a command that waits for a word, as a call of a tool that may not run twice."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.plan = new_plan()
        self._drivers = list[KubernetesDriver]()

    def replica(self) -> KubernetesDriver:
        self._drivers.append(self._place.driver(resource=self._place.resource))
        return self._drivers[-1]

    async def begins(self) -> WorkspaceClient:
        driver = self.replica()
        await driver.create(self.plan)
        client = await driver.start(self.plan)
        await client.processes.start(COMMAND, key="call")
        return client

    async def reached(self, how: Callable[[KubernetesDriver, Plan], Awaitable[WorkspaceClient]]) -> WorkspaceClient:
        """By another replica, as soon as that can be."""
        driver = self.replica()
        async with asyncio.timeout(BACK):
            while True:
                try:
                    client = await how(driver, self.plan)
                    await client.health()
                except PerdureError:
                    await asyncio.sleep(0.5)
                else:
                    return client

    async def ends(self) -> None:
        driver = self.replica()
        async with asyncio.timeout(BACK):
            while True:
                try:
                    await driver.remove(self.plan)
                    break
                except PerdureError:
                    await asyncio.sleep(0.5)
        for each in self._drivers:
            await each.close()


@pytest.fixture
async def work(place: Place) -> AsyncGenerator[Work]:
    found = Work(place)
    yield found
    await found.ends()


async def _goes_on(client: WorkspaceClient) -> None:
    """The command is the one that was begun, and it ends once."""
    again = await client.processes.start(COMMAND, key="call")
    assert again.state is wire.ProcessState.RUNNING
    await client.files.write("go", "")
    assert (await client.processes.wait(again.id, PATIENCE)).head == "end\n"
    assert await client.files.content("/home/agent/runs", 100) == b"begun\n"


async def _is_asked_about(client: WorkspaceClient) -> None:
    """Nobody knows how the command ended, and it is not begun again."""
    again = await client.processes.start(COMMAND, key="call")
    assert again.state is wire.ProcessState.LOST
    assert await client.files.content("/home/agent/runs", 100) == b"begun\n"


async def _begun(client: WorkspaceClient) -> None:
    waiting = await client.processes.start("until [ -s ~/runs ]; do sleep 0.05; done")
    await client.processes.wait(waiting.id, PATIENCE)


async def test_a_command_goes_on_while_the_api_server_is_away(box: Box, work: Work) -> None:
    async with await work.begins() as client:
        await _begun(client)
        killed = box.kills(API_SERVER)
        with pytest.raises(WorkspaceUnreachable, match="does not answer"):
            await work.replica().connect(work.plan)
        box.starts(killed)
    async with await work.reached(KubernetesDriver.connect) as client:
        await _goes_on(client)


async def test_a_command_goes_on_while_the_kubelet_is_away(box: Box, work: Work) -> None:
    async with await work.begins() as client:
        await _begun(client)
        killed = box.kills(KUBELET)
        with pytest.raises(WorkspaceUnreachable):
            await work.replica().connect(work.plan)
        box.starts(killed)
    async with await work.reached(KubernetesDriver.connect) as client:
        await _goes_on(client)


async def test_a_command_is_asked_about_after_its_node_has_died(box: Box, work: Work) -> None:
    async with await work.begins() as client:
        await _begun(client)
        killed = [box.kills(KUBELET), box.kills(CONTAINERD)]
        assert box.kills_pods() >= 2
        for program in reversed(killed):
            box.starts(program)
    async with await work.reached(KubernetesDriver.start) as client:
        await _is_asked_about(client)


async def test_a_command_is_asked_about_after_the_whole_cluster_has_crashed(box: Box, work: Work) -> None:
    async with await work.begins() as client:
        await _begun(client)
        await box.crashes()
        with pytest.raises(WorkspaceUnreachable, match="does not answer"):
            await work.replica().start(work.plan)
        await box.comes_back()
    async with await work.reached(KubernetesDriver.start) as client:
        await _is_asked_about(client)


async def test_a_node_that_stays_away_is_named_and_the_workspace_starts_when_it_is_back(box: Box, work: Work) -> None:
    async with await work.begins() as client:
        await _begun(client)
        killed, driver = box.kills(KUBELET), work.replica()

        async def named() -> bool:
            with pytest.raises(WorkspaceUnreachable) as caught:
                await driver.start(work.plan)
            return "The node node-1 that the workspace runs on does not answer" in str(caught.value)

        await seen(named, within=timedelta(seconds=BACK))
        box.starts(killed)
    async with await work.reached(KubernetesDriver.start) as client:
        await _goes_on(client)
