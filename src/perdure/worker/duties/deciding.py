"""What a chat needs next, by its row, its history and the journal; and the duty that does it."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from perdure.agent.decide import decide
from perdure.agent.decision import Compact, Decision, Facts, Finish, Generate, Park, RefuseBatch, RunTools
from perdure.agent.facts import facts_of, next_prompt
from perdure.agent.journaling import doubted, uncertain, unrecorded
from perdure.core.action import ActionKind, Breach
from perdure.store.journal import Entry
from perdure.worker.duties.compact import compact_history
from perdure.worker.duties.ending import finish, park, wait_for_agents
from perdure.worker.duties.generate import generate_step
from perdure.worker.duties.run_tools import refuse_batch, run_tools
from perdure.worker.outcomes import Carried, Outcome
from perdure.worker.owned_chat import OwnedChat

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Decided:
    """What is to be done, and what it was decided by."""

    decision: Decision
    facts: Facts
    entries: Sequence[Entry]
    """What the journal knows about the open calls."""


async def decided_for(owned: OwnedChat, carried: Carried) -> Decided:
    """What the chat needs next."""
    entries = await _entries(owned, carried)
    facts = await _facts(owned, carried, entries)
    prepared, history = await owned.prepared(), await owned.history()
    owned.services.crash_points.reached("runner.decided")
    return Decided(decide(owned.chat, history, prepared.toolset, facts), facts, entries)


async def carry_out(owned: OwnedChat, decided: Decided, carried: Carried) -> Outcome:
    match decided.decision:
        case Generate():
            return await generate_step(owned, decided.facts, carried)
        case RunTools() as decision:
            return await run_tools(owned, decision, decided.facts, decided.entries)
        case RefuseBatch() as decision:
            return await refuse_batch(owned, decision, decided.facts)
        case Park(ActionKind.CHILDREN, (call, *_)):
            return await wait_for_agents(owned, call, decided.facts)
        case Park() as decision:
            return await park(owned, decision)
        case Finish(ending):
            return await finish(owned, ending)
        case Compact() as decision:
            return await compact_history(owned, decision, decided.facts)


async def _entries(owned: OwnedChat, carried: Carried) -> Sequence[Entry]:
    """What the journal knows about the open calls. Nothing, where they came with this runner's last step."""
    chat = owned.chat
    if not chat.open_calls or carried.calls_of == chat.last_assistant:
        return ()
    journal = owned.services.journal
    entries = await journal.load(chat.id, chat.last_assistant)
    unheard_of = unrecorded(entries, chat.open_calls, (await owned.prepared()).toolset)
    if not unheard_of:
        return entries
    lost = uncertain(unheard_of, await journal.failover(chat.id, chat.last_assistant))
    if not lost:
        return entries
    _log.warning("a failover may have lost that calls of chat %s were started: its people are asked", chat.id)
    return (*entries, *map(doubted, lost))


async def _facts(owned: OwnedChat, carried: Carried, entries: Sequence[Entry]) -> Facts:
    chat, prepared, history = owned.chat, await owned.prepared(), await owned.history()
    prompt = next_prompt(history, prepared)
    return facts_of(
        chat,
        history,
        prepared,
        prompt=prompt,
        entries=entries,
        overflowed=carried.overflowed_at == chat.history_version,
        over_budget=None if chat.open_calls else await _breach(owned, prompt.worst_case),
    )


async def _breach(owned: OwnedChat, worst_case: int) -> Breach | None:
    """The budget that the next model call does not fit."""
    card, services = (await owned.history()).card, owned.services
    limits = (await services.preparation.sources.rules(card)).limits
    return await services.budgets.reserve(owned.chat, card, limits, owned.owner.worker_id, worst_case)
