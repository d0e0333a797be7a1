"""Ending a turn, or parking its chat, where no step did it."""

import logging
from collections.abc import Mapping, Sequence
from datetime import timedelta

from perdure.agent.decision import Ending, Facts, Park
from perdure.agent.facts import approvers_of
from perdure.agent.notices import notice
from perdure.agent.prepare import EXCLUDED
from perdure.agent.results import answered
from perdure.agent.run_tools import LeftRunning
from perdure.core.action import ActionKind, OpenCall
from perdure.core.author import NOBODY
from perdure.core.chat import AT_REST
from perdure.core.errors import DatabaseFault, PerdureError, ProviderFailure, Unavailable
from perdure.core.failure import ChatError
from perdure.core.message import Kind
from perdure.machine.transitions import (
    Abandon,
    CommitStep,
    EnterRequiresAction,
    FinishError,
    Interrupt,
    RecordGenerationAttempt,
)
from perdure.store.family import Agent
from perdure.store.journal import CallRun
from perdure.tools.agents import USUAL_WAIT, wait_agent
from perdure.tools.arguments import parsed
from perdure.tools.call import ToolFailed, ToolOutput
from perdure.tools.reports import reported
from perdure.tools.tool import Tool
from perdure.worker.duties.following import BUDGET_REACHED, after_turn, end_of_turn, finished, parked, step_and_next
from perdure.worker.duties.hooking import at_the_end
from perdure.worker.outcomes import Committed, Outcome
from perdure.worker.owned_chat import OwnedChat

_log = logging.getLogger(__name__)
_BUG = ChatError("Something went wrong inside the server. The log has the details.")


async def park(owned: OwnedChat, decision: Park) -> Outcome:
    """Wait for somebody, and hold nothing meanwhile."""
    history = await owned.history()
    if decision.breach is not None and history.card.parent_id is not None:
        # A child asks nobody for money: its parent hears of it, and asks when it wants to go on itself.
        await owned.commit(FinishError(BUDGET_REACHED), Abandon())
    else:
        await owned.commit(parked(decision, history, approvers_of(history, await owned.prepared())))
    return Committed()


async def finish(owned: OwnedChat, ending: Ending) -> Outcome:
    """End the turn on its own."""
    history = await owned.history()
    if ending is Ending.BUDGET_DECLINED:
        await owned.commit(FinishError(BUDGET_REACHED), Abandon())
    elif ending is Ending.MAX_STEPS or owned.chat.continuing:
        # A turn whose answer is there and that did not end yet: a hook could not be asked about that.
        added = await at_the_end(owned) if ending is Ending.COMPLETE else ()
        if any(row.kind is Kind.HOOK for row in added):
            await owned.commit(CommitStep(messages=added), RecordGenerationAttempt())
            return Committed()
        said = () if ending is Ending.MAX_STEPS else (*added, notice("ended", "The turn ended here."))
        step = CommitStep(messages=said, continues=False)
        await owned.commit_by(lambda chat: (*finished(step, ending, history), *after_turn(chat)))
    else:
        await owned.commit_by(lambda chat: (end_of_turn(ending, history), *after_turn(chat)))
    return Committed()


async def end_with_error(owned: OwnedChat, error: BaseException) -> None:
    """End the turn because a duty failed."""
    match error:
        case ProviderFailure(error=told) if told is EXCLUDED:
            # As the sweep would in a moment: what others wrote meanwhile goes on.
            await owned.commit(Interrupt(by=NOBODY))
        case ProviderFailure():
            await owned.commit(FinishError(error.error), Abandon())
        case _:
            _log.error("a duty failed", exc_info=error)
            await owned.commit(FinishError(_BUG), Abandon())


async def come_to_rest(owned: OwnedChat) -> None:
    """Nobody drives the chat here any more: let go of what it held, and wake the chat that waits for it."""
    owned.hide()
    owned.services.budgets.release(owned.chat.id)
    if owned.newest.status not in AT_REST:
        return
    if not owned.card_says_root:
        await _tell_parent(owned)
    owned.services.tools.rests(owned.chat.id)


