"""Screens in Anthropic's words: one tool, or for newer models a set of tools; what is kept of a call is the same."""

from typing import Any

import msgspec
import pytest
from tests.providers.pictures import PNG
from tests.providers.routes import assistant, route, tool, user

from perdure.core.message import Media, ToolCall, ToolResult
from perdure.core.screen import Screen
from perdure.providers.catalog import Catalog
from perdure.providers.client import ProviderClient
from perdure.providers.request import FileContent, ModelRequest
from perdure.sim.server import Simulator

CLICK = {"action": "left_click", "coordinate": [1, 2]}
QUESTION = user(f"[[call:computer {msgspec.json.encode(CLICK).decode()}]][[then]][[say:Clicked.]]")
FILES = {"1": FileContent("a.png", "image/png", PNG)}


@pytest.mark.parametrize(
    ("name", "word", "family"), [("opus-5-5", "left_click", "computer"), ("opus-5", "computer", None)]
)
async def test_a_screen_is_used_in_the_words_that_the_model_knows(
    sim: Simulator, client: ProviderClient, name: str, word: str, family: str | None
) -> None:
    way = route(sim, "anthropic_messages", model=Catalog.load().model(f"claude-{name}", "anthropic_messages"))
    request = ModelRequest(messages=[QUESTION], screen=Screen(), files=FILES)
    (call,) = (await client.complete(way, request)).parts
    assert isinstance(call, ToolCall)
    assert (call.tool, msgspec.json.decode(call.args)) == ("computer", CLICK)
    result = tool(ToolResult(call.call_id, call.tool, "", media=(Media("1", "image/png", "a.png"),)))
    await client.complete(way, msgspec.structs.replace(request, messages=[QUESTION, assistant(call), result]))
    assert sim.requests[-1].status == 200
    body = msgspec.json.decode(sim.requests[-1].body, type=dict[str, Any])
    used, shown = (message["content"][0] for message in body["messages"][1:])
    assert (used["name"], used.get("toolset_name"), shown.get("toolset_name")) == (word, family, family)
    assert [part["type"] for part in shown["content"]] == ["text", "image"]


@pytest.mark.parametrize("args", ['{"action":["left_click"]}', '{"action":"fly"}', "{}", "click!"])
async def test_a_call_that_names_no_action_of_the_set_is_told_as_it_was(
    sim: Simulator, client: ProviderClient, args: str
) -> None:
    way = route(sim, "anthropic_messages", model=Catalog.load().model("claude-opus-5-5", "anthropic_messages"))
    said = [QUESTION, assistant(ToolCall("call_1", "computer", args)), tool(ToolResult("call_1", "computer", "no"))]
    await client.complete(way, ModelRequest(messages=said, screen=Screen()))
    body = msgspec.json.decode(sim.requests[-1].body, type=dict[str, Any])
    (used,) = body["messages"][1]["content"]
    assert (sim.requests[-1].status, used["name"], "toolset_name" in used) == (200, "computer", False)
