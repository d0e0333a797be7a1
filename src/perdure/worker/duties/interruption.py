"""Ending an interruption: what there is of the answer is kept, every call is answered, the chat rests or goes on."""

import logging
from collections.abc import Callable, Sequence

from perdure.agent.flight import INTERRUPTED, OUTCOME_UNKNOWN, interrupted, partial_answer
from perdure.agent.notices import notice
from perdure.agent.partial_cost import partial_cost
from perdure.core.card import CardChange
from perdure.core.chat import Chat, OpenCall
from perdure.core.deltas import Accumulator, ToolResultDelta
from perdure.core.errors import ProviderFailure, TransitionNotAllowed
from perdure.core.message import NewMessage, Role
from perdure.core.parts import AnyPart, ToolResult
from perdure.machine.transitions import Transition
from perdure.machine.transitions.endings import FinishInterruption
from perdure.providers.projection.step import repair_step
from perdure.worker.drive import Drive
from perdure.worker.duties.following import after_turn

LOST_PARTIAL = "The partial answer could not be kept."
_log = logging.getLogger(__name__)


async def finish_interruption(drive: Drive) -> None:
    """Commit the partial answer and whatever its calls came to."""
    # Before the parent rests: whoever goes on with an interruption that was cut off stops them as well.
    await drive.kit.family.stop_all(drive.chat.id)
    await _end_calls(drive)
    partial, spent = await _partial(drive)
    calls, message = drive.chat.open_calls, drive.chat.last_assistant
    drive.kit.points.reached("interruption.gathered")
    try:
        await drive.commit_by(_bundle(partial, spent))
    except TransitionNotAllowed:
        _log.exception("a partial answer was not fit to be kept")
        await drive.commit_by(_bundle((*await _answers(drive), notice("partial_lost", LOST_PARTIAL)), spent))
    drive.owed = 0
    drive.forget(calls, message)
    drive.kit.points.reached("interruption.committed")
    drive.land()


async def give_up_partial(drive: Drive) -> None:
    """End an interruption whose partial answer cannot be had: nothing is asked of anybody but the row itself."""
    now = drive.kit.clock.now()
    answers = [interrupted(call.call_id, call.tool, now=now, text=OUTCOME_UNKNOWN) for call in drive.chat.open_calls]
    await drive.commit_by(_bundle((*answers, notice("partial_lost", LOST_PARTIAL)), drive.owed))
    drive.owed = 0
    drive.land()


async def _end_calls(drive: Drive) -> None:
    """Stop means stop: also what a replica that is gone had started, and nobody here waits for."""
    chat = drive.chat
    entries = await drive.kit.journal.load(chat.id, chat.last_assistant) if chat.open_calls else ()
    started = {(entry.index, entry.run) for entry in entries if entry.state == "started"}
    open_calls = [call for call in chat.open_calls if (call.index, call.run) in started]
    if open_calls:
        await drive.kit.tools.end(chat, (await drive.history()).card, open_calls)


def _bundle(partial: tuple[NewMessage, ...], spent: int) -> Callable[[Chat], Sequence[Transition]]:
    def bundle(chat: Chat) -> Sequence[Transition]:
        return FinishInterruption(partial, spent, CardChange(cost=spent) if spent else None), *after_turn(chat)

    return bundle


async def _partial(drive: Drive) -> tuple[tuple[NewMessage, ...], int]:
    """What is kept, and what it cost."""
    if drive.chat.open_calls:
        return await _answers(drive), drive.owed
    parts, _ = await _in_flight(drive)
    if not drive.owed:
        await _owe(drive, parts)
    stamp = NewMessage(role=Role.ASSISTANT, parts=(), model=(await drive.history()).card.model, cost=drive.owed or None)
    return partial_answer(repair_step(parts), stamp, drive.kit.clock.now()), drive.owed


async def _owe(drive: Drive, parts: Sequence[AnyPart]) -> None:
    """Count what an answer cost that nobody has counted: a predecessor's, or one that was about to be committed."""
    history = await drive.history()
    try:
        model = await drive.kit.preparation.models.resolve(history.card, history.card.model, None)
    except ProviderFailure:
        return
    drive.owed = partial_cost(model, history, parts) or 0
    drive.kit.purses.settle(history.card, drive.owner.worker_id, drive.owed)


async def _answers(drive: Drive) -> tuple[NewMessage, ...]:
    """A result for every open call: its own where it finished, otherwise that it was interrupted."""
    _, results = await _in_flight(drive)
    entries = {entry.index: entry for entry in await drive.kit.journal.load(drive.chat.id, drive.chat.last_assistant)}
    answers: list[NewMessage] = []
    for call in drive.chat.open_calls:
        entry = entries.get(call.index)
        if call.call_id in results:
            answers.append(NewMessage(role=Role.TOOL, parts=(results[call.call_id],)))
        elif entry is not None and entry.run == call.run and entry.state == "finished":
            answers.append(_finished(call, entry.result or "", is_error=entry.is_error))
        else:
            unknown = entry is not None and entry.run == call.run and entry.effect == "once"
            text = OUTCOME_UNKNOWN if unknown else INTERRUPTED
            answers.append(interrupted(call.call_id, call.tool, now=drive.kit.clock.now(), text=text))
    return tuple(answers)


def _finished(call: OpenCall, result: str, *, is_error: bool) -> NewMessage:
    return NewMessage(role=Role.TOOL, parts=(ToolResult(call.call_id, call.tool, result, is_error=is_error),))


async def _in_flight(drive: Drive) -> tuple[tuple[AnyPart, ...], dict[str, ToolResult]]:
    """What this runner had in flight, or what its predecessor had stored of it."""
    flight = drive.flight
    if flight is not None and flight.episode.key == drive.key:
        return flight.parts, flight.results
    pieces = await drive.kit.segments.load(drive.key)
    answer = Accumulator(piece.delta for piece in pieces if piece.role is Role.ASSISTANT)
    tools = [piece.delta for piece in pieces if piece.role is Role.TOOL and isinstance(piece.delta, ToolResultDelta)]
    finished = {delta.index for delta in tools if delta.done}
    results = Accumulator(delta for delta in tools if delta.index in finished).parts()
    return answer.parts(), {part.call_id: part for part in results if isinstance(part, ToolResult)}
