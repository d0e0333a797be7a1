"""A real cluster: what a pod may not do, what is said when it does not start, and that nothing stays behind."""

import asyncio
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.workspaces import escapes
from tests.workspaces.kubernetes.place import NOTHING, Place, new_plan

from perdure.core.errors import Misconfigured, WorkspaceUnreachable
from perdure.workspaces import wire
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.driver import Limits, Network, Plan
from perdure.workspaces.kubernetes.abilities import probed
from perdure.workspaces.kubernetes.api import CORE
from perdure.workspaces.kubernetes.driver import KubernetesDriver
from perdure.workspaces.kubernetes.options import pod_options

PATIENCE = timedelta(seconds=60)
DIAL = "python3 -c \"import socket; socket.create_connection(('{address}', {port}), 2)\""


class Inside:
    """One workspace, started."""

    def __init__(self, driver: KubernetesDriver, plan: Plan, client: WorkspaceClient) -> None:
        self.driver, self.plan, self.client = driver, plan, client

    async def runs(self, command: str) -> wire.Process:
        return await escapes.runs(self.client, command)

    async def says(self, command: str) -> str:
        return await escapes.says(self.client, command)


@pytest.fixture
async def inside(place: Place) -> AsyncGenerator[Inside]:
    driver, plan = place.driver(), new_plan(limits=Limits(memory_bytes=256 << 20, processes=64))
    await driver.create(plan)
    async with await driver.start(plan) as client:
        yield Inside(driver, plan, client)
    await driver.remove(plan)
    assert await place.left() == NOTHING
    await driver.close()


async def test_short_a_workspace_is_made_used_stopped_and_removed_and_nothing_stays(place: Place) -> None:
    options = pod_options({"image": "localhost/workspace:1"})
    place.abilities = await probed(place.cluster, place.namespace, options)
    assert place.abilities.policies_hold
    assert await place.objects("pods", "perdure/probe") == []
    driver, plan = place.driver(), new_plan()
    await driver.create(plan)
    async with await driver.start(plan) as client:
        process = await client.processes.start("echo kept > file; echo once >> ~/runs", key="k")
        await client.processes.wait(process.id, PATIENCE)
    await driver.stop(plan)
    assert await place.left() == {"pods": 0, "persistentvolumeclaims": 1, "secrets": 1}
    assert await driver.held() == [plan.id]
    async with await driver.start(plan) as client:
        again = await client.processes.start("echo kept > file; echo once >> ~/runs", key="k")
        assert (again.id, again.exit_code) == (process.id, 0)
        seen = await client.processes.start("cat file ~/runs")
        assert (await client.processes.wait(seen.id, PATIENCE)).head == "kept\nonce\n"
    await driver.remove(plan)
    assert await place.left() == NOTHING
    await driver.close()


async def test_what_leads_out_of_a_pod_is_refused(inside: Inside) -> None:
    writing = [f"echo x > {path}" for path in (*escapes.SYSTEM, "/opt/perdure/agent.pyz")]
    secrets = ["cat /var/run/secrets/kubernetes.io/serviceaccount/token", "cat /var/lib/perdure/settings.json"]
    commands = (*escapes.COMMANDS, *writing, *secrets)
    outcomes = {command: (await inside.runs(command)).exit_code for command in commands}
    assert [command for command, code in outcomes.items() if code in (0, None)] == []
    assert await escapes.rights(inside.client) == escapes.NO_RIGHTS


async def test_the_agent_programs_memory_descriptors_and_records_are_out_of_reach(inside: Inside) -> None:
    await escapes.no_kill_reaches_the_agent_program(inside.client)
    assert (await inside.says(escapes.SPIED)).count("Permission denied") >= 6
    await escapes.no_descriptor_can_be_taken(inside.client)
    assert await inside.says("find / -name keys -not -path '/proc/*' -not -path '/usr/*' 2>/dev/null") == ""
    refused = await inside.says(
        "python3 -c \"import http.client as h; c = h.HTTPConnection('127.0.0.1', 7716); "
        "c.request('POST', '/v1/shutdown'); print(c.getresponse().status)\""
    )
    assert refused == "401\n"


async def test_the_node_and_the_cluster_cannot_be_seen_from_a_pod(inside: Inside) -> None:
    outside = await asyncio.create_subprocess_exec("sleep", "62")
    seen = await inside.says(f"kill -9 {outside.pid}; ls -d /proc/[0-9]* | wc -l")
    assert "No such process" in seen
    assert int(seen.split()[-1]) < 10
    outside.kill()
    await outside.wait()
    assert "KUBERNETES" not in await inside.says("env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'")
    assert await inside.says("ls -A /run/containerd /var/lib/kubelet /etc/kubernetes /root 2>/dev/null") == ""


