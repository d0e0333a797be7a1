"""Asking the model for the next step: one attempt, then its commit, its retry, or its error."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from perdure.agent.compaction.size import may_compact
from perdure.agent.decide import Facts
from perdure.agent.generate import Answer, generate
from perdure.core.chat import CallKind
from perdure.core.errors import ProviderFailure
from perdure.core.failure import ErrorKind
from perdure.core.timing import ATTEMPT_LIMIT, GENERATE_CAP
from perdure.machine.change import CardChange
from perdure.machine.transitions.endings import FinishError
from perdure.machine.transitions.ownership import Abandon
from perdure.machine.transitions.steps import CommitStep, RecordRetryState
from perdure.providers.errors.classification import ClassifiedError, classify
from perdure.providers.errors.retry import final_error, may_retry, retry_state
from perdure.worker.drive import Drive
from perdure.worker.duties.following import step_and_next


async def generate_step(drive: Drive, facts: Facts) -> None:
    """One attempt at the next answer."""
    reached = drive.kit.points.reached
    prepared, history = await drive.prepared(), await drive.history()
    reached("generate.prepared")
    await drive.begin_attempt()
    reached("generate.attempt_recorded")
    flight = drive.take_off()
    reached("generate.taken_off")
    try:
        async with asyncio.timeout(GENERATE_CAP.total_seconds()):
            answer = await generate(drive.kit.client, prepared, history, flight, drive.kit.clock, reached=reached)
    except ProviderFailure as failure:
        drive.land()
        await _failed(drive, classify(failure))
        return
    except TimeoutError as error:
        drive.land()
        await _failed(drive, replace(classify(error, prepared.model.route.provider), retryable=False))
        return
    reached("generate.answered")
    drive.overflowed = False
    step = _step(answer, prepared.toolset.kinds())
    after = replace(facts, over_threshold=False, overflowed=False, journal={})
    await drive.commit_by(step_and_next(step, history, prepared.toolset, after), fence=drive.fence(attempt=True))
    drive.calls_seen = drive.chat.last_assistant
    reached("generate.committed")
    drive.land()
    reached("generate.landed")


def _step(answer: Answer, kinds: Mapping[str, CallKind]) -> CommitStep:
    usage = answer.finish.usage
    card = CardChange(
        cost=answer.cost or 0,
        unpriced_calls=0 if answer.cost is not None else 1,
        context_tokens=usage.input + usage.output if usage else None,
        context_limit=answer.messages[0].context_limit,
    )
    return CommitStep(messages=answer.messages, call_kinds=kinds, spend=answer.cost or 0, card=card)


async def _failed(drive: Drive, error: ClassifiedError) -> None:
    """Compact, try again later, or stop: whatever the error calls for."""
    drive.kit.points.reached("generate.failed")
    if error.kind is ErrorKind.CONTEXT_OVERFLOW and may_compact(await drive.history()):
        drive.overflowed = True
        return
    attempt = drive.chat.generation_attempt
    if may_retry(error) and attempt < ATTEMPT_LIMIT:
        state = retry_state(error, attempt=attempt, now=drive.kit.clock.now())
        await drive.commit(RecordRetryState(state))
        drive.kit.points.reached("generate.retry_recorded")
        return
    told = final_error(error)
    await drive.commit(FinishError(told), Abandon())


async def wait_for_retry(drive: Drive) -> None:
    """Wait until the time that clients were told, then try again."""
    state = drive.chat.retry_state
    assert state is not None
    left = state.retrying_at - drive.kit.clock.now()
    if left > timedelta():
        await drive.kit.clock.sleep(left.total_seconds())
    await drive.next_attempt()
