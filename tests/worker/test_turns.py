"""Whole turns on one replica."""

import asyncio
from typing import Annotated

import msgspec
import pytest

from perdure.agent.history import Histories
from perdure.agent.prepare import Rules
from perdure.core.action import ActionKind, CallKind, Decision, Verdict
from perdure.core.chat import Busy, State, Status
from perdure.core.failure import ErrorKind
from perdure.core.ids import ModelName
from perdure.core.message import Effort, FinishReason, Kind, NoticePart, Role, Text, Visibility
from perdure.machine.transitions import Chosen, CompleteRequiresAction, Interrupt, Outcome, Retry, SendMessage
from perdure.sim.script import Script, Step
from perdure.sim.server import Simulator
from perdure.testing.replica import InProcessReplica
from perdure.tools.call import ToolFailed
from perdure.tools.tool import Effect, Tool, ToolContext, tool

LEDGER: list[str] = []


@tool(Effect.ONCE)
async def note(ctx: ToolContext, text: Annotated[str, msgspec.Meta(description="What to write down.")]) -> str:
    """Write something down, for good."""
    LEDGER.append(f"{ctx.key}:{text}")
    return f"noted {text}"


@tool(Effect.READS, exclusive=True)
async def alone(ctx: ToolContext) -> str:
    """Insists on being alone."""
    return f"alone for {ctx.owner_id}"


@tool(Effect.READS, stop_after=True)
async def conclude(_: ToolContext) -> str:
    """Ends the turn."""
    return "concluded"


@tool(Effect.READS)
async def fails(_: ToolContext) -> str:
    """Never works."""
    raise ToolFailed("Try the other door.")


@tool(Effect.READS)
async def buggy(_: ToolContext) -> str:
    """Has a bug."""
    raise ZeroDivisionError


TOOLS: tuple[Tool, ...] = (note, alone, conclude, fails, buggy)


async def test_a_question_gets_an_answer(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("[[say:5 tokens]] hello")
    rested = await replica.comes_to_rest(chat)
    assert (rested.state, rested.last_error, rested.owned) == (State.W, None, False)
    assert rested.snapshot_version == 2
    question, answer = await replica.messages(chat)
    assert (question.role, answer.role) == (Role.USER, Role.ASSISTANT)
    assert answer.usage is not None
    assert answer.cost is not None
    assert answer.cost > 0
    assert answer.finish_reason is FinishReason.STOP


async def test_tools_run_and_their_results_go_back_to_the_model(replica: InProcessReplica) -> None:
    replica.tools.tools = TOOLS
    LEDGER.clear()
    chat = await replica.someone_asks('[[call:note {"text": "a"}]] [[call:note {"text": "b"}]] [[say:3 tokens]]')
    rested = await replica.comes_to_rest(chat)
    words = await replica.said(chat)
    assert words[1:5] == ['note({"text":"a"})', 'note({"text":"b"})', "note: noted a", "note: noted b"]
    assert sorted(LEDGER) == [f"{chat}/2/0/0:a", f"{chat}/2/1/0:b"]
    assert rested.state is State.W
    # Three steps, one commit each, and the one that created the chat.
    assert rested.snapshot_version == 4


async def test_whatever_a_tool_does_becomes_a_result(replica: InProcessReplica) -> None:
    replica.tools.tools = TOOLS
    chat = await replica.someone_asks(
        '[[call:fails]] [[call:buggy]] [[call:nonsense]] [[call:note {"text": 1}]] [[say:3 tokens]]'
    )
    await replica.comes_to_rest(chat)
    results = [word for word in await replica.said(chat) if " failed: " in word]
    assert results[0] == "fails failed: Try the other door."
    assert "error of its own" in results[1]
    assert "There is no tool named 'nonsense'" in results[2]
    assert "do not match the tool's schema" in results[3]


async def test_an_exclusive_call_in_company_runs_nothing(replica: InProcessReplica) -> None:
    replica.tools.tools = TOOLS
    LEDGER.clear()
    chat = await replica.someone_asks('[[call:alone]] [[call:note {"text": "x"}]] [[say:3 tokens]]')
    rested = await replica.comes_to_rest(chat)
    results = [word for word in await replica.said(chat) if " failed: " in word]
    assert "must be called by itself" in results[0]
    assert "Skipped because alone must run alone" in results[1]
    assert (LEDGER, rested.state) == ([], State.W)
    assert replica.numbers("perdure_tool_batches_refused_total", tool="alone") == 1


async def test_a_stop_after_tool_ends_the_turn(replica: InProcessReplica, sim: Simulator) -> None:
    replica.tools.tools = TOOLS
    chat = await replica.someone_asks("[[call:conclude]] [[say:50 tokens]]")
    rested = await replica.comes_to_rest(chat)
    assert (await replica.said(chat))[-1] == "conclude: concluded"
    assert (rested.state, len(sim.requests)) == (State.W, 1)


async def test_a_queued_message_runs_after_the_turn(replica: InProcessReplica, sim: Simulator) -> None:
    chat = await replica.someone_asks("[[say:3 tokens]] [[gate:first]]")
    await replica.shows(chat)
    await replica.someone_adds(chat, "[[say:2 tokens]] second")
    await sim.gates["first"].set(open=True)
    await replica.comes_to_rest(chat)
    roles = [message.role for message in await replica.messages(chat)]
    assert roles == [Role.USER, Role.ASSISTANT, Role.USER, Role.ASSISTANT]


async def test_a_steer_message_is_read_in_the_next_call(replica: InProcessReplica, sim: Simulator) -> None:
    replica.tools.tools = TOOLS
    chat = await replica.someone_asks('[[say:3 tokens]] [[gate:steer]] [[call:note {"text": "a"}]] [[say:4 tokens]]')
    await replica.shows(chat)
    await replica.someone_adds(chat, "also this", Busy.STEER)
    await sim.gates["steer"].set(open=True)
    rested = await replica.comes_to_rest(chat)
    roles = [message.role for message in await replica.messages(chat)]
    assert roles == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.USER, Role.ASSISTANT]
    assert (rested.turn, rested.state) == (1, State.W)


