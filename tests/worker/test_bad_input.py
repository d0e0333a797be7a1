"""Tools and models that misbehave: the turn always ends in a state that somebody can act on."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest

from perdure.agent.prepare import Rules
from perdure.core.chat import State
from perdure.core.errors import WorkspaceUnreachable
from perdure.core.ids import ChatId, FileId
from perdure.core.message import Kind, NoticePart, ToolResult
from perdure.core.timing import TOOL_CAP_EXTRA
from perdure.machine.planning import FILES_LIMIT
from perdure.sim.script import Call, Script, Step
from perdure.sim.script import Text as Say
from perdure.sim.server import Simulator
from perdure.testing.replica import InProcessReplica
from perdure.tools.call import NewFile, ToolOutput
from perdure.tools.tool import Effect, ToolContext, tool

MANY = 1000


@tool(Effect.READS, timeout=timedelta(milliseconds=100) - TOOL_CAP_EXTRA)
async def hang(_: ToolContext) -> str:
    """Never comes back."""
    await asyncio.Event().wait()
    return ""


@tool(Effect.READS)
async def gush(_: ToolContext) -> str:
    """Gives back very much, and not all of it is text."""
    return "\udcff\x00" + "x" * 20_000_000


@tool(Effect.KEYED)
async def vanish(_: ToolContext) -> str:
    """Its workspace is gone."""
    raise WorkspaceUnreachable("nobody answers")


@tool(Effect.READS)
async def count(_: ToolContext, number: int) -> str:
    """Says a number."""
    return str(number)


INSIDE: list[object] = []


@tool(Effect.READS, serial=True)
async def take_turns(_: ToolContext) -> str:
    """Says how many of its calls run at the same time."""
    INSIDE.append(None)
    try:
        await asyncio.sleep(0.01)
        return f"{len(INSIDE)} at once"
    finally:
        INSIDE.pop()


@tool(Effect.ONCE)
async def hand_over(_: ToolContext) -> ToolOutput:
    """Hands over more files than a chat holds."""
    files = [NewFile(FileId(uuid4()), f"note-{n}.txt", "text/plain", b"x") for n in range(FILES_LIMIT + 2)]
    return ToolOutput("There you are.", files=tuple(files))


@tool(Effect.ONCE)
async def wipe(_: ToolContext, only: str = "everything") -> str:
    """Takes something away for good."""
    raise AssertionError(only)


async def results(replica: InProcessReplica, chat: ChatId) -> list[ToolResult]:
    return [part for m in await replica.messages(chat) for part in m.parts if isinstance(part, ToolResult)]


async def test_a_tool_that_hangs_gives_a_result_that_says_so(replica: InProcessReplica) -> None:
    replica.tools.tools = (hang,)
    chat = await replica.someone_asks("[[call:hang]] [[say:3 tokens]]")
    assert (await replica.comes_to_rest(chat)).state is State.W
    (result,) = await results(replica, chat)
    assert (result.is_error, "gave no answer" in result.result) == (True, True)


async def test_a_gigantic_result_that_is_no_text_is_cut_and_kept(replica: InProcessReplica) -> None:
    replica.tools.tools = (gush,)
    chat = await replica.someone_asks("[[call:gush]] [[say:3 tokens]]")
    assert (await replica.comes_to_rest(chat)).state is State.W
    (result,) = await results(replica, chat)
    assert len(result.result) < 250_000
    assert "bytes left out" in result.result


async def test_a_workspace_that_is_gone_is_told_to_the_model(replica: InProcessReplica, sim: Simulator) -> None:
    replica.tools.tools = (vanish,)
    chat = await replica.someone_asks("[[call:vanish]] [[say:3 tokens]]")
    assert (await replica.comes_to_rest(chat)).state is State.W
    (result,) = await results(replica, chat)
    assert (result.is_error, "may or may not" in result.result) == (True, True)
    assert len(sim.requests) == 2


@pytest.mark.parametrize("lie", ["input=4294967295", "input=9223372036854775807", "input=5,output=-1"])
async def test_usage_that_nobody_can_have_had_is_not_counted_and_the_answer_is_kept(
    replica: InProcessReplica, lie: str
) -> None:
    chat = await replica.someone_asks(f"[[usage:{lie}]] [[say:kept]]")
    rested = await replica.comes_to_rest(chat)
    assert (rested.state, rested.budget_spent) == (State.W, 0)
    assert (await replica.said(chat))[-1] == "kept"
    assert (await replica.messages(chat))[-1].usage is None


@pytest.mark.parametrize("before", [(), (Say("I will"),)], ids=["alone", "after words"])
async def test_a_call_that_was_cut_before_its_arguments_is_not_carried_out(
    replica: InProcessReplica, sim: Simulator, before: tuple[Say, ...]
) -> None:
    replica.tools.tools = (wipe,)
    sim.script(Script("cut", (Step((*before, Call("wipe", raw="")), finish="length"),)))
    chat = await replica.someone_asks("[[script:cut]]")
    assert (await replica.comes_to_rest(chat)).state is State.W
    assert (await replica.said(chat))[1:] == [say.text for say in before]
    told = [part.kind for m in await replica.messages(chat) for part in m.parts if isinstance(part, NoticePart)]
    assert told == ["length"]


async def test_broken_json_is_an_error_result(replica: InProcessReplica) -> None:
    replica.tools.tools = (count,)
    chat = await replica.someone_asks('[[call:count {"number": ]] [[say:3 tokens]]')
    assert (await replica.comes_to_rest(chat)).state is State.W
    (result,) = await results(replica, chat)
    assert result.is_error


@pytest.mark.parametrize("written", ["[1]", "null", '"words"', '{"number":', "{} {}"])
@pytest.mark.parametrize("who", ["the client", "a person who approves"])
async def test_arguments_that_are_no_object_ask_nobody_for_anything(
    replica: InProcessReplica, sim: Simulator, who: str, written: str
) -> None:
    replica.tools.tools = (count,)
    called = "ask_ide" if who == "the client" else "count"
    sim.script(Script("odd", (Step((Call(called, raw=written),)), Step((Say("I see."),)))))
    chat = await replica.someone_asks(
        "[[script:odd]]", client_tools='[{"name": "ask_ide"}]', settings='{"approvals": {"count": "ask"}}'
    )
    rested = await replica.comes_to_rest(chat)
    (result,) = await results(replica, chat)
    assert (rested.state, rested.action, result.is_error) == (State.W, None, True)
    assert "JSON" in result.result
    assert (await replica.said(chat))[-1] == "I see."


async def test_a_tool_that_reads_and_is_serial_runs_one_call_after_the_other(
    replica: InProcessReplica, sim: Simulator
) -> None:
    replica.tools.tools = (take_turns,)
    sim.script(Script("turns", (Step(tuple(Call("take_turns", {}) for _ in range(3))), Step((Say("Done."),)))))
    chat = await replica.someone_asks("[[script:turns]]")
    assert (await replica.comes_to_rest(chat)).state is State.W
    assert [result.result for result in await results(replica, chat)] == ["1 at once"] * 3


async def test_a_thousand_calls_in_one_answer_all_run(replica: InProcessReplica, sim: Simulator) -> None:
    replica.tools.tools = (count,)
    calls = Step(tuple(Call("count", {"number": number}) for number in range(MANY)))
    sim.script(Script("many", (calls, Step((Say("Done."),)))))
    chat = await replica.someone_asks("[[script:many]]")
    assert (await replica.comes_to_rest(chat)).state is State.W
    assert [result.result for result in await results(replica, chat)] == [str(number) for number in range(MANY)]


async def test_a_model_that_calls_unknown_tools_forever_reaches_the_step_limit(
    replica: InProcessReplica, sim: Simulator
) -> None:
    replica.sources.rules_now = Rules(step_limit=5)
    sim.script(Script("stubborn", (Step((Call("nonsense", {}),)),) * 10, model="stubborn", counted=True))
    chat = await replica.someone_asks("Go on.", model="stubborn")
    rested = await replica.comes_to_rest(chat)
    last = (await replica.messages(chat))[-1]
    assert (rested.state, last.kind) == (State.W, Kind.NOTICE)
    assert [part.kind for part in last.parts if isinstance(part, NoticePart)] == ["max_steps"]


async def test_more_files_than_a_chat_holds_are_left_out_and_the_turn_goes_on(replica: InProcessReplica) -> None:
    replica.tools.tools = (hand_over,)
    chat = await replica.someone_asks("[[call:hand_over]] [[say:3 tokens]]")
    rested = await replica.comes_to_rest(chat)
    assert (rested.state, rested.made_file_count, rested.file_count) == (State.W, FILES_LIMIT, 0)
    (result,) = await results(replica, chat)
    assert (len(result.media), result.is_error) == (FILES_LIMIT, False)
    assert f"Left out: note-{FILES_LIMIT}.txt, note-{FILES_LIMIT + 1}.txt." in result.result
