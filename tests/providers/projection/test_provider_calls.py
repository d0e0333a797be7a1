"""What a provider ran by itself, told to it again: whole, or in words."""

from typing import Any

import msgspec
import pytest
from tests.providers.routes import MODELS, NAMES, SERVICES, TOOLS, assistant, user

from perdure.core.message import ProviderMetadata, ToolCall, ToolResult
from perdure.providers.request import ModelRequest
from perdure.providers.route import Route
from perdure.providers.service import ProviderSettings

ERROR = {"type": "web_search_tool_result_error", "error_code": "invalid_tool_input"}


def kept(dialect: str, call_id: str) -> dict[str, Any]:
    """What is stored with a search of this dialect."""
    block: dict[str, Any] = {"type": "web_search_tool_result", "tool_use_id": call_id, "content": ERROR}
    item: dict[str, Any] = {"type": "web_search_call", "id": call_id, "status": "failed", "action": {}}
    parts = [{"toolCall": {"id": call_id}}, {"toolResponse": {"id": call_id}}]
    return {"anthropic_messages": {"block": block}, "openai_responses": {"item": item}}.get(dialect, {"parts": parts})


def sent(dialect: str, call_id: str, arguments: str) -> str:
    """The request that tells of a search again, as text."""
    metadata = ProviderMetadata(dialect, MODELS[dialect].id, kept(dialect, call_id))
    search = ToolCall(call_id, "web_search", arguments, provider_executed=True)
    found = ToolResult(
        call_id, "web_search", "error: bad input", provider_executed=True, provider_metadata=metadata, is_error=True
    )
    way = Route.to(ProviderSettings(service=SERVICES[dialect], base_url="http://sim.test"), MODELS[dialect], "sk-1")
    history = [user("hi"), assistant(search, found, "Hm."), user("well?")]
    return (way.encode(ModelRequest(messages=history, tools=TOOLS)).body or b"").decode()


@pytest.mark.parametrize("arguments", ['{"query":', "", "null", "[1]"])
def test_a_search_that_was_cut_in_its_input_goes_back_with_an_object(arguments: str) -> None:
    body = msgspec.json.decode(sent("anthropic_messages", "srvtoolu_1", arguments))
    search = body["messages"][1]["content"][0]
    assert search["type"] == "server_tool_use"
    assert isinstance(search["input"], dict)


@pytest.mark.parametrize("dialect", NAMES)
def test_a_search_without_an_id_is_told_in_words(dialect: str) -> None:
    body = sent(dialect, "", '{"query": "x"}')
    assert "[web_search]" in body
    assert "server_tool_use" not in body
    assert "web_search_call" not in body
    assert "toolCall" not in body


def test_a_search_under_an_id_that_is_none_of_the_apis_is_told_in_words() -> None:
    body = sent("anthropic_messages", "weird/ü", '{"query": "x"}')
    assert '[web_search {\\"query\\": \\"x\\"}]' in body
    assert "server_tool_use" not in body


def test_a_search_that_did_nothing_goes_back_without_an_action() -> None:
    body = msgspec.json.decode(sent("openai_responses", "ws_1", "{}"))
    assert {"type": "web_search_call", "id": "ws_1", "status": "failed"} in body["input"]