async def test_an_interrupt_keeps_the_partial_answer(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("[[say:20 tokens]] [[gate:never]] [[say:20 tokens]]")
    await replica.shows(chat)
    await replica.machine.change(chat, Interrupt())
    rested = await replica.comes_to_rest(chat)
    answer = (await replica.messages(chat))[-1]
    assert (rested.state, answer.role, answer.finish_reason) == (State.W, Role.ASSISTANT, FinishReason.INTERRUPTED)
    assert (await replica.said(chat))[-1]


async def test_an_interrupting_message_runs_after_the_partial_answer(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("[[say:20 tokens]] [[gate:never]]")
    await replica.shows(chat)
    await replica.someone_adds(chat, "[[say:2 tokens]] stop that", Busy.INTERRUPT)
    await replica.comes_to_rest(chat)
    roles = [message.role for message in await replica.messages(chat)]
    assert roles == [Role.USER, Role.ASSISTANT, Role.USER, Role.ASSISTANT]


async def test_a_countdown_need_not_be_waited_for(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("[[fault:429 retry_after=120 x1]] [[say:at once]]")
    waiting = await replica.until(chat, lambda row: row.retry_state is not None)
    assert waiting.retry_state is not None
    await replica.machine.change(chat, Retry())
    rested = await replica.comes_to_rest(chat)
    assert (rested.state, rested.retry_state, rested.last_error) == (State.W, None, None)
    assert (await replica.messages(chat))[-1].parts == (Text("at once"),)


async def test_an_overloaded_provider_is_tried_again(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("[[fault:overloaded x1]] [[say:3 tokens]]")
    waiting = await replica.until(chat, lambda row: row.retry_state is not None)
    assert waiting.retry_state is not None
    assert (waiting.retry_state.kind, waiting.retry_state.attempt) == (ErrorKind.OVERLOADED, 1)
    rested = await replica.comes_to_rest(chat)
    assert (rested.state, rested.retry_state) == (State.W, None)


async def test_a_wrong_key_stops_the_chat_with_a_structured_error(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("[[fault:401]]")
    rested = await replica.comes_to_rest(chat)
    assert rested.state is State.E0
    assert rested.last_error is not None
    assert (rested.last_error.kind, rested.last_error.retryable) == (ErrorKind.AUTH, False)


async def test_a_client_side_call_parks_the_chat_until_its_result_comes(replica: InProcessReplica) -> None:
    replica.tools.tools = TOOLS
    declared = '[{"name": "ask_ide"}]'
    text = '[[call:note {"text": "a"}]] [[call:ask_ide]] [[say:4 tokens]]'
    chat = await replica.someone_asks(text, client_tools=declared)
    parked = await replica.until(chat, lambda row: row.status is Status.REQUIRES_ACTION)
    assert parked.action is not None
    assert (parked.action.kind, parked.owned) == (ActionKind.CLIENT_TOOL, False)
    assert [(call.tool, call.kind) for call in parked.open_calls] == [("ask_ide", CallKind.CLIENT)]
    call_id = parked.open_calls[0].call_id
    await replica.machine.change(chat, CompleteRequiresAction(outcomes=[Outcome(call_id, '{"line": 3}')]))
    await replica.comes_to_rest(chat)
    assert 'ask_ide: {"line": 3}' in await replica.said(chat)


async def test_a_tool_that_needs_approval_runs_once_it_is_approved(replica: InProcessReplica) -> None:
    replica.tools.tools = TOOLS
    LEDGER.clear()
    chat = await replica.someone_asks(
        '[[call:note {"text": "a"}]] [[say:4 tokens]]', settings='{"approvals": {"note": "ask"}}'
    )
    parked = await replica.until(chat, lambda row: row.status is Status.REQUIRES_ACTION)
    assert parked.action is not None
    assert parked.action.kind is ActionKind.APPROVAL
    assert LEDGER == []
    decision = Decision(parked.open_calls[0].call_id, Verdict.APPROVE)
    await replica.machine.change(chat, CompleteRequiresAction(decisions=[decision]))
    await replica.comes_to_rest(chat)
    assert len(LEDGER) == 1


async def test_a_tool_that_the_organisation_denies_runs_in_no_chat(replica: InProcessReplica) -> None:
    replica.tools.tools = TOOLS
    replica.sources.rules_now = Rules(forbidden=frozenset({"note"}))
    LEDGER.clear()
    chat = await replica.someone_asks(
        '[[call:note {"text": "a"}]] [[say:4 tokens]]', settings='{"approvals": {"note": "auto"}}'
    )
    await replica.comes_to_rest(chat)
    assert LEDGER == []
    assert any("This tool may not be used here." in said for said in await replica.said(chat))


async def test_an_empty_answer_ends_the_turn_with_a_notice(replica: InProcessReplica, sim: Simulator) -> None:
    sim.script(Script("nothing", (Step(()),)))
    chat = await replica.someone_asks("[[script:nothing]]")
    rested = await replica.comes_to_rest(chat)
    last = (await replica.messages(chat))[-1]
    assert (rested.state, last.kind, last.visibility) == (State.W, Kind.NOTICE, Visibility.USER)
    assert last.parts == (NoticePart("empty_answer", "The model answered nothing."),)


async def test_calls_that_write_the_same_file_run_one_after_the_other(replica: InProcessReplica) -> None:
    log: list[str] = []

    @tool(Effect.KEYED)
    async def put(_: ToolContext, path: str, text: str) -> str:
        """Write a file."""
        log.append(f"{text} begins")
        for _turn in range(5):
            await asyncio.sleep(0)
        log.append(f"{text} ends")
        return path

    replica.tools.tools = (put,)
    paths = ("notes/a.txt", "./notes//a.txt", "notes/../notes/a.txt")
    calls = [f'[[call:put {{"path": "{path}", "text": "{n}"}}]]' for n, path in enumerate(paths)]
    chat = await replica.someone_asks(" ".join([*calls, "[[say:3 tokens]]"]))
    await replica.comes_to_rest(chat)
    assert log == [f"{n} {what}" for n in range(3) for what in ("begins", "ends")]


async def test_a_turn_that_may_take_no_step_says_so_once(replica: InProcessReplica) -> None:
    replica.sources.rules_now = Rules(step_limit=0)
    chat = await replica.someone_asks("[[say:3 tokens]]")
    assert (await replica.comes_to_rest(chat)).state is State.W
    told = [part for message in (await replica.messages(chat))[1:] for part in message.parts]
    assert [part.kind for part in told if isinstance(part, NoticePart)] == ["max_steps"]
    assert len(told) == 1


@pytest.mark.parametrize("effort", [None, Effort.LOW])
async def test_a_message_that_waited_is_answered_by_the_model_of_its_sending(
    replica: InProcessReplica, sim: Simulator, effort: Effort | None
) -> None:
    chat = await replica.someone_asks("[[gate:first]] [[say:3 tokens]]", model="demo")
    await sim.gates["first"].reached()
    waiting = SendMessage(replica.says("[[say:3 tokens]]"), chosen=Chosen(ModelName("demo-fast"), effort))
    await replica.machine.change(chat, waiting)
    await replica.pool.execute("UPDATE chat_cards SET model = 'demo-slow', effort = 'high' WHERE id = $1", chat)
    await sim.gates["first"].set(open=True)
    await replica.comes_to_rest(chat)
    assert [request.model for request in sim.requests] == ["demo", "demo-fast"]
    history = await Histories(replica.pool).at(await replica.machine.load(chat))
    resolved = await replica.runner_services.preparation.model(history, history.messages[2].number)
    assert (resolved.name, resolved.settings.effort) == ("demo-fast", effort)