async def test_links_and_swapped_directories_lead_the_file_tools_nowhere(inside: Inside) -> None:
    await escapes.no_link_leads_the_file_tools_out(inside.client, "/var/lib/perdure/settings.json")
    await inside.runs("rm a b c d e")
    await escapes.no_swapped_directory_leads_the_file_tools_out(inside.client, 100)


async def test_the_view_of_a_pod_holds_against_commands(inside: Inside) -> None:
    await inside.client.files.write("plan.md", "keep\n")
    async with await inside.driver.view(inside.plan) as view:
        await escapes.the_view_holds(inside.client, view)


async def test_nothing_leaves_a_workspace_without_a_network(place: Place, inside: Inside) -> None:
    other = replace(inside.plan, id=new_plan().id, network=Network.HOST)
    await inside.driver.create(other)
    async with await inside.driver.start(other) as client:
        listening = (
            'python3 -m http.server 8123 >/dev/null 2>&1 & until python3 -c "import socket; '
            "socket.create_connection(('127.0.0.1', 8123))\" 2>/dev/null; do sleep 0.1; done"
        )
        process = await client.processes.start(listening)
        assert (await client.processes.wait(process.id, PATIENCE)).exit_code == 0
        address = next(pod["status"]["podIP"] for pod in await place.objects("pods", f"perdure/workspace={other.id}"))
        assert (await inside.runs(DIAL.format(address=address, port=8123))).exit_code == 1
        assert (await inside.runs(DIAL.format(address="10.250.0.1", port=10250))).exit_code == 1
        assert (await inside.runs("getent hosts example.com")).exit_code != 0
    await inside.driver.remove(other)


async def test_memory_and_processes_are_limited_and_the_agent_program_stays(inside: Inside) -> None:
    before = await inside.client.health()
    assert (await inside.runs("python3 -c 'x = bytearray(600 << 20)'")).exit_code != 0
    said = await inside.says("for i in $(seq 200); do sleep 5 & done 2>&1 | tail -1")
    assert "fork" in said
    assert (await inside.client.health()).incarnation == before.incarnation


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"image": "localhost/none:1"}, "The image localhost/none:1 cannot be pulled"),
        ({"memory_request": "900Ti"}, "No node of the cluster takes the workspace"),
        ({"node_selector": "pool=nowhere"}, "'node_selector'"),
        ({"storage_class": "none"}, "Name a storage class that the cluster has"),
    ],
    ids=["image", "limits", "selector", "class"],
)
async def test_a_pod_that_cannot_start_is_told_in_words_and_removed(
    place: Place, settings: dict[str, str], told: str
) -> None:
    driver, plan = place.driver(**settings), new_plan(limits=Limits(memory_bytes=1 << 60))
    await driver.create(plan)
    with pytest.raises(WorkspaceUnreachable) as caught:
        await driver.start(plan)
    assert told in str(caught.value)
    await driver.remove(plan)
    assert await place.left() == NOTHING
    await driver.close()


async def test_a_quota_that_is_reached_is_told(place: Place) -> None:
    quota = {"metadata": {"name": "none"}, "spec": {"hard": {"persistentvolumeclaims": "0"}}}
    await place.cluster.create(CORE, "resourcequotas", place.namespace, quota)
    driver, plan = place.driver(), new_plan()
    async with asyncio.timeout(PATIENCE.total_seconds()):
        while not (await place.cluster.get(CORE, "resourcequotas", place.namespace, "none"))["status"].get("hard"):
            await place.left()
    with pytest.raises(Misconfigured, match="quota is used up"):
        await driver.create(plan)
    assert await place.left() == NOTHING
    await driver.close()


async def test_a_namespace_that_is_not_there_is_named(place: Place) -> None:
    place.namespace, real = "perdure-nowhere", place.namespace
    driver = place.driver()
    with pytest.raises(Misconfigured, match="no such namespace"):
        await driver.create(new_plan())
    await driver.close()
    place.namespace = real


async def test_thirty_at_once(place: Place) -> None:
    driver, plans = place.driver(memory_request="32Mi", cpu_request="5m"), [new_plan() for _ in range(30)]
    begun = time.monotonic()

    async def one(plan: Plan) -> float:
        await driver.create(plan)
        async with await driver.start(plan) as client:
            process = await client.processes.start("hostname")
            assert (await client.processes.wait(process.id, PATIENCE)).head == "workspace\n"
        return time.monotonic() - begun

    took = sorted(await asyncio.gather(*map(one, plans)))
    assert len(await place.objects("pods")) == 30
    await asyncio.gather(*map(driver.remove, plans))
    assert await place.left() == NOTHING
    assert len(took) == 30
    await driver.close()
