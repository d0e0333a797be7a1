"""What a chat needs next: a pure function from the committed history and a few facts. First match wins."""

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
from perdure.core.action import ActionKind, CallKind, OpenCall
from perdure.core.chat import Chat
from perdure.core.message import FinishReason, Kind, Message, Role, ToolResult


def decide(chat: Chat, history: History, toolset: Toolset, facts: Facts) -> Decision:
    """The next work of a running chat."""
    return (
        _about_calls(chat, toolset, facts)
        or _about_compaction_by_hand(chat, facts)
        or _about_the_end(chat, history, toolset, facts)
        or _about_the_prompt(facts)
        or Generate()
    )


def _about_calls(chat: Chat, toolset: Toolset, facts: Facts) -> Decision | None:
    if not chat.open_calls:
        return None
    if len(chat.open_calls) > 1:
        alone = next((call.tool for call in chat.open_calls if toolset.exclusive(call.tool)), None)
        if alone is not None:
            return RefuseBatch(alone)
    runnable = tuple(call for call in chat.open_calls if _may_run(call, facts))
    return RunTools(runnable) if runnable else _parked(chat, facts)


def _may_run(call: OpenCall, facts: Facts) -> bool:
    if call.kind is not CallKind.LOCAL:
        return False
    match facts.journal.get(call.index):
        case Known.FINISHED:
            return True
        case Known.ASKING:
            return False
        case Known.UNKNOWN:
            # Whoever let it run let it run once. To repeat it makes another run of it, which the journal does not know.
            return False
        case None:
            return call.cleared or not _asks(call, facts)


def _asks(call: OpenCall, facts: Facts) -> bool:
    return facts.policies.get(call.tool, Policy.AUTO) is Policy.ASK


def _parked(chat: Chat, facts: Facts) -> Park:
    """Nothing runs: ask about what is open, one kind at a time."""
    local = tuple(call for call in chat.open_calls if call.kind is CallKind.LOCAL)
    unknown = tuple(call for call in local if facts.journal.get(call.index) is Known.UNKNOWN)
    if unknown:
        return Park(ActionKind.OUTCOME_UNKNOWN, unknown)
    asking = tuple(call for call in local if facts.journal.get(call.index) is Known.ASKING)
    if asking:
        return Park(ActionKind.ELICITATION, asking, questions=facts.questions)
    if local:
        return Park(ActionKind.APPROVAL, local)
    children = tuple(call for call in chat.open_calls if call.kind is CallKind.CHILDREN)
    if children:
        return Park(ActionKind.CHILDREN, children[:1])
    return Park(ActionKind.CLIENT_TOOL, chat.open_calls)


def _about_compaction_by_hand(chat: Chat, facts: Facts) -> Decision | None:
    if chat.compaction_requested_at is None or not facts.compactable:
        return None
    return _unpaid(facts) or Compact(Source.MANUAL)


def _about_the_end(chat: Chat, history: History, toolset: Toolset, facts: Facts) -> Decision | None:
    if chat.budget_declined:
        return Finish(Ending.BUDGET_DECLINED)
    if _stopped_by_tool(history, toolset):
        return Finish(Ending.STOP_AFTER_TOOL)
    last = history.last
    said = last is not None and last.role is Role.ASSISTANT and last.finish_reason is not FinishReason.PAUSED
    if said and not history.put_off:
        return Finish(Ending.COMPLETE)
    if history.steps(chat.turn) >= facts.step_limit:
        return Finish(Ending.MAX_STEPS)
    return None


def _stopped_by_tool(history: History, toolset: Toolset) -> bool:
    """Whether the newest batch of results holds a success of a tool that ends the turn."""
    for message in reversed(history.messages):
        if message.kind is not Kind.ORDINARY:
            continue
        if message.role is not Role.TOOL:
            return False
        if _succeeded(message, toolset):
            return True
    return False


def _succeeded(message: Message, toolset: Toolset) -> bool:
    return any(
        isinstance(part, ToolResult) and not part.is_error and toolset.stops(part.tool) for part in message.parts
    )


def _unpaid(facts: Facts) -> Decision | None:
    """A model call that no budget has room for waits for somebody who raises it, or declines to."""
    return None if facts.over_budget is None else Park(ActionKind.BUDGET, breach=facts.over_budget)


def _about_the_prompt(facts: Facts) -> Decision | None:
    if facts.over_budget is not None:
        return _unpaid(facts)
    if facts.overflowed:
        return Compact(Source.OVERFLOW)
    if facts.over_threshold:
        return Compact(Source.AUTOMATIC)
    return None
