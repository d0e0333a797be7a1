"""What every dialect can do, shown against the simulator over real sockets."""

from collections.abc import AsyncIterator, Iterable

import msgspec
import pytest
from msgspec import structs
from tests.providers.pictures import PDF, PNG
from tests.providers.routes import NAMES, TOOLS, ask, assistant, route, tool, user

from perdure.core.deltas import Accumulator, AnyDelta
from perdure.core.errors import ProviderFailure
from perdure.core.failure import ErrorKind
from perdure.core.message import (
    AnyPart,
    Effort,
    File,
    FinishReason,
    Media,
    Reasoning,
    Source,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)
from perdure.core.timing import SystemClock
from perdure.providers.client import ProviderClient
from perdure.providers.request import FileContent, ModelRequest, ModelSettings, WebSearch
from perdure.sim.server import Simulator

SEARCHING = ("anthropic_messages", "openai_responses", "gemini")
SETTINGS = ModelSettings(effort=Effort.MEDIUM)
pytestmark = pytest.mark.parametrize("dialect", NAMES)


def texts(parts: Iterable[AnyPart]) -> list[str]:
    return [part.text for part in parts if isinstance(part, Text)]


def arguments(written: str) -> object:
    return msgspec.json.decode(written or "{}")


@pytest.fixture
async def sim() -> AsyncIterator[Simulator]:
    async with Simulator() as simulator:
        yield simulator


@pytest.fixture
async def client() -> AsyncIterator[ProviderClient]:
    async with ProviderClient(SystemClock()) as opened:
        yield opened


async def test_text_arrives_as_it_is_said_and_adds_up(sim: Simulator, client: ProviderClient, dialect: str) -> None:
    request = ModelRequest(messages=[user("[[chunk:3]][[say:Perdure hears.]][[gate:half]][[say:It keeps.]]")])
    deltas: list[AnyDelta] = []
    async with client.stream(route(sim, dialect), request) as stream:
        async for batch in stream:
            deltas += batch
            if "".join(texts(Accumulator(deltas).parts())) == "Perdure hears.":
                await sim.gates["half"].set(open=True)
    assert len(deltas) > 1
    assert "".join(texts(Accumulator(deltas).parts())) == "Perdure hears.It keeps."
    assert stream.finish.reason is FinishReason.STOP


async def test_reasoning_comes_before_the_text_it_led_to(sim: Simulator, client: ProviderClient, dialect: str) -> None:
    request = ModelRequest(messages=[user("[[think:Six times seven.]][[say:42]]")], settings=SETTINGS)
    parts = (await client.complete(route(sim, dialect), request)).parts
    assert [type(part) for part in parts] == [Reasoning, Text]
    assert isinstance(parts[0], Reasoning)
    assert parts[0].text == "Six times seven."
    assert texts(parts) == ["42"]


async def test_parallel_calls_keep_their_order_and_arguments(
    sim: Simulator, client: ProviderClient, dialect: str
) -> None:
    question = user('[[say:Two.]][[call:read_file {"path": "a b"}]][[call:look]]')
    completion = await ask(client, route(sim, dialect), question)
    calls = [part for part in completion.parts if isinstance(part, ToolCall)]
    assert [(call.tool, arguments(call.args)) for call in calls] == [("read_file", {"path": "a b"}), ("look", {})]
    assert len({call.call_id for call in calls}) == 2
    assert completion.finish.reason is FinishReason.TOOL_CALLS


async def test_an_exchange_with_tools_goes_on(sim: Simulator, client: ProviderClient, dialect: str) -> None:
    question = user("[[think:Look first.]][[call:look]][[then]][[say:I see.]]")
    way = route(sim, dialect)
    first = await ask(client, way, question)
    call = next(part for part in first.parts if isinstance(part, ToolCall))
    result = tool(ToolResult(call.call_id, call.tool, "a blue screen"))
    second = await ask(client, way, question, assistant(*first.parts), result)
    assert texts(second.parts) == ["I see."]


async def test_a_search_is_a_call_with_its_result_and_sources(
    sim: Simulator, client: ProviderClient, dialect: str
) -> None:
    question = user("[[search:durable chats]][[cite:Found.]]")
    request = ModelRequest(messages=[question], web_search=WebSearch() if dialect in SEARCHING else None)
    parts = (await client.complete(route(sim, dialect), request)).parts
    assert "https://example.com/perdure" in {part.url for part in parts if isinstance(part, Source)}
    if dialect not in SEARCHING:
        assert not any(isinstance(part, ToolCall) for part in parts)
        return
    call = next(part for part in parts if isinstance(part, ToolCall))
    result = parts[parts.index(call) + 1]
    assert isinstance(result, ToolResult)
    assert (call.provider_executed, result.provider_executed, result.call_id) == (True, True, call.call_id)
    assert "durable chats" in call.args


async def test_pictures_and_documents_go_in(sim: Simulator, client: ProviderClient, dialect: str) -> None:
    files = {"1": FileContent("a.png", "image/png", PNG), "2": FileContent("b.pdf", "application/pdf", PDF)}
    shown = user(File("1", "a.png", "image/png"), File("2", "b.pdf", "application/pdf"), "[[call:look]][[say:Seen.]]")
    call = ToolCall("call_1", "look", "{}")
    result = tool(ToolResult("call_1", "look", "this", media=(Media("1", "image/png", "a.png"),)))
    request = ModelRequest(messages=[shown, assistant(call), result], tools=TOOLS, files=files)
    completion = await client.complete(route(sim, dialect), request)
    assert completion.finish.reason is FinishReason.STOP
    assert sim.requests[-1].status == 200


