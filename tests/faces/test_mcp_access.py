"""Who may do what through the Model Context Protocol: every tool, on what is one's own, shared and foreign."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from tests.faces.conftest import Cast
from tests.faces.test_mcp import BOTH, Peer

from perdure.faces.asked import TurnId
from perdure.faces.mcp.tasks import task_id
from perdure.faces.mcp.tools import TOOLS
from perdure.testing.replica import InProcessReplica

NAMED = [tool for tool in TOOLS if "chat_id" in tool.arguments.__struct_fields__]
OWNERS = {"continue_chat", "stop_chat"}


class Peers:
    """The cast, with this protocol."""

    def __init__(self, cast: Cast, http: aiohttp.ClientSession) -> None:
        self.cast = cast
        self._http = http

    def of(self, token: str) -> Peer:
        return Peer(self._http, self.cast.url, token)

    async def works(self, token: str, tool: str) -> bool:
        """Whether a call does something."""
        more: dict[str, Any] = {"message": "[[say:More.]]"} if tool == "continue_chat" else {}
        return not (await self.of(token).call(tool, chat_id=str(self.cast.chat_id), **more))["isError"]


@pytest.fixture
async def peers(cast: Cast) -> AsyncIterator[Peers]:
    async with aiohttp.ClientSession() as http:
        yield Peers(cast, http)


@pytest.mark.parametrize("tool", NAMED, ids=lambda tool: tool.name)
async def test_a_chat_is_its_owners_readable_where_shared_and_nowhere_else(peers: Peers, tool: Any) -> None:
    assert not await peers.works(peers.cast.stranger, tool.name)
    assert not await peers.works(peers.cast.elsewhere, tool.name)
    assert await peers.works(peers.cast.bob, tool.name) == (tool.name not in OWNERS)
    # There is nothing to stop: its owner is told so, and nobody else anything.
    assert await peers.works(peers.cast.ada, tool.name) == (tool.name != "stop_chat")


async def test_a_task_is_its_owners_readable_where_shared_and_nowhere_else(peers: Peers) -> None:
    name = task_id(TurnId(peers.cast.chat_id, 1))
    for method in ("tasks/get", "tasks/update", "tasks/cancel"):
        params: dict[str, Any] = {"taskId": name, "inputResponses": {}}
        found = {
            who: "result" in await peers.of(token).modern(method, params, can=BOTH)
            for who, token in (
                ("ada", peers.cast.ada),
                ("bob", peers.cast.bob),
                ("eve", peers.cast.stranger),
                ("zoe", peers.cast.elsewhere),
            )
        }
        assert found == {"ada": True, "bob": method != "tasks/cancel", "eve": False, "zoe": False}, method
    listed = await peers.of(peers.cast.bob).legacy("tasks/list")
    assert listed["result"]["tasks"] == []


async def test_lists_hold_what_one_may_read(peers: Peers) -> None:
    seen = [
        len((await peers.of(token).call("list_chats"))["structuredContent"]["chats"])
        for token in (peers.cast.ada, peers.cast.bob, peers.cast.stranger, peers.cast.elsewhere)
    ]
    assert seen == [1, 1, 0, 0]


async def test_an_auditor_has_no_chats(peers: Peers, replica: InProcessReplica) -> None:
    await replica.pool.execute("UPDATE users SET role = 'auditor' WHERE email = 'eve@example.com'")
    result = await peers.of(peers.cast.stranger).call("begin_chat", message="hi")
    assert result["isError"]
    assert await replica.pool.fetchval("SELECT count(*) FROM chats") == 1
