"""A network by permission, from inside the sandbox: what is allowed works, and nothing else gets out."""

import os
import signal
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from tests.workspaces.egress.servers import HERE, SECRET, rules
from tests.workspaces.local.conftest import Fenced
from tests.workspaces.waiting import alive, eventually

from perdure.core.errors import Misconfigured
from perdure.core.ids import WorkspaceId
from perdure.workspaces.egress.rules import ArmedRule, Rule
from perdure.workspaces.local.driver import LocalDriver


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


async def test_programs_trust_the_servers_that_the_deployment_trusts_where_tls_stays_closed(fenced: Fenced) -> None:
    await fenced.told(*rules(fenced.servers))
    # Its certificate is for another name of the same authority: whose it is has to be known before that is seen.
    said = await fenced.says(f"curl -sS https://open.example.test:{fenced.servers.tls}/allowed/ 2>&1")
    assert "no alternative certificate subject name matches" in said


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


def _serving(fenced: Fenced) -> int:
    """The proxy's process: the child of the one that watches it."""
    holders = [int(process.name) for process in Path("/proc").iterdir() if _serves(process, fenced)]
    return max(holders)


def _serves(process: Path, fenced: Fenced) -> bool:
    """Whether a process is the workspace's proxy, by what everybody may read: its memory and files are hidden."""
    try:
        command = (process / "cmdline").read_text().split("\0")
    except OSError:
        return False
    return {"perdure.workspaces.egress.main", str(fenced.plan.id)} <= set(command)
