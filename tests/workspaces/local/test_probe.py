"""Hosts where the sandbox cannot run: refused, with what to do."""

import os
from pathlib import Path
from uuid import uuid4

import pytest

from perdure.core.errors import Misconfigured
from perdure.core.ids import WorkspaceId
from perdure.workspaces.driver import Plan
from perdure.workspaces.local.bubblewrap import explanation, why_not
from perdure.workspaces.local.driver import LocalDriver


async def test_this_host_can() -> None:
    assert await why_not() == ""


async def test_without_bubblewrap_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        Misconfigured, match=r"install it \(Debian: apt-get install bubblewrap\), or set PERDURE_UNSANDBOXED=yes"
    ):
        await LocalDriver(tmp_path).create(Plan(WorkspaceId(uuid4())))
    assert os.listdir(tmp_path) == []  # noqa: PTH208


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("bwrap: Unknown option --disable-userns", "version 0.8 or newer"),
        ("bwrap: No permissions to create new namespace", "user.max_user_namespaces"),
        ("bwrap: setting up uid map: Permission denied", "apparmor_restrict_unprivileged_userns"),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "in a container allow"),
        ("something new", "bubblewrap does not run here (something new)"),
    ],
)
def test_a_complaint_becomes_advice(said: str, advice: str) -> None:
    assert advice in explanation(said)
    assert "set PERDURE_UNSANDBOXED=yes" in explanation(said)
