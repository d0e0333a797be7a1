"""Whatever a chat's history holds, every API takes the request that is made of it."""

import asyncio
from functools import cache
from time import monotonic
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import aiohttp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs
from tests.providers.routes import MODELS, NAMES, SERVICES, TOOLS, assistant, route, tool, user

from perdure.core.deltas import Accumulator
from perdure.core.message import AnyPart, Effort, NewMessage, Reasoning, ToolCall, ToolResult
from perdure.providers.dialects.registry import dialect_named
from perdure.providers.errors.failures import Failure
from perdure.providers.event_streams import Splitter
from perdure.providers.listener import Listener
from perdure.providers.model import Model, Thinking
from perdure.providers.projection.step import repair_step
from perdure.providers.request import ModelRequest, ModelSettings, WebSearch
from perdure.providers.route import Route
from perdure.providers.service import ProviderSettings
from perdure.sim.anthropic.wire import Anthropic
from perdure.sim.gemini.wire import Gemini
from perdure.sim.openai_chat.wire import OpenAIChat
from perdure.sim.openai_responses.store import Responses
from perdure.sim.openai_responses.wire import OpenAIResponses
from perdure.sim.prompt_cache import PromptCache
from perdure.sim.server import Simulator
from perdure.sim.wire import Request, Wire

OFTEN = settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
OPENROUTER = Model(id="google/gemini-3.8-flash", dialect="openai_chat", thinking=Thinking.EFFORT)
READERS = {**MODELS, "openrouter": OPENROUTER}
LIVED = (
    "[[think:Search first.]][[search:perdure]][[cite:It is durable.]]",
    '[[think:Look.]][[say:Two at once.]][[call:look]][[call:read_file {"path": "a"}]]',
    "[[redacted:secret]][[search:one]][[search:two]][[say:Done.]][[call:look]]",
    "[[say:Just text.]]",
)
ODD_ARGUMENTS = ("", "null", "[1]", '"words"', "{", '{"query":', "{}", '{"a": 1, "a": 2}', "\ud83d")
ODD_IDS = ("", " ", "ü:1", "x" * 90, "srvtoolu_", "call_1", "ws_1", "srvtoolu_1")


class Lived(NamedTuple):
    """A question, and every byte of what a model of the simulator answered."""

    dialect: str
    question: str
    answer: bytes


def asked(*messages: NewMessage, effort: Effort | None = Effort.HIGH) -> ModelRequest:
    return ModelRequest(
        messages=messages, tools=TOOLS, web_search=WebSearch(), settings=ModelSettings(effort=effort), system=("Be.",)
    )


def wires() -> dict[str, Wire]:
    known = PromptCache(monotonic)
    return {
        "anthropic_messages": Anthropic(known),
        "openai_responses": OpenAIResponses(known, monotonic, Responses()),
        "openai_chat": OpenAIChat(known, monotonic),
        "gemini": Gemini(known),
    }


async def _lived() -> dict[str, list[Lived]]:
    async with Simulator() as sim, aiohttp.ClientSession() as session:
        return {name: [await _answered(session, route(sim, name), text) for text in LIVED] for name in NAMES}


async def _answered(session: aiohttp.ClientSession, way: Route, question: str) -> Lived:
    encoded = way.encode(asked(user(question)))
    url = way.endpoint.url(encoded.path)
    headers = {**encoded.headers, "authorization": "Bearer sk-1", "x-api-key": "sk-1", "x-goog-api-key": "sk-1"}
    async with session.post(url, data=encoded.body, headers=headers) as response:
        assert response.status == 200
        return Lived(way.dialect.name, question, await response.read())


@cache
def lived() -> dict[str, list[Lived]]:
    return asyncio.run(_lived())


@st.composite
def histories(draw: st.DrawFn) -> list[NewMessage]:
    """Answers of the simulator's models, cut anywhere, with parts that were changed, moved or lost."""
    pool = [step for name in NAMES for step in lived()[name]]
    steps = draw(st.lists(st.sampled_from(pool), max_size=4, unique=True))
    return [message for step in steps for message in draw(exchange(step))]


