"""MCP servers as commands behind a workspace's agent program: real ones, over standard streams."""

import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import pytest
from tests.tools.mcp.peers import BIN, WORKBENCH, called
from tests.workspaces.inside import Inside

from perdure.config.mcp import Transport
from perdure.core.timing import SystemClock
from perdure.tools.mcp.connection import Connection
from perdure.tools.mcp.messages import Unreachable
from perdure.tools.mcp.protocol.session import OpenSession
from perdure.tools.mcp.transport import TransportOptions
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


def connection_to(inside: Inside, command: str, **environment: str) -> Connection:
    async def workspace() -> WorkspaceClient:
        return inside.client

    async def connect(changed: Callable[[], None]) -> OpenSession:
        options = TransportOptions(
            name="peer", transport=Transport.STDIO, command=command, environment=environment, workspace=workspace
        )
        return await OpenSession.to(options, changed)

    return Connection(connect, SystemClock())


async def test_the_reference_server_answers_over_standard_streams(inside: Inside) -> None:
    connection = connection_to(inside, f"{BIN / 'mcp-server-everything'} stdio")
    names = {tool.name for tool in await connection.tools()}
    assert {"echo", "get-sum", "get-tiny-image"} <= names
    assert (await called(connection, "get-sum", {"a": 20, "b": 22})).text == "The sum of 20 and 22 is 42."
    picture = (await called(connection, "get-tiny-image", {})).images[0]
    assert (picture.media_type, picture.data[:4]) == ("image/png", b"\x89PNG")
    assert connection.connected == 1
    await connection.close()


async def test_a_filesystem_server_reads_and_writes_where_it_runs(inside: Inside) -> None:
    (inside.tree / "note.txt").write_text("from the workspace")
    connection = connection_to(inside, f"{BIN / 'mcp-server-filesystem'} .")
    listed = {tool.name: tool for tool in await connection.tools()}
    assert listed["read_text_file"].read_only
    read = await called(connection, "read_text_file", {"path": str(inside.tree / "note.txt")})
    assert read.text == "from the workspace"
    await called(connection, "write_file", {"path": str(inside.tree / "new.txt"), "content": "written"})
    assert (inside.tree / "new.txt").read_text() == "written"
    refused = await called(connection, "read_text_file", {"path": "/etc/passwd"})
    assert refused.is_error
    await connection.close()


async def test_a_server_that_dies_is_started_again_by_the_next_call(inside: Inside) -> None:
    connection = connection_to(inside, f"{sys.executable} {WORKBENCH} stdio 0 ledger", PYTHONUNBUFFERED="1")
    assert (await called(connection, "add", {"a": 1, "b": 2})).text == "3"
    with pytest.raises(Unreachable):
        await called(connection, "die", {})
    assert (await called(connection, "add", {"a": 2, "b": 2})).text == "4"
    assert connection.connected == 2
    await connection.close()


async def test_tools_that_change_are_listed_anew(inside: Inside) -> None:
    connection = connection_to(inside, f"{sys.executable} {WORKBENCH} stdio 0 ledger")
    assert "juggle" not in {tool.name for tool in await connection.tools()}
    before = connection.version
    await called(connection, "learn", {"name": "juggle"})
    assert connection.version > before
    assert "juggle" in {tool.name for tool in await connection.tools()}
    await connection.close()


async def test_a_command_that_cannot_start_says_why(inside: Inside) -> None:
    connection = connection_to(inside, "echo 'the key is missing' >&2; exit 1")
    with pytest.raises(Unreachable, match="its command ended: the key is missing"):
        await connection.tools()
