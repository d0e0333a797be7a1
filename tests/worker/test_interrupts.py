"""Stop, at every stage of a turn and in every dialect: what there is stays, and the next turn is understood."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from uuid import uuid4

import pytest

from perdure.core.author import Author
from perdure.core.card import NewCard
from perdure.core.chat import Busy, State
from perdure.core.deltas import ReasoningDelta, TextDelta, ToolCallDelta
from perdure.core.errors import TransitionNotAllowed
from perdure.core.ids import ChatId, UserId
from perdure.core.message import Effort, FinishReason, Reasoning, Role, ToolCall, ToolResult
from perdure.machine.transitions import Create, Interrupt, RequestCompaction
from perdure.providers.request import ModelSettings
from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.testing.fakes import SERVICES
from perdure.testing.replica import InProcessReplica, open_replica
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
async def replica(
    database_url: str, pool: Pool, sim: Simulator, request: pytest.FixtureRequest
) -> AsyncIterator[InProcessReplica]:
    async with open_replica(database_url, pool, sim.url, dialect=request.param, thinks=True) as replica:
        replica.models.settings = ModelSettings(effort=Effort.LOW)
        yield replica


async def during_text(replica: InProcessReplica, _: Endless) -> ChatId:
    chat = await replica.someone_asks("[[say:20 tokens]] [[gate:never]] [[say:20 tokens]]")
    await replica.shows(chat, lambda piece: piece.role is Role.ASSISTANT)
    return chat


async def during_reasoning(replica: InProcessReplica, _: Endless) -> ChatId:
    chat = await replica.someone_asks("[[think:20 tokens]] [[gate:never]] [[say:20 tokens]]")
    await replica.shows(chat, lambda piece: isinstance(piece.delta, ReasoningDelta) and bool(piece.delta.text))
    return chat


async def during_arguments(replica: InProcessReplica, _: Endless) -> ChatId:
    # Gemini sends a call whole: there the words before it are all that is seen.
    whole = replica.models.dialect == "gemini"
    pace = "[[gate:never]]" if whole else "[[rate:20]]"
    chat = await replica.someone_asks(f'[[say:5 tokens]] {pace} [[call:ponder {{"about": "{LONG}"}}]]')
    await replica.shows(chat, lambda piece: whole or isinstance(piece.delta, ToolCallDelta))
    return chat


async def during_tools(replica: InProcessReplica, endless: Endless) -> ChatId:
    chat = await replica.someone_asks("[[call:ponder]] [[call:ponder]] [[say:5 tokens]]")
    await endless.begun.wait()
    return chat


async def during_a_retry_wait(replica: InProcessReplica, _: Endless) -> ChatId:
    # Nothing was answered, so that the next turn's prompt still has these words: it waits as long once more.
    # The gate is for a machine that takes longer than that to stop it.
    chat = await replica.someone_asks("[[fault:429 retry_after=2 x1]] [[gate:never]] [[say:5 tokens]]")
    await replica.until(chat, lambda row: row.retry_state is not None)
    return chat


async def during_compaction(replica: InProcessReplica, _: Endless) -> ChatId:
    chat = await replica.someone_asks("[[say:20 tokens]]")
    await replica.comes_to_rest(chat)
    await replica.machine.change(chat, RequestCompaction())
    return chat


STAGES: list[Callable[[InProcessReplica, Endless], Awaitable[ChatId]]] = [
    during_text,
    during_reasoning,
    during_arguments,
    during_tools,
    during_a_retry_wait,
    during_compaction,
]


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.__name__)
async def test_a_stop_leaves_a_history_that_the_next_turn_can_go_on_from(
    replica: InProcessReplica, sim: Simulator, stage: Callable[[InProcessReplica, Endless], Awaitable[ChatId]]
) -> None:
    endless = Endless()
    replica.tools.tools = (endless.tool,)
    chat = await stage(replica, endless)
    try:
        await replica.machine.change(chat, Interrupt())
    except TransitionNotAllowed:
        assert stage is during_compaction, "only a compaction may be over before it is stopped"
    assert (await replica.comes_to_rest(chat)).state is State.W
    await sim.gates["never"].set(open=True)
    await replica.someone_adds(chat, "[[say:3 tokens]] go on")
    rested = await replica.comes_to_rest(chat)
    # The simulator refuses what the vendors refuse.
    assert (rested.state, rested.last_error, rested.open_calls) == (State.W, None, ())
    assert (await replica.messages(chat))[-1].finish_reason is FinishReason.STOP


async def test_thoughts_are_kept_and_half_a_call_is_not(replica: InProcessReplica) -> None:
    replica.tools.tools = (Endless().tool,)
    thinking, calling = await during_reasoning(replica, Endless()), await during_arguments(replica, Endless())
    for chat in (thinking, calling):
        await replica.machine.change(chat, Interrupt())
        await replica.comes_to_rest(chat)
    thought = (await replica.messages(thinking))[-1]
    assert [type(part) for part in thought.parts] == [Reasoning]
    assert not any(isinstance(part, ToolCall) for message in await replica.messages(calling) for part in message.parts)


async def test_a_stop_reaches_the_tools_and_their_calls_are_answered(replica: InProcessReplica) -> None:
    endless = Endless()
    replica.tools.tools = (endless.tool,)
    chat = await during_tools(replica, endless)
    await replica.machine.change(chat, Interrupt())
    await replica.comes_to_rest(chat)
    results = [part for m in await replica.messages(chat) for part in m.parts if isinstance(part, ToolResult)]
    assert endless.cancelled
    assert [(part.is_error, "interrupted" in part.result) for part in results] == [(True, True)] * 2


async def test_a_model_is_told_who_stopped_a_turn_that_somebody_else_asked_for(
    replica: InProcessReplica, sim: Simulator
) -> None:
    for by, told in ((Author(UserId(uuid4()), "Ann"), True), (Author(replica.user, "Owner"), False)):
        chat = await replica.someone_asks("[[say:20 tokens]] [[gate:never]] [[say:20 tokens]]")
        await replica.shows(chat, lambda piece: piece.role is Role.ASSISTANT)
        await replica.machine.change(chat, Interrupt(by=by))
        await replica.comes_to_rest(chat)
        await replica.someone_adds(chat, "[[say:3 tokens]] go on")
        assert (await replica.comes_to_rest(chat)).last_error is None
        asked = json.dumps(sim.requests[-1].json)
        assert ("[Before this message, Ann stopped the turn.]" in asked) is told


async def test_what_is_said_during_a_batch_of_tools_is_read_in_the_next_call(
    replica: InProcessReplica, sim: Simulator
) -> None:
    endless = Endless()
    replica.tools.tools = (endless.tool,)
    chat = await during_tools(replica, endless)
    await replica.someone_adds(chat, "and mind the gap", Busy.STEER)
    endless.go_on.set()
    rested = await replica.comes_to_rest(chat)
    roles = [message.role for message in await replica.messages(chat)]
    assert roles == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.TOOL, Role.USER, Role.ASSISTANT]
    assert (rested.turn, rested.state) == (1, State.W)
    assert b"mind the gap" in bytes(sim.requests[1].body)


async def test_a_stopped_answer_says_which_model_gave_it_and_how_long_it_took(replica: InProcessReplica) -> None:
    asked = replica.says("[[say:20 tokens]] [[gate:never]] [[say:20 tokens]]", model="demo-fast")
    card = NewCard(organisation_id=replica.organisation, owner_id=replica.user, title="A chat", model="demo")
    chat = (await replica.machine.create(ChatId(uuid4()), card, [Create((asked,))])).chat.id
    await replica.shows(chat, lambda piece: isinstance(piece.delta, TextDelta))
    await replica.machine.change(chat, Interrupt())
    await replica.comes_to_rest(chat)
    stopped = (await replica.messages(chat))[-1]
    assert (stopped.finish_reason, stopped.model) == (FinishReason.INTERRUPTED, "demo-fast")
    assert (stopped.effort, stopped.context_limit) == (Effort.LOW, replica.models.window)
    assert stopped.runtime_ms is not None


async def test_thoughts_without_words_are_kept_and_the_next_turn_is_understood(
    replica: InProcessReplica, sim: Simulator
) -> None:
    chat = await replica.someone_asks("[[redacted:20 tokens]] [[say:20 tokens]] [[gate:never]]")
    await replica.shows(chat, lambda piece: isinstance(piece.delta, TextDelta))
    await replica.machine.change(chat, Interrupt())
    await replica.comes_to_rest(chat)
    partial = (await replica.messages(chat))[1]
    sealed = [
        part for part in partial.parts if isinstance(part, Reasoning) and part.provider_metadata and not part.text
    ]
    assert bool(sealed) == (replica.models.dialect in ("anthropic_messages", "openai_responses"))
    await sim.gates["never"].set(open=True)
    await replica.someone_adds(chat, "[[say:3 tokens]] and?")
    rested = await replica.comes_to_rest(chat)
    assert (rested.state, rested.last_error) == (State.W, None)
