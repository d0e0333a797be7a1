"""`perdure acp`, with the protocol's own client for Python."""

import asyncio
import base64
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import acp
import pytest
from acp.schema import AllowedOutcome, PermissionOption, RequestPermissionResponse, ToolCallUpdate
from acp.ws.client import create_websocket_stream
from tests.faces.conftest import minted
from websockets.exceptions import InvalidStatus

from perdure.agent.prepare import Policy, Rules
from perdure.testing.replica import InProcessReplica

PERDURE = str(Path(sys.executable).with_name("perdure"))
ASKED = '[[think:Hm.]] [[say:I look.]] [[call:read_skill {"name": "x"}]] [[then]] [[say:Nothing there.]]'
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class Editor:
    """Keeps what it is told, and allows what it is asked."""

    def __init__(self) -> None:
        self.updates: list[Any] = []
        self.permissions: list[list[str]] = []

    async def session_update(self, session_id: str, update: Any, **kwargs: Any) -> None:  # noqa: ARG002
        self.updates.append(update)

    async def request_permission(
        self,
        session_id: str,  # noqa: ARG002
        tool_call: ToolCallUpdate,  # noqa: ARG002
        options: list[PermissionOption],
        **kwargs: Any,  # noqa: ARG002
    ) -> RequestPermissionResponse:
        self.permissions.append([option.kind for option in options])
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=options[0].option_id))

    def on_connect(self, conn: acp.Agent) -> None:
        pass

    def said(self) -> str:
        chunks = (each for each in self.updates if each.session_update == "agent_message_chunk")
        return "".join(chunk.content.text for chunk in chunks)


@pytest.fixture
async def token(replica: InProcessReplica) -> str:
    return await minted(replica.pool, replica.user)


async def test_the_protocols_own_client_holds_a_session(replica: InProcessReplica, url: str, token: str) -> None:
    replica.sources.rules_now = Rules(policies={"read_skill": Policy.ASK})
    first, second = Editor(), Editor()
    # It has no files and no terminals to offer, and says so: the rest of what an editor may have is not asked for.
    shown: Any = first
    command = (PERDURE, "acp", "--url", url, "--token", token)
    async with acp.spawn_agent_process(shown, *command) as (agent, _):
        told = await agent.initialize(protocol_version=acp.PROTOCOL_VERSION)
        assert told.agent_capabilities is not None
        assert told.agent_capabilities.load_session
        session = (await agent.new_session(cwd="/tmp", mcp_servers=[])).session_id
        prompt: list[Any] = [acp.text_block(ASKED), acp.image_block(DOT, "image/png")]
        assert (await agent.prompt(session_id=session, prompt=prompt)).stop_reason == "end_turn"
        assert first.said() == "I look.Nothing there."
        assert first.permissions == [["allow_once", "allow_always", "reject_once"]]
    kept = await replica.pool.fetchval("SELECT content FROM files")
    assert kept == base64.b64decode(DOT)
    shown = second
    async with acp.spawn_agent_process(shown, *command) as (agent, _):
        await agent.initialize(protocol_version=acp.PROTOCOL_VERSION)
        await agent.load_session(cwd="/tmp", session_id=session, mcp_servers=[])
        assert second.said() == first.said()


@asynccontextmanager
async def listening_for_editors(url: str) -> AsyncGenerator[str]:
    """Where `perdure acp` takes editors over WebSockets."""
    command = (PERDURE, "acp", "--url", url, "--listen", "127.0.0.1:0")
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        assert process.stdout is not None
        yield (await process.stdout.readline()).decode().removeprefix("ready at ").strip()
    finally:
        process.terminate()
        assert await process.wait() == 0


async def test_the_protocols_own_client_holds_a_session_over_a_websocket(
    replica: InProcessReplica, url: str, token: str
) -> None:
    replica.sources.rules_now = Rules(policies={"read_skill": Policy.ASK})
    first, second = Editor(), Editor()
    headers = {"Authorization": f"Bearer {token}"}
    async with listening_for_editors(url) as address:
        shown: Any = first
        agent = acp.connect_to_agent(shown, await create_websocket_stream(address, headers=headers))
        await agent.initialize(protocol_version=acp.PROTOCOL_VERSION)
        session = (await agent.new_session(cwd="/tmp", mcp_servers=[])).session_id
        prompt: list[Any] = [acp.text_block(ASKED)]
        assert (await agent.prompt(session_id=session, prompt=prompt)).stop_reason == "end_turn"
        assert first.said() == "I look.Nothing there."
        assert first.permissions == [["allow_once", "allow_always", "reject_once"]]
        await agent.close()
        shown = second
        agent = acp.connect_to_agent(shown, await create_websocket_stream(address, headers=headers))
        await agent.initialize(protocol_version=acp.PROTOCOL_VERSION)
        await agent.load_session(cwd="/tmp", session_id=session, mcp_servers=[])
        assert second.said() == first.said()
        await agent.close()
        for wrong in ({}, {"Authorization": "Bearer pdt_wrong"}):
            with pytest.raises(InvalidStatus) as refused:
                await create_websocket_stream(address, headers=wrong)
            assert refused.value.response.status_code == 401
