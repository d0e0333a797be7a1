"""Waiting for agents without holding anything: the chat parks with a deadline, and whoever comes to rest wakes it."""

from datetime import timedelta

from perdure.agent.decide import Facts
from perdure.agent.results import answered
from perdure.core.chat import ActionKind, OpenCall
from perdure.machine.transitions.actions import EnterRequiresAction
from perdure.machine.transitions.steps import CommitStep
from perdure.store.family import Agent
from perdure.tools.arguments import parsed
from perdure.tools.call import ToolFailed, ToolOutput
from perdure.tools.reports import reported
from perdure.tools.wait_agent import USUAL, wait_agent
from perdure.worker.drive import Drive
from perdure.worker.duties.following import step_and_next


async def wait_for_agents(drive: Drive, call: OpenCall, facts: Facts) -> None:
    """Answer the call where it can be answered now; otherwise park."""
    reached = drive.kit.points.reached
    try:
        agents, timeout = await _asked(drive, call)
    except ToolFailed as failure:
        await _answer(drive, call, ToolOutput(str(failure), is_error=True), facts)
        return
    reached("wait.looked")
    if any(agent.at_rest for agent in agents):
        await _answer(drive, call, ToolOutput(reported(agents)), facts)
        return
    ids = tuple(str(agent.id) for agent in agents)
    await drive.commit(EnterRequiresAction(ActionKind.CHILDREN, (call.index,), timeout, ids))
    reached("wait.parked")
    # Whoever came to rest between the look and the parking found nobody to wake.
    with drive.uncut():
        await drive.kit.waits.end(drive.chat.id)


async def _asked(drive: Drive, call: OpenCall) -> tuple[list[Agent], timedelta]:
    """Whom the call waits for, and how long."""
    history = await drive.history()
    arguments = parsed(history.calls(drive.chat.last_assistant)[call.index].args, wait_agent.schema)
    agents = await drive.kit.family.named(drive.chat.id, arguments["ids"])
    return agents, timedelta(seconds=arguments.get("timeout", USUAL))


async def _answer(drive: Drive, call: OpenCall, output: ToolOutput, facts: Facts) -> None:
    prepared, history = await drive.prepared(), await drive.history()
    part = history.calls(drive.chat.last_assistant)[call.index]
    step = CommitStep(messages=(answered(part, output, drive.kit.clock),))
    await drive.commit_by(step_and_next(step, history, prepared.toolset, facts))
