"""What every driver with a network by permission promises: what rules allow works, and nothing else gets out."""

import base64
import json
import os
import shutil
import socket
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from tests.workspaces.egress import memory
from tests.workspaces.egress.servers import CANARY, HOSTS, SECRET, Servers, rules
from tests.workspaces.inside import PATIENCE

from perdure.core.ids import WorkspaceId
from perdure.workspaces import wire
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.docker import DockerDriver, Engine
from perdure.workspaces.driver import Driver, Network, Plan
from perdure.workspaces.egress.control import EgressOptions
from perdure.workspaces.local.driver import LocalDriver

PROGRAMS = Path(memory.__file__).parent
FEWEST_ATTEMPTS = 60
BASIC = base64.b64encode(f"x-access-token:{SECRET}".encode()).decode()
NEEDLES = [(text[:5], text[5:]) for text in (SECRET, BASIC)]


@dataclass(frozen=True, slots=True)
class Fenced:
    """A workspace with a network by permission, and servers outside."""

    driver: Driver
    plan: Plan
    client: WorkspaceClient
    servers: Servers

    async def runs(self, command: str) -> wire.Process:
        process = await self.client.processes.start(command)
        return await self.client.processes.wait(process.id, PATIENCE)

    async def tries(self, name: str, told: Mapping[str, object]) -> dict[str, str]:
        """What a program found that was sent inside."""
        for each in (name, "memory.py"):
            await self.client.files.put(each, (PROGRAMS / each).read_bytes())
        await self.client.files.put("told.json", json.dumps(told).encode())
        process = await self.runs(f"python3 {name} < told.json > found.json")
        assert process.exit_code == 0, process.head
        found: dict[str, str] = json.loads(await self.client.files.content("found.json", 1 << 24))
        return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The local driver, and docker where an engine is named."""
    engine = bool(metafunc.config.getoption("--docker-engine", default=None))
    if "fence" in metafunc.fixturenames:
        metafunc.parametrize("fence", ["local", *(["docker"] if engine else [])], indirect=True)


@pytest.fixture
async def fence(request: pytest.FixtureRequest) -> AsyncGenerator[Fenced]:
    async with AsyncExitStack() as stack:
        root, servers = Path(tempfile.mkdtemp(prefix="perdure-")), Servers()
        stack.callback(shutil.rmtree, root)
        stack.callback(servers.close)
        options = EgressOptions(servers.authority.certificate, HOSTS)
        driver: Driver = LocalDriver(root, egress=options)
        if request.param == "docker":
            url, image = (str(request.config.getoption(f"--docker-{name}")) for name in ("engine", "image"))
            driver = DockerDriver(Engine(url, image, root, options))
        stack.push_async_callback(driver.close)
        plan = Plan(WorkspaceId(uuid4()), network=Network.ALLOW)
        await driver.create(plan)
        stack.push_async_callback(driver.remove, plan)
        client = await stack.enter_async_context(await driver.start(plan))
        await driver.egress(plan).tell(rules(servers))
        yield Fenced(driver, plan, client, servers)


async def test_nothing_gets_out_but_what_the_rules_allow(fence: Fenced) -> None:
    servers, abstract = fence.servers, f"perdure-{uuid4()}"
    halves = f"{SECRET[:3]}''{SECRET[3:]}"
    places = "/workspace /home /tmp /run /etc /var /dev/shm /proc/[0-9]*/cmdline /proc/[0-9]*/environ"
    search = f"printf %s {halves} | grep -rlaFf - {places} 2>/dev/null; true"
    told = {
        "tls": servers.tls, "plain": servers.plain, "canary": servers.canary, "word": CANARY, "abstract": abstract,
        "host": _own_address(), "search": search, "needles": NEEDLES,
    }  # fmt: skip
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"\0{abstract}")
        listening.listen()
        found = await fence.tries("intruder.py", told)
    through = {name: said for name, said in found.items() if CANARY in said or SECRET in said}
    assert (through, servers.touched) == ({}, 0)
    assert len(found) >= FEWEST_ATTEMPTS
    assert not [head for head in servers.heads if "/secret" in head or "evil" in head.partition("\r\n")[2]]
    assert found["files and arguments"] == found["keys"] == found["sockets by their paths"] == ""
    assert (found["the memory of every process"], found["memory that is known"]) == ("[]", "True")
    print(f"{len(found)} ways tried, {len(through)} got through")  # noqa: T201


async def test_no_process_of_a_workspace_holds_a_credential_that_it_used(fence: Fenced) -> None:
    """Read from outside, by whoever may: the agent program's memory, too, which no command can read."""
    url = f"https://api.example.test:{fence.servers.tls}/allowed/x"
    asks = (
        "import os, time, urllib.request as u; r = u.urlopen(os.environ['U']); said = r.read();"
        " open('asked', 'wb').write(said); time.sleep(60)"
    )
    mark = str(uuid4())
    started = await fence.client.processes.start(f'U={url} MARK={mark} exec python3 -c "{asks}"')
    said = await fence.runs("while [ ! -s asked ]; do sleep 0.05; done; cat asked")
    assert (said.head, f"Bearer {SECRET}" in fence.servers.heads[-1]) == ("fine 0", True)
    (asking,) = [pid for pid in memory.everybody() if _has(pid, mark)]
    inside = memory.neighbours(asking)
    needles = [(first.encode(), second.encode()) for first, second in NEEDLES]
    found, read = memory.holders(inside, needles)
    # Only root may read the agent program.
    assert (found, read >= (len(inside) if os.geteuid() == 0 else 1)) == ([], True)
    assert len(inside) >= 3
    assert memory.holders(inside, [(mark[:8].encode(), mark[8:].encode())])[0]
    await fence.client.processes.stop(started.id)
    print(f"{read} of {len(inside)} processes read, {len(found)} hold it")  # noqa: T201


async def test_what_is_allowed_works_with_a_credential_that_is_added_outside(fence: Fenced) -> None:
    api, web = (
        f"https://api.example.test:{fence.servers.tls}/allowed",
        f"http://web.example.test:{fence.servers.plain}/allowed",
    )
    assert (await fence.runs(f"curl -sS {api}/x -d hello")).head == "fine 5"
    assert (await fence.runs(f"curl -sS {web}/x")).head == "fine 0"
    assert [SECRET in head for head in fence.servers.heads] == [True, False]


async def test_a_workspace_that_is_stopped_and_started_at_once_has_its_network(fence: Fenced) -> None:
    for _ in range(3):
        await fence.driver.stop(fence.plan)
        async with await fence.driver.start(fence.plan) as client:
            await fence.driver.egress(fence.plan).tell(rules(fence.servers))
            process = await client.processes.start(f"curl -sS http://web.example.test:{fence.servers.plain}/allowed/x")
            assert (await client.processes.wait(process.id, PATIENCE)).head == "fine 0"


def _has(pid: int, mark: str) -> bool:
    try:
        return mark.encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False


def _own_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.connect(("192.0.2.1", 9))
        return str(sock.getsockname()[0])
