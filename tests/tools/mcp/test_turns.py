"""Turns that use tools of real MCP servers over HTTP."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.tools.mcp.peers import Bridge, called, everything, workbench

from perdure.config.mcp import Transport
from perdure.core.action import ActionKind
from perdure.core.chat import Status
from perdure.core.message import ToolCall
from perdure.core.timing import SystemClock
from perdure.machine.transitions import Interrupt
from perdure.sim.script import Call, Script, Step, Text
from perdure.sim.server import Simulator
from perdure.testing.replica import InProcessReplica
from perdure.tools.mcp.connection import Connection
from perdure.tools.mcp.messages import NoAnswer
from perdure.tools.mcp.protocol.session import OpenSession
from perdure.tools.mcp.transport import TransportOptions


def calling(sim: Simulator, *calls: tuple[str, dict[str, Any]]) -> None:
    """The model calls these tools one after the other, then says that it is done."""
    steps = [Step((Call(tool, args),)) for tool, args in calls]
    sim.script(Script("calls", (*steps, Step((Text("done"),)))))


async def test_a_hundred_steps_use_one_connection(replica: InProcessReplica, bridge: Bridge, sim: Simulator) -> None:
    async with everything() as server:
        server_id = await bridge.add("everything", url=f"http://127.0.0.1:{server.port}/mcp")
        calling(sim, *[("everything__echo", {"message": f"number {step}"}) for step in range(100)])
        chat_id = await replica.someone_asks("[[script:calls]]")
        await replica.until(chat_id, lambda chat: chat.status is Status.WAITING, patience=100)
        said = await replica.said(chat_id)
        assert [word for word in said if word.startswith("everything__echo: ")] == [
            f"everything__echo: Echo: number {step}" for step in range(100)
        ]
        assert bridge.numbers("perdure_mcp_connections_total", server="everything", outcome="opened") == 1
        assert bridge.numbers("perdure_mcp_connections_open") == 1
        assert bridge.numbers("perdure_mcp_calls_total", server="everything", outcome="done") == 100
        assert bridge.numbers("perdure_mcp_call_seconds_count", server="everything") == 100
        calls = [part for message in await replica.messages(chat_id) for part in message.parts]
        servers = {part.mcp_server_id for part in calls if isinstance(part, ToolCall)}
        assert servers == {str(server_id)}


async def test_a_call_that_destroys_is_asked_about_first(
    replica: InProcessReplica, bridge: Bridge, sim: Simulator, tmp_path: Path
) -> None:
    ledger = tmp_path / "ledger"
    ledger.write_text("precious\n")
    async with workbench(ledger=ledger) as server:
        await bridge.add("bench", url=f"http://127.0.0.1:{server.port}/mcp")
        calling(sim, ("bench__wipe", {}))
        chat_id = await replica.someone_asks("[[script:calls]]")
        parked = await replica.until(chat_id, lambda chat: chat.status is Status.REQUIRES_ACTION)
        assert parked.action is not None
        assert parked.action.kind is ActionKind.APPROVAL
        assert ledger.read_text() == "precious\n"


async def test_what_a_tool_says_went_wrong_is_told_and_the_chat_goes_on(
    replica: InProcessReplica, bridge: Bridge, sim: Simulator
) -> None:
    async with workbench() as server:
        await bridge.add("bench", url=f"http://127.0.0.1:{server.port}/mcp")
        calling(sim, ("bench__fail", {}), ("bench__add", {"a": "one"}), ("bench__add", {"a": 1, "b": 2}))
        chat_id = await replica.someone_asks("[[script:calls]]")
        await replica.comes_to_rest(chat_id)
        said = await replica.said(chat_id)
        assert [word for word in said if word.startswith("bench__fail failed: ")] == [
            "bench__fail failed: Error executing tool fail"
        ]
        assert any(word.startswith("bench__add failed: The arguments do not match") for word in said)
        assert "bench__add: 3" in said
        assert said[-1] == "done"


async def test_a_server_that_dies_in_a_call_is_an_error_result_and_comes_back_by_itself(
    replica: InProcessReplica, bridge: Bridge, sim: Simulator
) -> None:
    async with workbench() as server:
        await bridge.add("bench", url=f"http://127.0.0.1:{server.port}/mcp")
        calling(sim, ("bench__die", {}), ("bench__add", {"a": 1, "b": 2}))
        chat_id = await replica.someone_asks("[[script:calls]]")
        await replica.comes_to_rest(chat_id)
        said = await replica.said(chat_id)
        assert any(word.startswith("bench__die failed: The MCP server bench") for word in said)
        assert any(word.startswith("bench__add failed: The MCP server bench cannot be used now") for word in said)
        assert said[-1] == "done"


async def test_a_restarted_server_is_connected_again_and_the_call_is_not_lost(
    replica: InProcessReplica, bridge: Bridge, sim: Simulator
) -> None:
    async with everything() as server:
        await bridge.add("everything", url=f"http://127.0.0.1:{server.port}/mcp")
        calling(sim, ("everything__echo", {"message": "hello"}))
        first = await replica.someone_asks("[[script:calls]]")
        await replica.comes_to_rest(first)
        await server.is_killed()
        await server.starts()
        second = await replica.someone_asks("[[script:calls]]")
        await replica.comes_to_rest(second)
        assert "everything__echo: Echo: hello" in await replica.said(second)
        assert bridge.numbers("perdure_mcp_connections_total", server="everything", outcome="opened") == 2


async def test_a_server_that_is_away_costs_its_connect_timeout_once_a_minute(
    replica: InProcessReplica, bridge: Bridge, sim: Simulator
) -> None:
    await bridge.add("gone", url="http://127.0.0.1:9/mcp")
    calling(sim, ("gone__anything", {}))
    for _ in range(2):
        await replica.comes_to_rest(await replica.someone_asks("[[script:calls]]"))
    chat_id = await replica.someone_asks("[[script:calls]]")
    await replica.comes_to_rest(chat_id)
    assert bridge.numbers("perdure_mcp_connections_total", server="gone", outcome="failed") == 1
    told = [word for word in await replica.said(chat_id) if word.startswith("gone__anything failed")]
    why = "The MCP server gone cannot be used now: nobody answers at its address. Go on without it, or tell the user."
    assert told == [f"gone__anything failed: {why}"]


async def test_tools_that_a_server_learns_can_be_called_in_the_same_turn(
    replica: InProcessReplica, bridge: Bridge, sim: Simulator
) -> None:
    async with workbench() as server:
        await bridge.add("bench", url=f"http://127.0.0.1:{server.port}/mcp")
        calling(sim, ("bench__learn", {"name": "juggle"}), ("bench__add", {"a": 1, "b": 1}), ("bench__juggle", {}))
        chat_id = await replica.someone_asks("[[script:calls]]")
        await replica.comes_to_rest(chat_id)
        assert "bench__juggle: I am juggle" in await replica.said(chat_id)
        assert bridge.numbers("perdure_mcp_connections_total", server="bench", outcome="opened") == 1


async def test_stopping_reaches_a_call_that_hangs(replica: InProcessReplica, bridge: Bridge, sim: Simulator) -> None:
    async with workbench() as server:
        await bridge.add("bench", url=f"http://127.0.0.1:{server.port}/mcp")
        calling(sim, ("bench__hang", {}))
        chat_id = await replica.someone_asks("[[script:calls]]")
        await replica.until(chat_id, lambda chat: bool(chat.open_calls))
        await replica.machine.change(chat_id, Interrupt())
        rested = await replica.comes_to_rest(chat_id)
        assert rested.status is Status.WAITING
        assert any(word.startswith("bench__hang failed: ") for word in await replica.said(chat_id))


async def test_the_older_transport_works_as_well(replica: InProcessReplica, bridge: Bridge, sim: Simulator) -> None:
    async with workbench("sse") as server:
        await bridge.add("bench", transport="sse", url=f"http://127.0.0.1:{server.port}/sse")
        calling(sim, ("bench__add", {"a": 1, "b": 2}), ("bench__fail", {}), ("bench__add", {"a": 3, "b": 4}))
        chat_id = await replica.someone_asks("[[script:calls]]")
        await replica.comes_to_rest(chat_id)
        said = await replica.said(chat_id)
        assert [word for word in said if word.startswith("bench__add: ")] == ["bench__add: 3", "bench__add: 7"]
        assert "bench__fail failed: Error executing tool fail" in said
        assert bridge.numbers("perdure_mcp_connections_total", server="bench", outcome="opened") == 1


def connection_to(url: str, transport: Transport, patience: timedelta) -> Connection:
    async def connect(changed: Callable[[], None]) -> OpenSession:
        return await OpenSession.to(
            TransportOptions(name="bench", transport=transport, url=url, call_timeout=patience), changed
        )

    return Connection(connect, SystemClock())


async def test_a_server_that_is_removed_is_left(replica: InProcessReplica, bridge: Bridge, sim: Simulator) -> None:
    async with workbench() as server:
        kept = await bridge.add("kept", url=f"http://127.0.0.1:{server.port}/mcp")
        gone = await bridge.add("gone", url=f"http://127.0.0.1:{server.port}/mcp")
        calling(sim, ("kept__add", {"a": 1, "b": 2}), ("gone__add", {"a": 1, "b": 2}))
        await replica.comes_to_rest(await replica.someone_asks("[[script:calls]]"))
        assert bridge.numbers("perdure_mcp_connections_open") == 2
        await bridge.pool.execute("DELETE FROM mcp_servers WHERE id = $1", gone)
        await bridge.services.connections.once()
        assert bridge.numbers("perdure_mcp_connections_open") == 1
        await bridge.pool.execute("UPDATE mcp_servers SET revision = revision + 1 WHERE id = $1", kept)
        await bridge.services.connections.once()
        assert bridge.numbers("perdure_mcp_connections_open") == 0


@pytest.mark.parametrize(("kind", "path"), [("http", "mcp"), ("sse", "sse")])
async def test_a_call_that_takes_too_long_is_given_up_and_the_connection_is_kept(kind: str, path: str) -> None:
    async with workbench(kind) as server:
        connection = connection_to(f"http://127.0.0.1:{server.port}/{path}", Transport(kind), timedelta(seconds=2))
        with pytest.raises(NoAnswer, match="it gave no answer in time"):
            await called(connection, "hang", {})
        assert (await called(connection, "add", {"a": 1, "b": 2})).text == "3"
        assert connection.connected == 1
        await connection.close()


async def test_little_patience_with_calls_is_none_with_connecting() -> None:
    async with workbench() as server:
        connection = connection_to(f"http://127.0.0.1:{server.port}/mcp", Transport.HTTP, timedelta(milliseconds=1))
        assert "hang" in {tool.name for tool in await connection.tools()}
        with pytest.raises(NoAnswer, match="it gave no answer in time"):
            await called(connection, "hang", {})
        await connection.close()
