"""Measuring a tree: all of it, and without keeping others waiting."""

import asyncio
from pathlib import Path
from typing import cast

from perdure.workspaces.agent.disk import Disk
from perdure.workspaces.agent.places import Places
from perdure.workspaces.agent.processes import Processes


async def test_others_are_answered_while_a_tree_is_measured(tmp_path: Path) -> None:
    for number in range(50):
        (tmp_path / f"tree/{number}").mkdir(parents=True)
        (tmp_path / f"tree/{number}/file").write_bytes(b"x" * 4096)
    (tmp_path / "home").mkdir()
    nothing_runs = cast("Processes", None)
    disk = Disk(Places(str(tmp_path / "tree"), str(tmp_path / "home")), nothing_runs, 1)
    measuring = asyncio.ensure_future(disk.used())
    answered = 0
    while not measuring.done():
        await asyncio.sleep(0)
        answered += 1
    assert await measuring >= 50 * 4096
    assert answered > 50