@st.composite
def exchange(draw: st.DrawFn, step: Lived) -> list[NewMessage]:
    length = draw(st.one_of(st.just(len(step.answer)), st.integers(0, len(step.answer))))
    parts = list(repair_step(heard(step, length)))
    for _ in range(draw(st.integers(0, 3))):
        parts = draw(changed(parts))
    calls = [part for part in parts if isinstance(part, ToolCall) and not part.provider_executed]
    results = [ToolResult(call.call_id, call.tool, "seen") for call in calls if draw(st.booleans())]
    after = [user("well?")] if draw(st.booleans()) else []
    return [user(step.question), assistant(*parts), *([tool(*results)] if results else []), *after]


@st.composite
def changed(draw: st.DrawFn, parts: list[AnyPart]) -> list[AnyPart]:
    if not parts:
        return parts
    at, to = (draw(st.integers(0, len(parts) - 1)) for _ in range(2))
    rest = [*parts[:at], *parts[at + 1 :]]
    match draw(st.sampled_from(("lost", "moved", "twice", "arguments", "ids", "thoughts"))):
        case "lost":
            return rest
        case "moved":
            return [*rest[:to], parts[at], *rest[to:]]
        case "twice" if not isinstance(parts[at], Reasoning):
            return [*parts, parts[at]]
        case "arguments":
            return [_with_arguments(part, draw(odd_arguments(part))) for part in parts]
        case "ids":
            return _renamed(parts, parts[at], draw(st.sampled_from(ODD_IDS)))
        case _:
            return [part for part in parts if not isinstance(part, Reasoning)]


def odd_arguments(part: AnyPart) -> st.SearchStrategy[str]:
    written = part.args if isinstance(part, ToolCall) else ""
    return st.one_of(st.sampled_from(ODD_ARGUMENTS), st.integers(0, len(written)).map(lambda end: written[:end]))


def _with_arguments(part: AnyPart, written: str) -> AnyPart:
    return structs.replace(part, args=written) if isinstance(part, ToolCall) else part


def _renamed(parts: list[AnyPart], chosen: AnyPart, name: str) -> list[AnyPart]:
    if not isinstance(chosen, ToolCall | ToolResult):
        return parts
    return [
        structs.replace(part, call_id=name)
        if isinstance(part, ToolCall | ToolResult) and part.call_id == chosen.call_id
        else part
        for part in parts
    ]


def heard(step: Lived, length: int) -> tuple[AnyPart, ...]:
    """The parts of an answer that was cut off after so many bytes."""
    listener = Listener(Splitter(), dialect_named(step.dialect).decoder(MODELS[step.dialect]))
    accumulator = Accumulator(listener.feed(step.answer[:length]))
    try:
        rest = listener.close()
    except Failure:
        rest = []
    for delta in rest:
        accumulator.add(delta)
    return accumulator.parts()


def accepted(model: Model, request: ModelRequest) -> None:
    """Raises a Problem where the simulator refuses the request."""
    way = Route.to(ProviderSettings(service=SERVICES[model.dialect], base_url="http://sim.test"), model, "sk-1")
    encoded = way.encode(request)
    url = urlsplit(encoded.path)
    query = {name: values[0] for name, values in parse_qs(url.query).items()}
    wires()[model.dialect].read(Request(url.path, query, dict(encoded.headers), encoded.body or b"", "1", ""))


@OFTEN
@given(histories(), st.sampled_from(sorted(READERS)), st.sampled_from((None, Effort.HIGH)))
def test_any_history_makes_a_request_that_the_api_takes(
    history: list[NewMessage], reader: str, effort: Effort | None
) -> None:
    accepted(READERS[reader], asked(*history, user("go on"), effort=effort))
    accepted(READERS[reader], asked(*history, effort=effort))


@OFTEN
@given(st.data(), st.sampled_from((None, Effort.HIGH)))
def test_an_answer_that_was_cut_can_be_told_again_to_whoever_gave_it(
    data: st.DataObject, effort: Effort | None
) -> None:
    step = data.draw(st.sampled_from([step for name in NAMES for step in lived()[name]]))
    length = data.draw(st.integers(0, len(step.answer)))
    parts = repair_step(heard(step, length))
    accepted(MODELS[step.dialect], asked(user(step.question), assistant(*parts), user("go on"), effort=effort))
