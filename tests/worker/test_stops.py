"""What a stop leaves besides the words: files, labels, and nothing of a summary."""

import asyncio
from contextlib import suppress
from uuid import uuid4

import pytest

from perdure.agent.attempt_output import INTERRUPTED, OUTCOME_UNKNOWN
from perdure.agent.prepare import Rules
from perdure.core.chat import State
from perdure.core.deltas import ToolResultDelta
from perdure.core.ids import FileId, ModelName
from perdure.core.message import Kind, Role
from perdure.machine.transitions import Interrupt, RequestCompaction
from perdure.sim.script import GatePart, Script, Step
from perdure.sim.script import Text as Say
from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.testing.clock import HurriedClock
from perdure.testing.replica import InProcessReplica, open_replica
from perdure.tools.call import NewFile, ToolOutput
from perdure.tools.tool import Effect, ToolContext, tool

PICTURE = NewFile(FileId(uuid4()), "screen.txt", "text/plain", b"x")


@tool(Effect.READS)
async def shoot(_: ToolContext) -> ToolOutput:
    """Take a picture."""
    return ToolOutput("Taken.", files=(PICTURE,))


@tool(Effect.READS)
async def ponder(_: ToolContext) -> str:
    """Think it over, until somebody says stop."""
    await asyncio.Event().wait()
    return "thought"


async def test_a_file_that_a_call_handed_over_stays_with_the_chat_when_another_is_stopped(
    replica: InProcessReplica,
) -> None:
    replica.tools.tools = (shoot, ponder)
    chat = await replica.someone_asks("[[call:shoot]] [[call:ponder]] [[say:5 tokens]]")
    await replica.shows(chat, lambda piece: isinstance(piece.delta, ToolResultDelta) and piece.delta.done)
    await replica.machine.change(chat, Interrupt())
    rested = await replica.comes_to_rest(chat)
    linked = await replica.pool.fetch("SELECT file_id FROM file_links WHERE chat_id = $1", chat)
    assert (rested.made_file_count, [row["file_id"] for row in linked]) == (1, [PICTURE.id])


@pytest.mark.parametrize(
    ("effect", "told"), [(Effect.ONCE, OUTCOME_UNKNOWN), (Effect.KEYED, INTERRUPTED), (Effect.READS, INTERRUPTED)]
)
async def test_a_stopped_call_that_may_have_happened_says_so(
    replica: InProcessReplica, effect: Effect, told: str
) -> None:
    begun = asyncio.Event()

    @tool(effect)
    async def pay(_: ToolContext) -> str:
        """Pay somebody, and wait until they say that they have it."""
        begun.set()
        await asyncio.Event().wait()
        return "paid"

    replica.tools.tools = (pay,)
    chat = await replica.someone_asks("[[call:pay]] [[say:5 tokens]]")
    await begun.wait()
    await replica.machine.change(chat, Interrupt())
    await replica.comes_to_rest(chat)
    assert (await replica.said(chat))[-1] == f"pay failed: {told}"


async def test_what_was_said_of_the_turn_before_is_taken_off_a_chat_that_was_stopped(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("[[say:20 tokens]] [[gate:never]]")
    await replica.shows(chat, lambda piece: piece.role is Role.ASSISTANT)
    await replica.pool.execute("UPDATE chat_cards SET turn_label = 'Said hello' WHERE id = $1", chat)
    await replica.machine.change(chat, Interrupt())
    await replica.comes_to_rest(chat)
    assert await replica.pool.fetchval("SELECT turn_label FROM chat_cards WHERE id = $1", chat) is None


async def test_a_summary_that_was_stopped_leaves_nothing_for_the_model_to_wonder_about(
    replica: InProcessReplica, sim: Simulator
) -> None:
    replica.sources.rules_now = Rules(summary_model=ModelName("slow-one"))
    slow = Step((Say("All of it."), GatePart("never")))
    sim.script(Script("slow", (slow,), model="slow-one", counted=True, chores=True))
    chat = await replica.someone_asks("hello")
    await replica.comes_to_rest(chat)
    before = await replica.messages(chat)
    await replica.machine.change(chat, RequestCompaction())
    await sim.gates["never"].reached()
    await replica.machine.change(chat, Interrupt())
    rested = await replica.comes_to_rest(chat)
    assert (rested.state, rested.compaction_requested_at) == (State.W, None)
    assert [m for m in await replica.messages(chat) if m.kind is Kind.ORDINARY] == list(before)


async def test_a_stop_works_although_a_tool_does_not_heed_it(database_url: str, pool: Pool, sim: Simulator) -> None:
    begun, released = asyncio.Event(), asyncio.Event()

    @tool(Effect.READS)
    async def stubborn(_: ToolContext) -> str:
        """Goes on whatever it is told."""
        begun.set()
        while not released.is_set():
            with suppress(asyncio.CancelledError):
                await released.wait()
        return "done at last"

    async with open_replica(database_url, pool, sim.url, clock=HurriedClock()) as replica:
        replica.tools.tools = (stubborn,)
        chat = await replica.someone_asks("[[call:stubborn]] [[say:3 tokens]]")
        await begun.wait()
        await replica.machine.change(chat, Interrupt())
        assert (await replica.comes_to_rest(chat)).state is State.W
        await replica.someone_adds(chat, "[[gate:late]] [[say:3 tokens]]")
        await sim.gates["late"].reached()
        # What it gives now belongs to nobody, whatever the chat does meanwhile.
        released.set()
        await sim.gates["late"].set(open=True)
        assert (await replica.comes_to_rest(chat)).state is State.W
        roles = [message.role for message in await replica.messages(chat)]
    assert roles == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.USER, Role.ASSISTANT]
