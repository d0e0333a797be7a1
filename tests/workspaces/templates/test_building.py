"""Workspaces made from templates, for real: progress, clones, failures that leave nothing."""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from perdure.core.errors import BuildFailed
from perdure.core.ids import WorkspaceId
from perdure.workspaces import operations
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.local.driver import LocalDriver
from perdure.workspaces.templates.building import Bound, Progress, Stage, bind, build
from perdure.workspaces.templates.catalogue import shipped
from perdure.workspaces.templates.template import Template, Texts, parse
from perdure.workspaces.wire import FileEdits, TextEdit

INIT = "git init -q -b main . && git config user.email a@example.com && git config user.name A"
TEST = """import unittest
from add import add

class Adding(unittest.TestCase):
    def test(self): self.assertEqual(add(2, 3), 5)
"""
TEMPLATES = {template.name: template for template in shipped()}


class Yard:
    """A place to build on."""

    def __init__(self, root: Path) -> None:
        self.root, self.driver, self.id = root, LocalDriver(root), WorkspaceId(uuid4())

    async def builds(self, bound: Bound) -> list[Progress]:
        return [progress async for progress in build(self.driver, self.id, bound)]

    async def fails(self, template: Template) -> BuildFailed:
        with pytest.raises(BuildFailed) as failure:
            await self.builds(bind(template, {}))
        assert not (self.root / str(self.id)).exists()
        return failure.value

    async def enter(self, bound: Bound) -> WorkspaceClient:
        return await self.driver.connect(bound.plan(self.id))


@pytest.fixture
async def yard() -> AsyncGenerator[Yard]:
    root = Path(tempfile.mkdtemp(prefix="perdure-"))
    found = Yard(root)
    yield found
    await found.driver.remove(bind(TEMPLATES["blank"], {}).plan(found.id))
    shutil.rmtree(root)


@pytest.fixture
async def repository(tmp_path: Path) -> AsyncGenerator[str]:
    """A repository served over HTTP on loopback."""
    script = (
        "git init -q -b main work && cd work && git config user.email a@example.com && git config user.name A && "
        "echo one > a.txt && git add . && git commit -qm one && git checkout -qb side && echo two > a.txt && "
        "git commit -qam two && git checkout -q main && cd .. && git clone -q --bare work project.git && "
        "cd project.git && git update-server-info"
    )
    made = await asyncio.create_subprocess_shell(script, cwd=tmp_path)
    assert await made.wait() == 0
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-u", "-m", "http.server", "--bind", "127.0.0.1", "0", cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert server.stdout is not None
    port = (await server.stdout.readline()).split(b" port ")[1].split()[0].decode()
    yield f"http://127.0.0.1:{port}/project.git"
    server.terminate()
    await server.communicate()


async def test_a_blank_workspace_is_ready_at_once(yard: Yard) -> None:
    assert [progress.stage for progress in await yard.builds(bind(TEMPLATES["blank"], {}))] == [
        Stage.CREATE,
        Stage.READY,
    ]


async def test_files_are_laid_down_before_the_start_up_script_which_streams(yard: Yard) -> None:
    recipe = "description = ''\nstart_up = 'echo begin; ./tool; echo end'"
    bound = bind(parse(Texts("mine", recipe, files={"tool": b"#!/bin/sh\necho from the tool\n"})), {})
    progress = await yard.builds(bound)
    assert [item.stage for item in progress if item.stage is not Stage.START_UP] == [
        Stage.CREATE,
        Stage.FILES,
        Stage.READY,
    ]
    assert "".join(item.text for item in progress) == "begin\nfrom the tool\nend\n"


async def test_parameters_are_values_never_pieces_of_a_script(yard: Yard) -> None:
    recipe = "description = ''\nstart_up = 'echo \"$TEMPLATE_WORD\"'\n[[parameters]]\nname = 'word'\nrequired = true"
    said = "".join(
        [item.text for item in await yard.builds(bind(parse(Texts("mine", recipe)), {"word": "$(touch ran); `id`"}))]
    )
    assert said == "$(touch ran); `id`\n"


async def test_a_repository_is_cloned_at_its_branch(yard: Yard, repository: str) -> None:
    bound = bind(TEMPLATES["git"], {"url": repository, "branch": "side"})
    await yard.builds(bound)
    async with await yard.enter(bound) as client:
        assert await client.files.content("a.txt", 10) == b"two\n"
        state = (await client.git.state()).repositories[0]
    assert (state.path, state.branch, state.origin) == (".", "side", repository)


async def test_a_clone_that_fails_leaves_nothing_and_shows_why(yard: Yard) -> None:
    with pytest.raises(BuildFailed) as failure:
        await yard.builds(bind(TEMPLATES["git"], {"url": "http://127.0.0.1:1/none.git"}))
    assert failure.value.stage == Stage.CLONE
    assert "127.0.0.1" in failure.value.log_tail
    assert not (yard.root / str(yard.id)).exists()


async def test_a_start_up_script_that_fails_half_way_leaves_nothing(yard: Yard) -> None:
    failure = await yard.fails(
        parse(Texts("bad", "description = ''\nstart_up = 'touch made; echo oops; false; echo never'"))
    )
    assert (failure.stage, failure.log_tail) == (Stage.START_UP, "oops\n")
    assert str(failure) == "The step start_up failed with exit code 1."


async def test_a_build_that_nobody_follows_any_more_leaves_nothing(yard: Yard) -> None:
    bound = bind(parse(Texts("slow", "description = ''\nstart_up = 'echo begun; sleep 60'")), {})
    async with aclosing(build(yard.driver, yard.id, bound)) as progress:
        async for item in progress:
            if item.text == "begun\n":
                break
    assert not (yard.root / str(yard.id)).exists()


async def test_a_task_from_the_first_line_to_the_diff(yard: Yard) -> None:
    """A program with a test is written, fails, is fixed, passes, and its diff is shown."""
    bound = bind(TEMPLATES["python"], {})
    await yard.builds(bound)
    check = "python -m unittest -q test_add 2>&1"
    async with await yard.enter(bound) as client:
        await operations.execute(
            client, "0", "git init -q -b main . && git config user.email a@b.c && git config user.name A"
        )
        await operations.write_file(client, "1", "add.py", "def add(a, b):\n    return a - b\n")
        await operations.write_file(client, "2", "test_add.py", TEST)
        await operations.execute(client, "3", "git add . && git commit -qm first")
        broken = await operations.execute(client, "4", check, timeout=timedelta(seconds=30))
        await operations.edit_files(client, "5", [FileEdits("add.py", [TextEdit("a - b", "a + b")])])
        fixed = await operations.execute(client, "6", f"which python; {check}", timeout=timedelta(seconds=30))
        diff = (await client.git.diff(".")).diff
    assert (broken.exit_code, fixed.exit_code) == (1, 0)
    assert fixed.head.startswith("/home/agent/venv/bin/python\n")
    assert "-    return a - b\n+    return a + b\n" in diff
