"""`perdure mcp`, as the official package's own client starts it: chats as tools, also over a server that restarts."""

import asyncio
import sys
from collections.abc import AsyncIterator, MutableMapping
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import TextContent
from tests.faces.conftest import minted

from perdure.api.http import App, Receive, Scope, Send
from perdure.cli.local import Deployment
from perdure.cli.mcp_bridge import McpBridge
from perdure.core.timing import SystemClock
from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.testing.replica import InProcessReplica, open_replica
from perdure.testing.served_api import listening
from perdure.tools.builtin import BUILTIN_TOOLS

PERDURE = str(Path(sys.executable).with_name("perdure"))


@pytest.fixture
async def sim() -> AsyncIterator[Simulator]:
    async with Simulator(rate=None) as sim:
        yield sim


@pytest.fixture
async def replica(database_url: str, pool: Pool, sim: Simulator) -> AsyncIterator[InProcessReplica]:
    async with open_replica(database_url, pool, sim.url) as replica:
        replica.tools.tools = BUILTIN_TOOLS
        await replica.offers()
        yield replica


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_official_client_talks_to_it_in_either_version(replica: InProcessReplica, mode: str) -> None:
    token = await minted(replica.pool, replica.user)
    async with listening(replica.replica.asgi) as url:
        parameters = StdioServerParameters(command=PERDURE, args=["mcp", "--url", url, "--token", token])
        async with Client(stdio_client(parameters), mode=mode) as client:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools][:2] == ["begin_chat", "continue_chat"]
            answer = await client.call_tool("begin_chat", {"message": "[[say:Hello.]]"})
            (content,) = answer.content
            assert isinstance(content, TextContent)
            assert content.text == "Hello."
    assert await replica.pool.fetchval("SELECT count(*) FROM chats") == 1


class LostAnswers:
    """A server whose first answers to a call get lost: it did what was asked, and the connection broke."""

    def __init__(self, app: App, lost: int) -> None:
        self._app = app
        self.left = lost

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self.left == 0:
            await self._app(scope, receive, send)
            return
        self.left -= 1

        async def swallowed(_: MutableMapping[str, Any]) -> None:
            pass

        await self._app(scope, receive, swallowed)
        raise ConnectionError


async def test_a_call_whose_answer_got_lost_is_asked_again_and_done_once(replica: InProcessReplica) -> None:
    token = await minted(replica.pool, replica.user)
    said: asyncio.Queue[bytes] = asyncio.Queue()
    reader = asyncio.StreamReader()
    lost = LostAnswers(replica.replica.asgi, 2)
    async with listening(lost) as url, aiohttp.ClientSession() as http:
        bridge = McpBridge(http, Deployment(url, token), said.put_nowait, SystemClock())
        running = asyncio.create_task(bridge.run(reader))
        params = {"name": "begin_chat", "arguments": {"message": "[[say:Hello.]]"}}
        reader.feed_data(b"not json\n")
        assert msgspec.json.decode(await said.get())["error"]["code"] == -32700
        call = {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": params}
        reader.feed_data(msgspec.json.encode(call) + b"\n")
        answer = msgspec.json.decode(await said.get())
        reader.feed_eof()
        await running
    assert answer["id"] == "a"
    assert answer["result"]["content"][0]["text"] == "Hello."
    assert lost.left == 0
    assert await replica.pool.fetchval("SELECT count(*) FROM chats") == 1
