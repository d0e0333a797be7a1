"""What a chat needs next, as a table: a row, a history, some facts, and the decision."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID

import pytest
from msgspec import structs

from perdure.agent.decide import decide
from perdure.agent.decision import (
    Compact,
    Decision,
    Ending,
    Facts,
    Finish,
    Generate,
    Known,
    Park,
    Policy,
    RefuseBatch,
    RunTools,
    Source,
)
from perdure.agent.history import History
from perdure.agent.toolset import Toolset
from perdure.core.action import ActionKind, Breach, BudgetOwner, CallKind, OpenCall, Question
from perdure.core.card import Card
from perdure.core.chat import Chat, Status
from perdure.core.ids import ChatId, MessageNumber, OrganisationId, UserId
from perdure.core.message import AnyPart, FinishReason, Kind, Message, Role, Text, ToolCall, ToolResult, Visibility
from perdure.tools.tool import Effect, Mode, ToolContext, tool

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NOBODY = UUID(int=0)
CARD = Card(id=ChatId(NOBODY), owner_id=UserId(NOBODY), organisation_id=OrganisationId(NOBODY), title="A chat")
ROW = Chat(id=ChatId(NOBODY), status=Status.RUNNING, turn=MessageNumber(1))
BREACH = Breach(BudgetOwner.CHAT, 10, 10)


@tool(Effect.READS)
async def look(_: ToolContext) -> str:
    """Looks."""
    return ""


@tool(Effect.READS, exclusive=True)
async def alone(_: ToolContext) -> str:
    """Must be alone."""
    return ""


@tool(Effect.READS, stop_after=True)
async def ask(_: ToolContext) -> str:
    """Ends the turn."""
    return ""


TOOLS = Toolset(Mode.ROOT, {each.name: each for each in (look, alone, ask)})


def says(role: Role, *parts: AnyPart, kind: Kind = Kind.ORDINARY, finish: FinishReason | None = None) -> Message:
    message = Message(role=role, parts=parts, number=MessageNumber(1), revision=1, created_at=NOW, kind=kind)
    return structs.replace(message, finish_reason=finish)


ASKED = says(Role.USER, Text("hello"))
ANSWERED = says(Role.ASSISTANT, Text("hi"), finish=FinishReason.STOP)
PAUSED = says(Role.ASSISTANT, Text("hi"), finish=FinishReason.PAUSED)
CALLED = says(Role.ASSISTANT, ToolCall("a", "look", "{}"), finish=FinishReason.TOOL_CALLS)
LOOKED = says(Role.TOOL, ToolResult("a", "look", "seen"))
ASKED_BACK = says(Role.TOOL, ToolResult("a", "ask", "asked"))
FAILED_TO_ASK = says(Role.TOOL, ToolResult("a", "ask", "no", is_error=True))
ADDED = says(Role.USER, Text("go on"), kind=Kind.HOOK)


def opened(tool: str = "look", index: int = 0, kind: CallKind = CallKind.LOCAL, *, cleared: bool = False) -> OpenCall:
    return OpenCall(index, f"call_{index}", tool, kind, cleared)


@dataclass(frozen=True)
class Case:
    decision: Decision
    calls: tuple[OpenCall, ...] = ()
    history: tuple[Message, ...] = (ASKED,)
    facts: Facts = field(default_factory=Facts)
    by_hand: bool = False
    declined: bool = False


ASKS = Facts(policies={"look": Policy.ASK})
LOCAL, SECOND = opened(), opened(index=1)
QUESTION = Question(1, "drink", "What may it be?")
CLIENT, CHILDREN = opened("theirs", 0, CallKind.CLIENT), opened("wait_agent", 1, CallKind.CHILDREN)
CLEARED = opened(cleared=True)

CASES = {
    "a question is put to the model": Case(Generate()),
    "an answer ends the turn": Case(Finish(Ending.COMPLETE), history=(ASKED, ANSWERED)),
    "an answer that paused goes on": Case(Generate(), history=(ASKED, PAUSED)),
    "results go to the model": Case(Generate(), history=(ASKED, CALLED, LOOKED)),
    "a tool that asks ends the turn": Case(Finish(Ending.STOP_AFTER_TOOL), history=(ASKED, CALLED, ASKED_BACK)),
    "whatever comes beside it": Case(Finish(Ending.STOP_AFTER_TOOL), history=(ASKED, CALLED, ASKED_BACK, LOOKED)),
    "a tool that failed to ask does not": Case(Generate(), history=(ASKED, CALLED, FAILED_TO_ASK)),
    "so many steps and no more": Case(
        Finish(Ending.MAX_STEPS), history=(ASKED, CALLED, LOOKED), facts=Facts(step_limit=1)
    ),
    "calls run": Case(RunTools((LOCAL, SECOND)), (LOCAL, SECOND)),
    "a call that must be alone is refused beside others": Case(RefuseBatch("alone"), (LOCAL, opened("alone", 1))),
    "and runs alone": Case(RunTools((opened("alone"),)), (opened("alone"),)),
    "a call that is asked about parks": Case(Park(ActionKind.APPROVAL, (LOCAL,)), (LOCAL,), facts=ASKS),
    "once approved it runs": Case(RunTools((CLEARED,)), (CLEARED,), facts=ASKS),
    "a denied call runs into its refusal": Case(
        RunTools((LOCAL,)), (LOCAL,), facts=Facts(policies={"look": Policy.DENY})
    ),
    "what may run does so before anybody is asked": Case(
        RunTools((opened("ask", 1),)),
        (LOCAL, opened("ask", 1)),
        facts=ASKS,
    ),
    "a finished call is not asked about": Case(
        RunTools((LOCAL,)), (LOCAL,), facts=Facts(policies={"look": Policy.ASK}, journal={0: Known.FINISHED})
    ),
    "a call of unknown outcome is asked about": Case(
        Park(ActionKind.OUTCOME_UNKNOWN, (LOCAL,)), (LOCAL,), facts=Facts(journal={0: Known.UNKNOWN})
    ),
    "before an approval": Case(
        Park(ActionKind.OUTCOME_UNKNOWN, (SECOND,)),
        (LOCAL, SECOND),
        facts=Facts(policies={"look": Policy.ASK}, journal={1: Known.UNKNOWN}),
    ),
    "also if it was approved": Case(
        Park(ActionKind.OUTCOME_UNKNOWN, (CLEARED,)), (CLEARED,), facts=Facts(journal={0: Known.UNKNOWN})
    ),
    "a call that asks something waits for the answer": Case(
        Park(ActionKind.ELICITATION, (SECOND,), questions=(QUESTION,)),
        (LOCAL, SECOND),
        facts=Facts(policies={"look": Policy.ASK}, journal={1: Known.ASKING}, questions=(QUESTION,)),
    ),
    "to be repeated, it runs": Case(RunTools((CLEARED,)), (CLEARED,)),
    "a client answers its own calls": Case(Park(ActionKind.CLIENT_TOOL, (CLIENT,)), (CLIENT,)),
    "children are waited for first": Case(Park(ActionKind.CHILDREN, (CHILDREN,)), (CLIENT, CHILDREN)),
    "a compaction by hand comes before the answer": Case(Compact(Source.MANUAL), by_hand=True),
    "where there is nothing to compact it is forgotten": Case(Generate(), by_hand=True, facts=Facts(compactable=False)),
    "calls come before it": Case(RunTools((LOCAL,)), (LOCAL,), by_hand=True),
    "it is paid for": Case(Park(ActionKind.BUDGET, breach=BREACH), by_hand=True, facts=Facts(over_budget=BREACH)),
    "a prompt that was refused is compacted": Case(Compact(Source.OVERFLOW), facts=Facts(overflowed=True)),
    "a long prompt is compacted": Case(Compact(Source.AUTOMATIC), facts=Facts(over_threshold=True)),
    "a refusal says more than an estimate": Case(
        Compact(Source.OVERFLOW), facts=Facts(overflowed=True, over_threshold=True)
    ),
    "a call that no budget has room for waits": Case(
        Park(ActionKind.BUDGET, breach=BREACH), facts=Facts(over_budget=BREACH, overflowed=True)
    ),
    "a turn that is over costs nothing": Case(
        Finish(Ending.COMPLETE), history=(ASKED, ANSWERED), facts=Facts(over_budget=BREACH, over_threshold=True)
    ),
    "a declined budget ends the turn": Case(
        Finish(Ending.BUDGET_DECLINED), declined=True, facts=Facts(over_budget=BREACH)
    ),
    "running calls is free": Case(RunTools((LOCAL,)), (LOCAL,), facts=Facts(over_budget=BREACH)),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_chat_gets_what_it_needs_next(case: Case) -> None:
    numbered = [structs.replace(m, number=MessageNumber(at + 1)) for at, m in enumerate(case.history)]
    row = structs.replace(
        ROW,
        open_calls=case.calls,
        compaction_requested_at=NOW if case.by_hand else None,
        budget_declined=case.declined,
    )
    assert decide(row, History.of(CARD, 1, numbered), TOOLS, case.facts) == case.decision


def test_an_ending_that_a_hook_put_off_goes_on() -> None:
    prodding = structs.replace(ADDED, number=MessageNumber(3), visibility=Visibility.MODEL)
    told = [ASKED, structs.replace(ANSWERED, number=MessageNumber(2)), prodding]
    assert decide(ROW, History.of(CARD, 1, told), TOOLS, Facts()) == Generate()
