"""Ending a turn, or parking its chat, where no step did it."""

from perdure.agent.decide import Ending, Park
from perdure.agent.notices import notice
from perdure.core.message import Kind
from perdure.machine.transitions.endings import FinishError
from perdure.machine.transitions.ownership import Abandon
from perdure.machine.transitions.steps import CommitStep, RecordGenerationAttempt
from perdure.worker.duties.following import BUDGET_REACHED, after_turn, end_of_turn, finished, parked
from perdure.worker.duties.hooking import at_the_end
from perdure.worker.outcomes import Committed, Outcome
from perdure.worker.owned_chat import OwnedChat


async def park(owned: OwnedChat, decision: Park) -> Outcome:
    """Wait for somebody, and hold nothing meanwhile."""
    history = await owned.history()
    if decision.breach is not None and history.card.parent_id is not None:
        # A child asks nobody for money: its parent hears of it, and asks when it wants to go on itself.
        await owned.commit(FinishError(BUDGET_REACHED), Abandon())
    else:
        await owned.commit(parked(decision, history))
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
