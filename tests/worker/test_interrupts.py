"""Stop, at every stage of a turn and in every dialect: what there is stays, and the next turn is understood."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from uuid import uuid4

import pytest

from perdure.core.chat import Busy, State
from perdure.core.deltas import ReasoningDelta, TextDelta, ToolCallDelta
from perdure.core.errors import TransitionNotAllowed
from perdure.core.ids import ChatId
from perdure.core.message import Effort, FinishReason, Role
from perdure.core.parts import Reasoning, ToolCall, ToolResult
from perdure.machine.transitions.endings import Interrupt
from perdure.machine.transitions.lifecycle import Create, RequestCompaction
from perdure.providers.request import ModelSettings
from perdure.sim.server import Simulator
from perdure.store.commit import NewCard
from perdure.store.pool import Pool
from perdure.testing.furnishings import SERVICES
from perdure.testing.house import House, open_house
from perdure.tools.tool import Effect, Tool, ToolContext, tool

LONG = "word " * 400


class Endless:
    """A tool that only ends when it is told to."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()
        self.cancelled = False

    @property
    def tool(self) -> Tool:
        @tool(Effect.READS)
        async def ponder(_: ToolContext, about: str = "") -> str:
            """Think it over."""
            self.begun.set()
            try:
                await self.go_on.wait()
            except asyncio.CancelledError:
                self.cancelled = True
                raise
            return f"thought {about}"

        return ponder


@pytest.fixture(params=sorted(SERVICES))
async def house(database_url: str, pool: Pool, sim: Simulator, request: pytest.FixtureRequest) -> AsyncIterator[House]:
    async with open_house(database_url, pool, sim.url, dialect=request.param, thinks=True) as house:
        house.models.settings = ModelSettings(effort=Effort.LOW)
        yield house


async def during_text(house: House, _: Endless) -> ChatId:
    chat = await house.someone_asks("[[say:20 tokens]] [[gate:never]] [[say:20 tokens]]")
    await house.shows(chat, lambda piece: piece.role is Role.ASSISTANT)
    return chat


async def during_reasoning(house: House, _: Endless) -> ChatId:
    chat = await house.someone_asks("[[think:20 tokens]] [[gate:never]] [[say:20 tokens]]")
    await house.shows(chat, lambda piece: isinstance(piece.delta, ReasoningDelta) and bool(piece.delta.text))
    return chat


async def during_arguments(house: House, _: Endless) -> ChatId:
    # Gemini sends a call whole: there the words before it are all that is seen.
    whole = house.models.dialect == "gemini"
    pace = "[[gate:never]]" if whole else "[[rate:20]]"
    chat = await house.someone_asks(f'[[say:5 tokens]] {pace} [[call:ponder {{"about": "{LONG}"}}]]')
    await house.shows(chat, lambda piece: whole or isinstance(piece.delta, ToolCallDelta))
    return chat


async def during_tools(house: House, endless: Endless) -> ChatId:
    chat = await house.someone_asks("[[call:ponder]] [[call:ponder]] [[say:5 tokens]]")
    await endless.begun.wait()
    return chat


async def during_a_retry_wait(house: House, _: Endless) -> ChatId:
    # Nothing was answered, so that the next turn's prompt still has these words: it waits as long once more.
    # The gate is for a machine that takes longer than that to stop it.
    chat = await house.someone_asks("[[fault:429 retry_after=2 x1]] [[gate:never]] [[say:5 tokens]]")
    await house.until(chat, lambda row: row.retry_state is not None)
    return chat


async def during_compaction(house: House, _: Endless) -> ChatId:
    chat = await house.someone_asks("[[say:20 tokens]]")
    await house.comes_to_rest(chat)
    await house.machine.change(chat, RequestCompaction())
    return chat


