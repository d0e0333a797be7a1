"""Asking the model for the next step: one attempt, then its commit, its retry, or its error."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from msgspec import UNSET, structs

from perdure.agent.compaction.size import may_compact
from perdure.agent.decide import Facts
from perdure.agent.flight import Flight
from perdure.agent.generate import Answer, generate
from perdure.agent.history import History
from perdure.agent.notices import notice
from perdure.agent.prepare import Prepared
from perdure.agent.stand_ins import OVERLOADS, next_in_line, switch
from perdure.core.card import CardChange
from perdure.core.chat import CallKind
from perdure.core.errors import ProviderFailure
from perdure.core.failure import ChatError, ErrorKind
from perdure.core.timing import ATTEMPT_LIMIT, GENERATE_CAP
from perdure.machine.transitions.endings import FinishError
from perdure.machine.transitions.ownership import Abandon
from perdure.machine.transitions.steps import CommitStep, RecordGenerationAttempt, RecordRetryState
from perdure.providers.errors.classification import ClassifiedError, classify
from perdure.providers.errors.failures import DeadlinePassed
from perdure.providers.errors.retry import final_error, may_retry, retry_state
from perdure.worker.drive import Drive, gave_up
from perdure.worker.duties.following import or_failed, step_and_next
from perdure.worker.duties.hooking import before_tools
from perdure.worker.duties.outliving import ResponseGone, outliving


async def generate_step(drive: Drive, facts: Facts) -> None:
    """One attempt at the next answer."""
    reached = drive.kit.points.reached
    prepared, history = await drive.prepared(), await drive.history()
    reached("generate.prepared")
    await drive.begin_attempt(facts.worst_case)
    reached("generate.attempt_recorded")
    flight = drive.take_off()
    reached("generate.taken_off")
    answer = await _answer(drive, prepared, history, flight)
    if answer is None:
        return
    reached("generate.answered")
    drive.overloads = 0
    introduced = _introduced(answer, prepared, history, drive.chat.turn)
    hooked = await before_tools(drive, introduced.messages)
    step = _step(replace(introduced, messages=hooked.messages), prepared.toolset.kinds(), drive.owed)
    after = replace(facts, over_threshold=False, overflowed=False, journal={})
    bundle = step_and_next(step, history, prepared.toolset, after)
    await drive.commit_by(or_failed(bundle, step, hooked.failure), fence=drive.fence(attempt=True))
    drive.owed = 0
    drive.kit.purses.settle(history.card, drive.owner.worker_id, answer.cost or 0)
    drive.calls_seen = drive.chat.last_assistant
    reached("generate.committed")
    drive.land()
    reached("generate.landed")


async def _answer(drive: Drive, prepared: Prepared, history: History, flight: Flight) -> Answer | None:
    """What the model answers, or None where what went wrong is seen to."""
    moved_on = drive.moved_on_from(drive.chat)
    try:
        return await _asked(drive, prepared, history, flight)
    except asyncio.CancelledError:
        if moved_on():
            drive.cut_short(prepared, history)
        raise
    except ResponseGone:
        drive.land()
        return None
    except ProviderFailure as failure:
        error = classify(failure)
    except TimeoutError:
        error = classify(DeadlinePassed(), prepared.model.route.provider)
    drive.cut_short(prepared, history)
    drive.land()
    await _failed(drive, error)
    return None


async def _asked(drive: Drive, prepared: Prepared, history: History, flight: Flight) -> Answer:
    kit = drive.kit
    with drive.asking(history, "answer"):
        async with asyncio.timeout(GENERATE_CAP.total_seconds()), outliving(drive, prepared) as given:
            return await generate(
                kit.client, prepared, history, flight, kit.clock, given=given, reached=kit.points.reached
            )


def _introduced(answer: Answer, prepared: Prepared, history: History, turn: int) -> Answer:
    """The answer, with a word about its model where people chose another. Once a turn is enough."""
    said = prepared.model.notice
    if said is None or history.steps(turn):
        return answer
    return replace(answer, messages=(*answer.messages, notice("model_replaced", said)))


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


async def _failed(drive: Drive, error: ClassifiedError) -> None:
    """Compact, try again later, or stop: whatever the error calls for."""
    drive.kit.points.reached("generate.failed")
    if error.kind is ErrorKind.CONTEXT_OVERFLOW and may_compact(await drive.history()):
        drive.overflowed_at = drive.chat.history_version
        return
    attempt = drive.chat.generation_attempt
    exhausted = attempt >= ATTEMPT_LIMIT
    drive.overloads = drive.overloads + 1 if error.kind is ErrorKind.OVERLOADED else 0
    if error.retryable and (exhausted or drive.overloads >= OVERLOADS) and await _handed_on(drive):
        return
    if may_retry(error) and not exhausted:
        state = retry_state(error, attempt=attempt, now=drive.kit.clock.now())
        await drive.commit(RecordRetryState(state))
        drive.kit.points.reached("generate.retry_recorded")
        return
    final = _final(error, exhausted=exhausted and error.retryable)
    await drive.commit(FinishError(final, drive.owed), Abandon())


def _final(error: ClassifiedError, *, exhausted: bool) -> ChatError:
    told = final_error(error)
    return structs.replace(told, detail=gave_up(told.detail)) if exhausted else told


async def _handed_on(drive: Drive) -> bool:
    """Whether another model takes the turn over."""
    prepared, history = await drive.prepared(), await drive.history()
    unable = prepared.model
    able = await next_in_line(drive.kit.preparation.models, history.card, unable, unable.settings.effort)
    if able is None:
        return False
    await drive.commit(CommitStep(messages=(switch(unable, able),)), RecordGenerationAttempt())
    drive.overloads = 0
    drive.forget_preparation()
    return True


async def wait_for_retry(drive: Drive) -> None:
    """Wait until the time that clients were told, then try again. A replica that leaves lets another wait."""
    if drive.leaving:
        return
    state = drive.chat.retry_state
    assert state is not None
    # Whoever set the time may have another clock than ours: nobody waits longer than was said.
    left = min(state.retrying_at - drive.kit.clock.now(), timedelta(milliseconds=state.delay_ms))
    drive.resting = True
    try:
        await drive.kit.clock.sleep(max(left, timedelta()).total_seconds())
    finally:
        drive.resting = False
    await drive.next_attempt(drive.chat.budget_reserved)
