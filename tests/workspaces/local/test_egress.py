"""A network by permission, from inside the sandbox: what is allowed works, and nothing else gets out."""

import json
import os
import signal
import socket
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from tests.workspaces.egress.servers import CANARY, SECRET, Servers
from tests.workspaces.local.conftest import HERE, Fenced
from tests.workspaces.waiting import alive, eventually

from perdure.core.errors import Misconfigured
from perdure.core.ids import WorkspaceId
from perdure.workspaces.egress.rules import ArmedRule, Credential, Rule
from perdure.workspaces.local.driver import LocalDriver

INTRUDER = Path(__file__).parents[1] / "egress" / "intruder.py"
FEWEST_ATTEMPTS = 60


def rules(servers: Servers) -> list[ArmedRule]:
    """One host with a credential, one open, one plain, and two that resolve to where no rule lets them."""
    credential = Credential("key")
    api = Rule(
        "api.example.test", port=servers.tls, methods=("GET", "POST"), paths=("/allowed/*",), networks=HERE,
        credential=credential,
    )  # fmt: skip
    return [
        ArmedRule(api, field=credential.field(SECRET)),
        ArmedRule(Rule("open.example.test", port=servers.tls, networks=HERE)),
        ArmedRule(Rule("web.example.test", scheme="http", port=servers.plain, paths=("/allowed/*",), networks=HERE)),
        ArmedRule(Rule("inner.example.test", port=servers.canary)),
        ArmedRule(Rule("inner.example.test", scheme="http", port=servers.canary)),
        ArmedRule(Rule("mapped.example.test", port=servers.canary)),
        ArmedRule(Rule("metadata.example.test", port=servers.tls)),
    ]


async def test_nothing_gets_out_but_what_the_rules_allow(fenced: Fenced) -> None:
    servers = fenced.servers
    await fenced.told(*rules(servers))
    abstract = f"perdure-{uuid4()}"
    halves = f"{SECRET[:3]}''{SECRET[3:]}"
    places = "/workspace /home /tmp /run /etc /dev/shm /proc/[0-9]*/cmdline /proc/[0-9]*/environ /proc/[0-9]*/mem"
    search = f"printf %s {halves} | grep -rlaFf - {places} 2>/dev/null; true"
    told = {
        "tls": servers.tls, "plain": servers.plain, "canary": servers.canary, "word": CANARY, "abstract": abstract,
        "host": _own_address(), "search": search,
    }  # fmt: skip
    await fenced.client.files.put("intruder.py", INTRUDER.read_bytes())
    await fenced.client.files.put("told.json", json.dumps(told).encode())
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"\0{abstract}")
        listening.listen()
        process = await fenced.runs("python3 intruder.py < told.json > found.json")
    assert process.exit_code == 0, process.head
    found = json.loads(await fenced.client.files.content("found.json", 1 << 24))
    through = {name: said for name, said in found.items() if CANARY in said or SECRET in said}
    assert (through, servers.touched) == ({}, 0)
    assert len(found) >= FEWEST_ATTEMPTS
    assert not [head for head in servers.heads if "/secret" in head or "evil" in head.partition("\r\n")[2]]
    assert found["memory and files"] == found["keys"] == found["sockets by their paths"] == ""


async def test_what_is_allowed_works_and_the_credential_is_added_outside(fenced: Fenced) -> None:
    servers = fenced.servers
    await fenced.told(*rules(servers))
    api, web = f"https://api.example.test:{servers.tls}/allowed", f"http://web.example.test:{servers.plain}/allowed"
    assert await fenced.says(f"curl -sS {api}/x") == "fine 0"
    assert await fenced.says(f"curl -sS -H 'Authorization: mine' -d hello {api}/x") == "fine 5"
    assert await fenced.says(f"curl -sS -d hello {web}/x {web}/y") == "fine 5" * 2
    sent = [head for head in servers.heads if "api.example.test" in head]
    assert all(f"Authorization: Bearer {SECRET}" in head and "mine" not in head for head in sent)
    assert not any(SECRET in head for head in servers.heads if "web.example.test" in head)


async def test_tls_stays_closed_where_no_rule_has_to_look_inside(fenced: Fenced) -> None:
    await fenced.told(*rules(fenced.servers))
    show = "curl -sSvk https://{}:{}/allowed/ 2>&1 | grep issuer:"
    opened = await fenced.says(show.format("api.example.test", fenced.servers.tls))
    closed = await fenced.says(show.format("open.example.test", fenced.servers.tls))
    assert str(fenced.plan.id) in opened
    assert "Perdure workspace outside" in closed


async def test_a_proxy_that_is_killed_comes_back_and_waits_for_its_rules(fenced: Fenced) -> None:
    await fenced.told(*rules(fenced.servers))
    control, serving = fenced.driver.egress(fenced.plan), _serving(fenced)
    before = (await control.requests(0)).incarnation
    os.kill(serving, signal.SIGKILL)
    await eventually(lambda: not alive(serving))
    assert (await control.requests(0)).incarnation != before
    ask = f"curl -sS --retry 5 --retry-all-errors http://web.example.test:{fenced.servers.plain}/allowed/"
    assert "not told its rules" in await fenced.says(ask)
    await fenced.told(*rules(fenced.servers))
    assert await fenced.says(ask) == "fine 0"


async def test_a_rule_that_holds_once_holds_once(fenced: Fenced) -> None:
    web = Rule("web.example.test", scheme="http", port=fenced.servers.plain, networks=HERE)
    ask = f"curl -sS http://web.example.test:{fenced.servers.plain}/allowed/"
    for _ in range(2):
        await fenced.told(ArmedRule(web, id="r1", once=True))
    assert [await fenced.says(ask), "no rule" in await fenced.says(ask)] == ["fine 0", True]


async def test_a_stopped_workspace_leaves_no_proxy(fenced: Fenced) -> None:
    serving = _serving(fenced)
    await fenced.driver.stop(fenced.plan)
    await eventually(lambda: not alive(serving))
    assert not await fenced.driver.egress(fenced.plan).running()


async def test_without_a_sandbox_there_is_no_network_by_permission(fenced: Fenced) -> None:
    driver = LocalDriver(fenced.root, unsandboxed=True)
    plan = replace(fenced.plan, id=WorkspaceId(uuid4()))
    await driver.create(plan)
    with pytest.raises(Misconfigured, match="needs a sandbox"):
        await driver.start(plan)


def _own_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.connect(("192.0.2.1", 9))
        return str(sock.getsockname()[0])


def _serving(fenced: Fenced) -> int:
    """The proxy's process: the child of the one that watches it."""
    holders = [int(process.name) for process in Path("/proc").iterdir() if _serves(process, fenced)]
    return max(holders)


def _serves(process: Path, fenced: Fenced) -> bool:
    """Whether a process writes to the log of the workspace's proxy."""
    try:
        return (process / "fd/2").samefile(fenced.root / str(fenced.plan.id) / "egress/log")
    except OSError:
        return False
