"""Asking the model for the next step: one attempt, then its commit, its retry, or its error."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from msgspec import UNSET, structs

from perdure.agent.attempt_output import AttemptOutput
from perdure.agent.compaction.size import may_compact
from perdure.agent.decision import Facts
from perdure.agent.generate import Answer, generate
from perdure.agent.history import History
from perdure.agent.models import OVERLOADS, next_fallback, switch
from perdure.agent.notices import notice, unheard
from perdure.agent.prepare import Prepared
from perdure.agent.toolset import Toolset
from perdure.core.action import CallKind
from perdure.core.card import CardChange
from perdure.core.errors import HookDispatchFailed, ProviderFailure
from perdure.core.failure import ChatError, ErrorKind
from perdure.core.message import NewMessage, ToolCall
from perdure.core.timing import GENERATE_CAP
from perdure.machine.transitions import Abandon, CommitStep, FinishError, RecordGenerationAttempt, RecordRetryState
from perdure.providers.errors.classification import ClassifiedError, classify
from perdure.providers.errors.failures import DeadlinePassed
from perdure.providers.errors.retry import final_error, may_retry, retry_state
from perdure.worker.duties.background_response import ResponseGone, background_response
from perdure.worker.duties.following import or_failed, step_and_next
from perdure.worker.duties.hooking import Usable, before_tools
from perdure.worker.outcomes import Carried, Committed, Failed, Interrupted, Outcome, Overflowed, Unanswered
from perdure.worker.owned_chat import OwnedChat, gave_up


async def generate_step(owned: OwnedChat, facts: Facts, carried: Carried) -> Outcome:
    """One attempt at the next answer."""
    reached = owned.services.crash_points.reached
    prepared, history = await owned.prepared(), await owned.history()
    reached("generate.prepared")
    await owned.begin_attempt(facts.worst_case)
    reached("generate.attempt_recorded")
    output = owned.show()
    reached("generate.taken_off")
    answer = await _answer(owned, prepared, history, output)
    match answer:
        case Answer():
            reached("generate.answered")
        case ClassifiedError():
            spent = owned.pay_for_attempt(prepared, history)
            owned.hide()
            return await _failed(owned, answer, spent, carried)
        case Interrupted() | Unanswered():
            return answer
    introduced = _introduced(answer, prepared, history, owned.chat.turn)
    try:
        hooked = await before_tools(owned, Usable(prepared.toolset, facts.policies), introduced.messages)
    except HookDispatchFailed as error:
        return await _unheard(owned, history, answer.cost or 0, error, carried)
    kinds = await _kinds(owned, prepared.toolset, introduced.messages[0])
    step = _step(replace(introduced, messages=hooked.messages), kinds, carried.owed)
    after = replace(facts, over_threshold=False, overflowed=False, journal={})
    bundle = step_and_next(step, history, prepared.toolset, after)
    if not any(isinstance(part, ToolCall) for part in introduced.messages[0].parts):
        await owned.services.tools.ends(owned.chat.id)
    await owned.commit_by(or_failed(bundle, step, hooked.failure), fence=owned.fence(attempt=True))
    owned.services.budgets.settle(history.card, owned.owner.worker_id, answer.cost or 0)
    reached("generate.committed")
    owned.hide()
    reached("generate.landed")
    return Committed(settled=True, calls_of=owned.chat.last_assistant)


async def _unheard(
    owned: OwnedChat, history: History, spent: int, error: HookDispatchFailed, carried: Carried
) -> Outcome:
    """End the turn without the answer, which was paid for: trying again asks the model and the hook again."""
    await owned.commit(FinishError(unheard(error), spent + carried.owed), Abandon(), fence=owned.fence(attempt=True))
    owned.services.budgets.settle(history.card, owned.owner.worker_id, spent)
    owned.hide()
    return Committed(settled=True)


async def _answer(
    owned: OwnedChat, prepared: Prepared, history: History, output: AttemptOutput
) -> Answer | ClassifiedError | Interrupted | Unanswered:
    """What the model answers, or what came instead."""
    moved_on = owned.moved_on_from(owned.chat)
    try:
        return await _asked(owned, prepared, history, output)
    except asyncio.CancelledError:
        if not moved_on():
            raise
        return Interrupted(owned.pay_for_attempt(prepared, history))
    except ResponseGone:
        owned.hide()
        return Unanswered()
    except ProviderFailure as failure:
        return classify(failure)
    except TimeoutError:
        return classify(DeadlinePassed(), prepared.model.route.provider)


async def _asked(owned: OwnedChat, prepared: Prepared, history: History, output: AttemptOutput) -> Answer:
    services = owned.services
    with owned.asking(history, "answer"):
        async with asyncio.timeout(GENERATE_CAP.total_seconds()), background_response(owned, prepared) as given:
            return await generate(
                services.client,
                prepared,
                history,
                output,
                services.clock,
                given=given,
                reached=services.crash_points.reached,
            )


def _introduced(answer: Answer, prepared: Prepared, history: History, turn: int) -> Answer:
    """The answer, with a word about its model where people chose another. Once a turn is enough."""
    said = prepared.model.notice
    if said is None or history.steps(turn):
        return answer
    return replace(answer, messages=(*answer.messages, notice("model_replaced", said)))


async def _kinds(owned: OwnedChat, toolset: Toolset, answer: NewMessage) -> Mapping[str, CallKind]:
    """Who answers which call. A chat that has begun to plan hands nothing to its client any more."""
    kinds = toolset.kinds()
    calls = [part.tool for part in answer.parts if isinstance(part, ToolCall)]
    handed = any(kinds.get(tool) is CallKind.CLIENT for tool in calls)
    if handed and await owned.services.family.planning(owned.chat.id):
        return {tool: kind for tool, kind in kinds.items() if kind is not CallKind.CLIENT}
    return kinds


def _step(answer: Answer, kinds: Mapping[str, CallKind], owed: int) -> CommitStep:
    usage, spent = answer.finish.usage, (answer.cost or 0) + owed
    limit = answer.messages[0].context_limit
    card = CardChange(
        cost=spent,
        unpriced_calls=0 if answer.cost is not None else 1,
        context_tokens=usage.input + usage.output if usage else UNSET,
        context_limit=UNSET if limit is None else limit,
    )
    return CommitStep(messages=answer.messages, call_kinds=kinds, spend=spent, card=card)


async def _failed(owned: OwnedChat, error: ClassifiedError, spent: int, carried: Carried) -> Outcome:
    """Compact, try again later, or stop: whatever the error calls for."""
    owned.services.crash_points.reached("generate.failed")
    if error.kind is ErrorKind.CONTEXT_OVERFLOW and may_compact(await owned.history()):
        return Overflowed(owned.chat.history_version, spent)
    attempt = owned.chat.generation_attempt
    exhausted, overloaded = owned.exhausted, error.kind is ErrorKind.OVERLOADED
    given_up = exhausted or (overloaded and carried.overloads + 1 >= OVERLOADS)
    if error.retryable and given_up and await _handed_on(owned):
        return Failed(spent)
    if may_retry(error) and not exhausted:
        state = retry_state(error, attempt=attempt, now=owned.services.clock.now())
        await owned.commit(RecordRetryState(state))
        owned.services.crash_points.reached("generate.retry_recorded")
        return Failed(spent, overloaded)
    final = _final(error, exhausted=exhausted and error.retryable)
    await owned.commit(FinishError(final, carried.owed + spent), Abandon())
    owned.services.crash_points.reached("generate.given_up")
    return Committed(settled=True)


def _final(error: ClassifiedError, *, exhausted: bool) -> ChatError:
    told = final_error(error)
    return structs.replace(told, detail=gave_up(told.detail)) if exhausted else told


async def _handed_on(owned: OwnedChat) -> bool:
    """Whether another model takes the turn over."""
    prepared, history = await owned.prepared(), await owned.history()
    unable = prepared.model
    able = await next_fallback(owned.services.preparation.models, history.card, unable, unable.settings.effort)
    if able is None:
        return False
    await owned.commit(CommitStep(messages=(switch(unable, able),)), RecordGenerationAttempt())
    owned.forget_preparation()
    return True


async def wait_for_retry(owned: OwnedChat) -> Outcome:
    """Wait until the time that clients were told, then try again. A replica that leaves lets another wait."""
    if owned.leaving:
        return Unanswered()
    state = owned.chat.retry_state
    assert state is not None
    # Whoever set the time may have another clock than ours: nobody waits longer than was said.
    left = min(state.retrying_at - owned.services.clock.now(), timedelta(milliseconds=state.delay_ms))
    await owned.services.clock.sleep(max(left, timedelta()).total_seconds())
    await owned.next_attempt(owned.chat.budget_reserved)
    return Unanswered()