async def test_a_refusal_finishes_as_filtered(sim: Simulator, client: ProviderClient, dialect: str) -> None:
    request = ModelRequest(messages=[user("[[say:I will not.]][[finish:refusal]]")])
    assert (await client.complete(route(sim, dialect), request)).finish.reason is FinishReason.CONTENT_FILTER


async def test_an_answer_that_is_cut_says_so(sim: Simulator, client: ProviderClient, dialect: str) -> None:
    request = ModelRequest(messages=[user("[[say:Too long]][[finish:length]]")])
    assert (await client.complete(route(sim, dialect), request)).finish.reason is FinishReason.LENGTH


async def test_a_pause_is_gone_on_from(sim: Simulator, client: ProviderClient, dialect: str) -> None:
    question = user("[[search:x]][[finish:paused]][[then]][[say:Rested.]]")
    request = ModelRequest(messages=[question], web_search=WebSearch() if dialect in SEARCHING else None)
    first = await client.complete(route(sim, dialect), request)
    said = structs.replace(assistant(*first.parts), finish_reason=first.finish.reason)
    second = await client.complete(route(sim, dialect), structs.replace(request, messages=[question, said]))
    assert sim.requests[-1].status == 200
    assert (first.finish.reason is FinishReason.PAUSED) is (dialect == "anthropic_messages")
    assert second.finish.reason in (FinishReason.STOP, FinishReason.PAUSED)


async def test_usage_counts_the_cache_within_the_input(sim: Simulator, client: ProviderClient, dialect: str) -> None:
    figures = "[[usage:input=100 output=20 cache_read=60]][[say:Hi]]"
    finish = (await client.complete(route(sim, dialect), ModelRequest(messages=[user(figures)]))).finish
    assert finish.usage is not None
    assert finish.usage.output == 20
    assert finish.usage.cache_read == 60
    assert finish.usage in (Usage(input=100, output=20, cache_read=60), Usage(input=160, output=20, cache_read=60))


FAULTS = {
    "auth": (ErrorKind.AUTH, False),
    "forbidden": (ErrorKind.AUTH, False),
    "rate_limit": (ErrorKind.RATE_LIMIT, True),
    "server_error": (ErrorKind.GENERIC, True),
    "bad_gateway": (ErrorKind.TIMEOUT, True),
    "unavailable": (ErrorKind.TIMEOUT, True),
    "gateway_timeout": (ErrorKind.TIMEOUT, True),
    "overloaded": (ErrorKind.OVERLOADED, True),
    "overflow": (ErrorKind.CONTEXT_OVERFLOW, False),
    "quota": (ErrorKind.USAGE_LIMIT, False),
    "html": (ErrorKind.CONFIG, False),
    "empty": (ErrorKind.TIMEOUT, True),
    "cut": (ErrorKind.TIMEOUT, True),
    "no_terminal": (ErrorKind.TIMEOUT, True),
    "malformed": (ErrorKind.TIMEOUT, True),
    "stream_overloaded": (ErrorKind.OVERLOADED, True),
    "stream_rate_limit": (ErrorKind.RATE_LIMIT, True),
    "stream_server_error": (ErrorKind.GENERIC, True),
}


OTHERWISE = {
    ("unavailable", "openai_responses"): (ErrorKind.OVERLOADED, True),
    ("unavailable", "openai_chat"): (ErrorKind.OVERLOADED, True),
    ("quota", "gemini"): (ErrorKind.RATE_LIMIT, True),
}
"""OpenAI calls an overloaded engine unavailable; Google calls its rate limits quota."""


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_is_classified(sim: Simulator, client: ProviderClient, dialect: str, fault: str) -> None:
    request = ModelRequest(messages=[user(f"[[say:So far]][[fault:{fault}]][[say:Never.]]")])
    with pytest.raises(ProviderFailure) as failed:
        await client.complete(route(sim, dialect), request)
    assert (failed.value.error.kind, failed.value.error.retryable) == OTHERWISE.get((fault, dialect), FAULTS[fault])


SEARCH_TOOLS: dict[str, dict[str, list[object]]] = {
    "anthropic_messages": {
        "": [{"type": "web_search_20250305", "name": "web_search", "max_uses": 3}],
        "allowed": [
            {"type": "web_search_20250305", "name": "web_search", "max_uses": 3, "allowed_domains": ["a.example"]}
        ],
        "blocked": [
            {"type": "web_search_20250305", "name": "web_search", "max_uses": 3, "blocked_domains": ["b.example"]}
        ],
    },
    "openai_responses": {
        "": [{"type": "web_search"}],
        "allowed": [{"type": "web_search", "filters": {"allowed_domains": ["a.example"]}}],
        "blocked": [],
    },
    "openai_chat": {"": [], "allowed": [], "blocked": []},
    "gemini": {"": [{"googleSearch": {}}], "allowed": [], "blocked": []},
}


@pytest.mark.parametrize("bounds", ["", "allowed", "blocked"])
async def test_a_search_keeps_to_the_listed_domains_or_is_not_offered(
    sim: Simulator, client: ProviderClient, dialect: str, bounds: str
) -> None:
    search = WebSearch(
        allowed_domains=("a.example",) if bounds == "allowed" else (),
        blocked_domains=("b.example",) if bounds == "blocked" else (),
        max_uses=3,
    )
    await client.complete(route(sim, dialect), ModelRequest(messages=[user("[[say:hello]]")], web_search=search))
    sent: dict[str, list[dict[str, object]]] = msgspec.json.decode(sim.requests[-1].body)
    offered = [{k: v for k, v in tool.items() if k != "cache_control"} for tool in sent.get("tools", [])]
    assert offered == SEARCH_TOOLS[dialect][bounds]
