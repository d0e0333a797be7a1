"""MCP servers as commands behind a workspace's agent program: real ones, over standard streams."""

import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import pytest
from tests.tools.mcp.peers import BIN, WORKBENCH
from tests.workspaces.inside import Inside

from perdure.config.mcp import Transport
from perdure.core.clock import SystemClock
from perdure.tools.mcp.line import Line
from perdure.tools.mcp.protocol.session import OpenSession
from perdure.tools.mcp.speech import Unreachable
from perdure.tools.mcp.way import Way
from perdure.workspaces.client import WorkspaceClient


@pytest.fixture
async def inside() -> AsyncGenerator[Inside]:
    root = Path(mkdtemp(prefix="perdure-"))
    agent = Inside(root)
    await agent.start()
    try:
        yield agent
    finally:
        await agent.leaves()
        rmtree(root)


def line_to(inside: Inside, command: str, **environment: str) -> Line:
    async def workspace() -> WorkspaceClient:
        return inside.client

    async def dial(changed: Callable[[], None]) -> OpenSession:
        way = Way(name="peer", transport=Transport.STDIO, command=command, environment=environment, workspace=workspace)
        return await OpenSession.to(way, changed)

    return Line(dial, SystemClock())


def nothing(_: str) -> None:
    return


async def test_the_reference_server_answers_over_standard_streams(inside: Inside) -> None:
    line = line_to(inside, f"{BIN / 'mcp-server-everything'} stdio")
    names = {tool.name for tool in await line.tools()}
    assert {"echo", "get-sum", "get-tiny-image"} <= names
    assert (await line.call("get-sum", {"a": 20, "b": 22}, nothing)).text == "The sum of 20 and 22 is 42."
    picture = (await line.call("get-tiny-image", {}, nothing)).pictures[0]
    assert (picture.media_type, picture.data[:4]) == ("image/png", b"\x89PNG")
    assert line.connected == 1
    await line.close()


async def test_a_filesystem_server_reads_and_writes_where_it_runs(inside: Inside) -> None:
    (inside.tree / "note.txt").write_text("from the workspace")
    line = line_to(inside, f"{BIN / 'mcp-server-filesystem'} .")
    listed = {tool.name: tool for tool in await line.tools()}
    assert listed["read_text_file"].read_only
    read = await line.call("read_text_file", {"path": str(inside.tree / "note.txt")}, nothing)
    assert read.text == "from the workspace"
    await line.call("write_file", {"path": str(inside.tree / "new.txt"), "content": "written"}, nothing)
    assert (inside.tree / "new.txt").read_text() == "written"
    refused = await line.call("read_text_file", {"path": "/etc/passwd"}, nothing)
    assert refused.is_error
    await line.close()


async def test_a_server_that_dies_is_started_again_by_the_next_call(inside: Inside) -> None:
    line = line_to(inside, f"{sys.executable} {WORKBENCH} stdio 0 ledger", PYTHONUNBUFFERED="1")
    assert (await line.call("add", {"a": 1, "b": 2}, nothing)).text == "3"
    with pytest.raises(Unreachable):
        await line.call("die", {}, nothing)
    assert (await line.call("add", {"a": 2, "b": 2}, nothing)).text == "4"
    assert line.connected == 2
    await line.close()


async def test_tools_that_change_are_listed_anew(inside: Inside) -> None:
    line = line_to(inside, f"{sys.executable} {WORKBENCH} stdio 0 ledger")
    assert "juggle" not in {tool.name for tool in await line.tools()}
    before = line.version
    await line.call("learn", {"name": "juggle"}, nothing)
    assert line.version > before
    assert "juggle" in {tool.name for tool in await line.tools()}
    await line.close()


async def test_a_command_that_cannot_start_says_why(inside: Inside) -> None:
    line = line_to(inside, "echo 'the key is missing' >&2; exit 1")
    with pytest.raises(Unreachable, match="its command ended: the key is missing"):
        await line.tools()