STAGES: list[Callable[[House, Endless], Awaitable[ChatId]]] = [
    during_text,
    during_reasoning,
    during_arguments,
    during_tools,
    during_a_retry_wait,
    during_compaction,
]


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.__name__)
async def test_a_stop_leaves_a_history_that_the_next_turn_can_go_on_from(
    house: House, sim: Simulator, stage: Callable[[House, Endless], Awaitable[ChatId]]
) -> None:
    endless = Endless()
    house.tools.tools = (endless.tool,)
    chat = await stage(house, endless)
    try:
        await house.machine.change(chat, Interrupt())
    except TransitionNotAllowed:
        assert stage is during_compaction, "only a compaction may be over before it is stopped"
    assert (await house.comes_to_rest(chat)).state is State.W
    await sim.gates["never"].set(open=True)
    await house.someone_adds(chat, "[[say:3 tokens]] go on")
    rested = await house.comes_to_rest(chat)
    # The simulator refuses what the vendors refuse.
    assert (rested.state, rested.last_error, rested.open_calls) == (State.W, None, ())
    assert (await house.messages(chat))[-1].finish_reason is FinishReason.STOP


async def test_thoughts_are_kept_and_half_a_call_is_not(house: House) -> None:
    house.tools.tools = (Endless().tool,)
    thinking, calling = await during_reasoning(house, Endless()), await during_arguments(house, Endless())
    for chat in (thinking, calling):
        await house.machine.change(chat, Interrupt())
        await house.comes_to_rest(chat)
    thought = (await house.messages(thinking))[-1]
    assert [type(part) for part in thought.parts] == [Reasoning]
    assert not any(isinstance(part, ToolCall) for message in await house.messages(calling) for part in message.parts)


async def test_a_stop_reaches_the_tools_and_their_calls_are_answered(house: House) -> None:
    endless = Endless()
    house.tools.tools = (endless.tool,)
    chat = await during_tools(house, endless)
    await house.machine.change(chat, Interrupt())
    await house.comes_to_rest(chat)
    results = [part for m in await house.messages(chat) for part in m.parts if isinstance(part, ToolResult)]
    assert endless.cancelled
    assert [(part.is_error, "interrupted" in part.result) for part in results] == [(True, True)] * 2


async def test_what_is_said_during_a_batch_of_tools_is_read_in_the_next_call(house: House, sim: Simulator) -> None:
    endless = Endless()
    house.tools.tools = (endless.tool,)
    chat = await during_tools(house, endless)
    await house.someone_adds(chat, "and mind the gap", Busy.STEER)
    endless.go_on.set()
    rested = await house.comes_to_rest(chat)
    roles = [message.role for message in await house.messages(chat)]
    assert roles == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.TOOL, Role.USER, Role.ASSISTANT]
    assert (rested.turn, rested.state) == (1, State.W)
    assert b"mind the gap" in bytes(sim.requests[1].body)


async def test_a_stopped_answer_says_which_model_gave_it_and_how_long_it_took(house: House) -> None:
    asked = house.says("[[say:20 tokens]] [[gate:never]] [[say:20 tokens]]", model="demo-fast")
    card = NewCard(organisation_id=house.organisation, owner_id=house.user, title="A chat", model="demo")
    chat = (await house.machine.create(ChatId(uuid4()), card, [Create((asked,))])).chat.id
    await house.shows(chat, lambda piece: isinstance(piece.delta, TextDelta))
    await house.machine.change(chat, Interrupt())
    await house.comes_to_rest(chat)
    stopped = (await house.messages(chat))[-1]
    assert (stopped.finish_reason, stopped.model) == (FinishReason.INTERRUPTED, "demo-fast")
    assert (stopped.effort, stopped.context_limit) == (Effort.LOW, house.models.window)
    assert stopped.runtime_ms is not None


async def test_thoughts_without_words_are_kept_and_the_next_turn_is_understood(house: House, sim: Simulator) -> None:
    chat = await house.someone_asks("[[redacted:20 tokens]] [[say:20 tokens]] [[gate:never]]")
    await house.shows(chat, lambda piece: isinstance(piece.delta, TextDelta))
    await house.machine.change(chat, Interrupt())
    await house.comes_to_rest(chat)
    partial = (await house.messages(chat))[1]
    sealed = [
        part for part in partial.parts if isinstance(part, Reasoning) and part.provider_metadata and not part.text
    ]
    assert bool(sealed) == (house.models.dialect in ("anthropic_messages", "openai_responses"))
    await sim.gates["never"].set(open=True)
    await house.someone_adds(chat, "[[say:3 tokens]] and?")
    rested = await house.comes_to_rest(chat)
    assert (rested.state, rested.last_error) == (State.W, None)
