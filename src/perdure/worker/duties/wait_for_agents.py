"""Waiting for agents without holding anything: the chat parks with a deadline, and whoever comes to rest wakes it."""

from datetime import timedelta

from perdure.agent.decide import Facts
from perdure.agent.results import answered
from perdure.core.chat import ActionKind, OpenCall
from perdure.machine.transitions.actions import EnterRequiresAction
from perdure.machine.transitions.steps import CommitStep
from perdure.store.family import Agent
from perdure.tools.agents import USUAL_WAIT, wait_agent
from perdure.tools.arguments import parsed
from perdure.tools.call import ToolFailed, ToolOutput
from perdure.tools.reports import reported
from perdure.worker.duties.following import step_and_next
from perdure.worker.outcomes import Committed, Outcome
from perdure.worker.owned_chat import OwnedChat


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
