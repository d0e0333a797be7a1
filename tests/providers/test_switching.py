"""Every ordered pair of dialects, on transcripts that are hard to carry, past the simulator's strict validation."""

import pytest
from tests.providers.routes import NAMES, TOOLS, assistant, route, tool, user
from tests.providers.transcripts import FILES, TRANSCRIPTS

from perdure.core.message import Effort, FinishReason, NewMessage, ToolCall, ToolResult
from perdure.providers.client import ProviderClient
from perdure.providers.model import Model, Thinking
from perdure.providers.request import ModelRequest, ModelSettings, WebSearch
from perdure.providers.route import Route
from perdure.sim.server import Simulator

SETTINGS = ModelSettings(effort=Effort.HIGH)
LIVED = (
    user("[[think:Search first.]][[search:perdure]][[cite:It is durable.]]"),
    user('[[think:Look.]][[say:Two at once.]][[call:look]][[call:read_file {"path": "a"}]]'),
    user("[[redacted:secret]][[say:Done.]][[call:look]]"),
    user("[[say:Just text.]]"),
)
"""What a model of the first dialect is made to live through; the second must take its memories."""


def request(*messages: NewMessage) -> ModelRequest:
    return ModelRequest(
        messages=messages,
        system=("Be kind.", "Be brief."),
        tools=TOOLS,
        web_search=WebSearch(),
        settings=SETTINGS,
        files=FILES,
        cache_key="chat-1",
    )


async def lived(client: ProviderClient, way: Route, *, whole: bool) -> list[NewMessage]:
    """A history that the model itself wrote, with its own signatures. If not `whole`, the last calls are open."""
    history: list[NewMessage] = []
    for question in LIVED:
        history.append(question)
        completion = await client.complete(way, request(*history))
        history.append(assistant(*completion.parts))
        calls = [part for part in completion.parts if isinstance(part, ToolCall) and not part.provider_executed]
        if calls and (whole or question is not LIVED[2]):
            history.append(tool(*(ToolResult(call.call_id, call.tool, "seen") for call in calls)))
    return history if whole else history[:6]


@pytest.mark.parametrize("whole", [True, False], ids=["at rest", "in mid-exchange"])
@pytest.mark.parametrize("target", NAMES)
@pytest.mark.parametrize("source", NAMES)
async def test_a_chat_goes_on_with_another_provider(
    sim: Simulator, client: ProviderClient, source: str, target: str, whole: bool
) -> None:
    history = await lived(client, route(sim, source), whole=whole)
    answer = await client.complete(route(sim, target), request(*history, *([user("[[say:Hello.]]")] if whole else [])))
    assert answer.finish.reason in (FinishReason.STOP, FinishReason.TOOL_CALLS)
    assert sim.requests[-1].status == 200


OPENROUTER = Model(id="google/gemini-3.8-flash", dialect="openai_chat", thinking=Thinking.EFFORT)


@pytest.mark.parametrize("source", NAMES)
async def test_gemini_at_openrouter_gets_a_seal_with_every_call(
    sim: Simulator, client: ProviderClient, source: str
) -> None:
    history = await lived(client, route(sim, source), whole=True)
    way = route(sim, "openai_chat", model=OPENROUTER)
    own = [*history, user("[[call:look]][[call:look]]")]
    completion = await client.complete(way, request(*own))
    calls = [part for part in completion.parts if isinstance(part, ToolCall)]
    seen = tool(*(ToolResult(call.call_id, call.tool, "seen") for call in calls))
    await client.complete(way, request(*own, assistant(*completion.parts), seen))
    assert [entry.status for entry in sim.requests[-2:]] == [200, 200]


@pytest.mark.parametrize("target", NAMES)
@pytest.mark.parametrize("source", NAMES)
@pytest.mark.parametrize("hard", TRANSCRIPTS)
async def test_a_hard_transcript_is_made_legal(
    sim: Simulator, client: ProviderClient, source: str, target: str, hard: str
) -> None:
    """The hard part, then a step lived with the source, then the target."""
    before = [*TRANSCRIPTS[hard], user("[[think:Hm.]][[search:x]][[say:Yes.]][[call:look]]")]
    completion = await client.complete(route(sim, source), request(*before))
    history = [*before, assistant(*completion.parts), *TRANSCRIPTS[hard]]
    await client.complete(route(sim, target), request(*history))
    assert [entry.status for entry in sim.requests] == [200, 200]