async def _tell_parent(owned: OwnedChat) -> None:
    """An agent that came to rest wakes the chat that waits for it. If that is lost, a sweep does it."""
    owned.services.crash_points.reached("runner.rested")
    try:
        await owned.services.waits.rested(owned.chat.id)
    except (Unavailable, DatabaseFault) as error:
        _log.warning("the parent of %s could not be woken: %s", owned.chat.id, error)


async def end_edited_away(owned: OwnedChat) -> None:
    """Before the edited turn begins. Their driver may be gone, and nobody asks for their results any more."""
    if not await _follows_an_edit(owned):
        return
    chat = owned.chat
    runs = await owned.services.journal.before(chat.id, chat.turn)
    calls = [(CallRun(chat.id, run.message, run.index, run.run), run) for run in runs]
    await end_runs(owned, [(call, run.tool, run.handle) for call, run in calls if run.state == "started"])
    owned.forget_runs([call for call, _ in calls])


async def end_runs(owned: OwnedChat, started: Sequence[tuple[CallRun, str, str | None]]) -> None:
    """End what runs of tools by these names, some with a handle, left at work."""
    if not started:
        return
    handed = any(handle is not None for *_, handle in started)
    tools: Mapping[str, Tool] = await _tools(owned) if handed else {}
    left = [LeftRunning(run, name, tools.get(name), handle) for run, name, handle in started]
    await owned.services.tools.end((await owned.history()).card, left)


async def _tools(owned: OwnedChat) -> Mapping[str, Tool]:
    """The tools that the chat has, if they can be had: nothing waits with ending until they can."""
    try:
        return (await owned.prepared()).toolset.ours
    except PerdureError as error:
        _log.warning("tasks of chat %s may still run: %s", owned.chat.id, error)
        return {}


async def _follows_an_edit(owned: OwnedChat) -> bool:
    """Whether nothing is answered yet, and the message before the turn's is hidden. It may say so once too often."""
    chat = owned.chat
    if chat.last_assistant or chat.turn <= 1:
        return False
    return (await owned.history()).message(chat.turn - 1) is None


async def wait_for_agents(owned: OwnedChat, call: OpenCall, facts: Facts) -> Outcome:
    """Answer the call where it can be answered now; otherwise park."""
    reached = owned.services.crash_points.reached
    try:
        agents, timeout = await _asked(owned, call)
    except ToolFailed as failure:
        await _answer(owned, call, ToolOutput(str(failure), is_error=True), facts)
        return Committed()
    reached("wait.looked")
    if any(agent.at_rest for agent in agents):
        await _answer(owned, call, ToolOutput(reported(agents)), facts)
        return Committed()
    ids = tuple(str(agent.id) for agent in agents)
    await owned.commit(EnterRequiresAction(ActionKind.CHILDREN, (call.index,), timeout, ids))
    reached("wait.parked")
    # Whoever came to rest between the look and the parking found nobody to wake.
    with owned.uncut():
        await owned.services.waits.end(owned.chat.id)
    return Committed()


async def _asked(owned: OwnedChat, call: OpenCall) -> tuple[list[Agent], timedelta]:
    """Whom the call waits for, and how long."""
    history = await owned.history()
    arguments = parsed(history.calls(owned.chat.last_assistant)[call.index].args, wait_agent.schema)
    agents = await owned.services.family.named(owned.chat.id, arguments["ids"])
    return agents, timedelta(seconds=arguments.get("timeout", USUAL_WAIT))


async def _answer(owned: OwnedChat, call: OpenCall, output: ToolOutput, facts: Facts) -> None:
    prepared, history = await owned.prepared(), await owned.history()
    part = history.calls(owned.chat.last_assistant)[call.index]
    step = CommitStep(messages=(answered(part, output, owned.services.clock),))
    await owned.commit_by(step_and_next(step, history, prepared.toolset, facts))
