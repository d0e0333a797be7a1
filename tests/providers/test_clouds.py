"""The same models in other houses: what Bedrock and Vertex do not take is not sent to them."""

from typing import Any

import msgspec
import pytest
from tests.providers.routes import TOOLS, assistant, user

from perdure.core.message import Effort, ProviderMetadata, ToolCall, ToolResult
from perdure.core.screen import Screen
from perdure.providers.catalog import Catalog
from perdure.providers.client import ProviderClient
from perdure.providers.credentials import ApiKey
from perdure.providers.dialects.registry import dialect_named
from perdure.providers.model import Model, Thinking
from perdure.providers.request import ModelRequest, ModelSettings, WebSearch
from perdure.providers.route import Route
from perdure.providers.service import ProviderSettings, Service, endpoint
from perdure.sim.server import Simulator

HELLO = user("[[say:Hello.]]")
GEMINI = Model(id="gemini-3.5-flash", dialect="gemini", thinking=Thinking.EFFORT)


def at(sim: Simulator, service: Service, model: Model) -> Route:
    settings = ProviderSettings(service=service, base_url=sim.url, region="us-east-1", project="p")
    return Route(
        provider="Cloud",
        dialect=dialect_named(model.dialect),
        endpoint=endpoint(settings, model.dialect),
        credentials=ApiKey("token"),
        model=model,
    )


def sent(sim: Simulator) -> dict[str, Any]:
    assert sim.requests[-1].status == 200
    return msgspec.json.decode(sim.requests[-1].body, type=dict[str, Any])


async def test_bedrock_is_asked_for_trials_in_the_body_and_never_to_search(
    sim: Simulator, client: ProviderClient
) -> None:
    model = Catalog.load().model("us.anthropic.claude-opus-5-5-v1", "anthropic_messages")
    request = ModelRequest(
        messages=[HELLO],
        tools=TOOLS,
        web_search=WebSearch(),
        screen=Screen(),
        settings=ModelSettings(effort=Effort.HIGH),
    )
    await client.complete(at(sim, Service.BEDROCK, model), request)
    assert sent(sim)["anthropic_beta"] == ["thinking-binding-controls-2026-08-01", "computer-use-2025-11-24"]
    assert [each["name"] for each in sent(sim)["tools"]] == ["read_file", "look", "computer"]
    assert "anthropic-beta" not in sim.requests[-1].headers


async def test_vertex_is_asked_for_trials_in_a_header(sim: Simulator, client: ProviderClient) -> None:
    model = Catalog.load().model("claude-opus-5-5", "anthropic_messages")
    request = ModelRequest(messages=[HELLO], web_search=WebSearch(), settings=ModelSettings(effort=Effort.HIGH))
    await client.complete(at(sim, Service.VERTEX, model), request)
    assert [each["name"] for each in sent(sim)["tools"]] == ["web_search"]
    assert sim.requests[-1].headers["anthropic-beta"] == "thinking-binding-controls-2026-08-01"


@pytest.mark.parametrize(
    ("service", "tools", "offered"),
    [
        (Service.GOOGLE, TOOLS, ["functionDeclarations", "googleSearch"]),
        (Service.VERTEX, TOOLS, ["functionDeclarations"]),
        (Service.VERTEX, (), ["googleSearch"]),
    ],
)
async def test_vertex_searches_only_where_there_are_no_other_tools(
    sim: Simulator, client: ProviderClient, service: Service, tools: Any, offered: list[str]
) -> None:
    request = ModelRequest(messages=[HELLO], tools=tools, web_search=WebSearch())
    await client.complete(at(sim, service, GEMINI), request)
    assert [kind for each in sent(sim)["tools"] for kind in each] == offered
    assert ("toolConfig" in sent(sim)) is (len(offered) == 2)


async def test_what_google_searched_is_told_to_vertex_in_words(sim: Simulator, client: ProviderClient) -> None:
    parts = [{"toolCall": {"toolType": "GOOGLE_SEARCH_WEB"}}, {"toolResponse": {"toolType": "GOOGLE_SEARCH_WEB"}}]
    found = ToolResult(
        "s1",
        "google_search_web",
        "A page.",
        provider_executed=True,
        provider_metadata=ProviderMetadata("gemini", GEMINI.id, {"parts": parts}),
    )
    searched = assistant(ToolCall("s1", "google_search_web", "{}", provider_executed=True), found, "It is durable.")
    request = ModelRequest(messages=[HELLO, searched, HELLO], tools=TOOLS)
    await client.complete(at(sim, Service.GOOGLE, GEMINI), request)
    assert sent(sim)["contents"][1]["parts"] == [*parts, {"text": "It is durable."}]
    await client.complete(at(sim, Service.VERTEX, GEMINI), request)
    assert sent(sim)["contents"][1]["parts"] == [
        {"text": "[google_search_web]\nA page."},
        {"text": "It is durable."},
    ]
