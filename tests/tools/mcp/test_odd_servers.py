"""Servers with too many tools, tools of one name, and schemas that mean nothing."""

from typing import Any
from uuid import UUID

import msgspec
from tests.tools.mcp.peers import Bridge, workbench

from perdure.agent.prepare import Rules
from perdure.config.mcp import McpOptions, McpServer, selected
from perdure.core.ids import McpServerId
from perdure.sim.script import Call, Script, Step, Text
from perdure.sim.server import Simulator
from perdure.testing.replica import InProcessReplica
from perdure.tools.call import ToolOutput
from perdure.tools.mcp.listing import LONGEST_NAME, full_name
from perdure.tools.mcp.search import search
from perdure.tools.tool import Effect, Tool, ToolContext


def asked(sim: Simulator, number: int) -> dict[str, Any]:
    return msgspec.json.decode(bytes(sim.requests[number].body))


async def test_five_hundred_tools_are_looked_for_and_what_is_found_joins_the_end(
    replica: InProcessReplica, bridge: Bridge, sim: Simulator
) -> None:
    replica.sources.rules_now = Rules(tool_search=True)
    async with workbench("odd") as server:
        await bridge.add("odd", url=f"http://127.0.0.1:{server.port}/mcp")
        steps = (
            Step((Call("find_tools", {"queries": ["rainfall region 42"], "names": ["odd__report_7", "odd__none"]}),)),
            Step((Text("found"),)),
        )
        sim.script(Script("search", steps))
        chat_id = await replica.someone_asks("[[script:search]]")
        await replica.comes_to_rest(chat_id)
    first, second = asked(sim, 0)["tools"], asked(sim, 1)["tools"]
    assert [tool["name"] for tool in first] == ["find_tools"]
    marked = "cache_control"
    assert [{**tool, marked: None} for tool in second[:1]] == [{**tool, marked: None} for tool in first]
    found = [tool["name"] for tool in second[1:]]
    assert "odd__report_7" in found
    assert "odd__report_42" in found
    assert len(found) == 20
    result = next(word for word in await replica.said(chat_id) if word.startswith("find_tools: "))
    assert '"unknown":["odd__none"]' in result


async def test_twins_and_schemas_that_mean_nothing_are_left_out_and_the_chat_goes_on(
    replica: InProcessReplica, bridge: Bridge, sim: Simulator
) -> None:
    async with workbench("odd") as server:
        await bridge.add("odd", url=f"http://127.0.0.1:{server.port}/mcp")
        chat_id = await replica.someone_asks("hello")
        rested = await replica.comes_to_rest(chat_id)
    names = [tool["name"] for tool in asked(sim, 0)["tools"]]
    assert len(names) == 497
    assert names.count("odd__twin") == 1
    assert "odd__broken" not in names
    assert "odd__elsewhere" not in names
    assert rested.last_error is None


def test_names_are_fit_for_every_vendor_and_apart() -> None:
    long = "x" * 80
    names = {full_name("s", name) for name in (long, long + "y", "a.b", "a/b", "a_b")}
    assert len(names) == 5
    assert all(len(name) <= LONGEST_NAME and name.isascii() for name in names)
    assert full_name("github", "create_issue") == "github__create_issue"


def test_a_chat_has_what_it_chose_and_what_it_cannot_refuse() -> None:
    def server(slug: str, availability: str) -> McpServer:
        options = msgspec.convert({"availability": availability}, McpOptions)
        return McpServer(id=McpServerId(UUID(int=1)), slug=slug, options=options, revision=1)

    servers = (server("must", "forced_on"), server("may", "default_on"), server("rare", "default_off"))
    assert [each.slug for each in selected(servers, None)] == ["must", "may"]
    assert [each.slug for each in selected(servers, ())] == ["must"]
    assert [each.slug for each in selected(servers, ("rare",))] == ["must", "rare"]


def test_rare_words_decide() -> None:
    async def run(_: ToolContext, __: Any) -> ToolOutput:
        return ToolOutput("")

    def tool(name: str, description: str) -> Tool:
        return Tool(name=name, description=description, schema={}, effect=Effect.READS, run=run)

    catalog = [tool("a__list_files", "List files of a project."), tool("a__createIssue", "Open an issue of a project.")]
    assert [match.name for match in search(catalog, ["create an issue"], ()).matches] == ["a__createIssue"]
    assert search(catalog, ["weather"], ()).matches == ()
