"""Compacting the history, shown to people while it happens."""

import logging
from dataclasses import replace
from functools import partial
from uuid import uuid4

import msgspec

from perdure.agent.compaction.compact import TOOL_NAME, Job, compact
from perdure.agent.compaction.summary import Summariser
from perdure.agent.decision import Compact, Facts, Source
from perdure.agent.history import History
from perdure.agent.models import ResolvedModel
from perdure.agent.notices import rows
from perdure.agent.prepare import Prepared
from perdure.config.hooks import HookEvent
from perdure.core.card import CardChange
from perdure.core.chat import Chat
from perdure.core.deltas import ToolCallDelta
from perdure.core.message import Kind, ToolCall
from perdure.machine.transitions import CommitStep
from perdure.providers.model import cost
from perdure.worker.duties.following import or_left_alone, step_and_next
from perdure.worker.duties.hooking import around_compaction
from perdure.worker.outcomes import Committed, Outcome
from perdure.worker.owned_chat import OwnedChat

_log = logging.getLogger(__name__)


async def compact_history(owned: OwnedChat, decision: Compact, facts: Facts) -> Outcome:
    """Summarise what is old, and commit only what is proven to be smaller."""
    prepared, history = await owned.prepared(), await owned.history()
    await owned.begin_attempt(facts.worst_case)
    owned.services.crash_points.reached("compact.attempt_recorded")
    output = owned.show()
    args = msgspec.json.encode({"source": decision.source.value}).decode()
    call = ToolCall(f"compact_{uuid4().hex[:12]}", TOOL_NAME, args, created_at=owned.services.clock.now())
    output.answer([ToolCallDelta(0, call.call_id, TOOL_NAME, args)])
    model = _summariser(prepared)
    job = _job(prepared, history, decision.source, call)
    guidance = await around_compaction(owned, HookEvent.PRE_COMPACT, {"source": decision.source.value})
    # How far it is, not what it says: a summary is for the model alone.
    progress = partial(output.progress, 0, call, afresh=True)
    summariser = Summariser(
        owned.services.client,
        model,
        prepared.beginning(history),
        progress,
        frame=prepared.frame,
        guidance=guidance.contexts,
    )
    with owned.asking(history, "compaction"):
        compaction = await compact(job, summariser, owned.services.clock)
    owned.services.crash_points.reached("compact.summarised")
    output.result(0, compaction.result)
    payload = {"source": decision.source.value, "result": compaction.result.result}
    added = rows(await around_compaction(owned, HookEvent.POST_COMPACT, payload), Kind.CONTEXT)
    price = model.route.model.price
    paid = cost(compaction.usage, price) if price else 0
    step = CommitStep(
        messages=(*compaction.messages, *added),
        consume_compaction=decision.source is Source.MANUAL,
        spend=paid,
        card=CardChange(cost=paid),
    )
    after = replace(facts, over_threshold=False, overflowed=False, compactable=False)
    bundle = step_and_next(step, history, prepared.toolset, after)
    if decision.source is Source.MANUAL and _woken_for_it(owned.chat):
        bundle = or_left_alone(bundle, step)
    await owned.commit_by(bundle, fence=owned.fence(attempt=True))
    owned.services.budgets.settle(history.card, owned.owner.worker_id, paid)
    owned.services.crash_points.reached("compact.committed")
    owned.hide()
    return Committed()


def _woken_for_it(chat: Chat) -> bool:
    """Whether a chat at rest, perhaps after an error, went to work only to be compacted."""
    asked, began = chat.compaction_requested_at, chat.turn_began_at
    return not chat.continuing and asked is not None and began is not None and asked <= began


def _job(prepared: Prepared, history: History, source: Source, call: ToolCall) -> Job:
    return Job(
        history=history,
        frame=prepared.frame,
        window=prepared.window,
        threshold=prepared.model.threshold,
        source=source,
        call=call,
    )


def _summariser(prepared: Prepared) -> ResolvedModel:
    wanted = prepared.rules.summary_model
    if wanted is not None and prepared.summarising is None:
        _log.warning("the model for summaries cannot be used: %s", wanted)
    return prepared.summariser
