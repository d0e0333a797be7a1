"""Ending an interruption: what there is of the answer is kept, every call is answered, the chat rests or goes on."""

import logging
from collections.abc import Callable, Iterator, Sequence
from uuid import UUID

from perdure.agent.attempt_output import INTERRUPTED, OUTCOME_UNKNOWN, interrupted, partial_answer, partial_cost
from perdure.agent.compaction.compact import TOOL_NAME as SUMMARY
from perdure.agent.models import ResolvedModel
from perdure.agent.notices import notice
from perdure.core.action import OpenCall
from perdure.core.chat import Chat
from perdure.core.deltas import Accumulator, ToolResultDelta
from perdure.core.errors import Fenced, ProviderFailure, TransitionNotAllowed
from perdure.core.ids import FileId
from perdure.core.message import AnyPart, Media, NewMessage, Role, ToolCall, ToolResult
from perdure.machine.planning import FILES_LIMIT
from perdure.machine.transitions import FinishInterruption, Transition
from perdure.providers.projection.step import repair_step
from perdure.store.journal import CallRun
from perdure.worker.duties.ending import end_runs
from perdure.worker.duties.following import after_turn
from perdure.worker.duties.run_tools import fitting
from perdure.worker.outcomes import Committed, Interrupted, Outcome
from perdure.worker.owned_chat import OwnedChat

LOST_PARTIAL = "The partial answer could not be kept."
_log = logging.getLogger(__name__)


async def finish_interruption(owned: OwnedChat, owed: int) -> Outcome:
    """Commit the partial answer and whatever its calls came to."""
    # Before the parent rests: whoever goes on with an interruption that was cut off stops them as well.
    await owned.services.family.stop_all(owned.chat.id)
    await _end_calls(owned)
    partial, spent = await _partial(owned, owed)
    calls, message = owned.chat.open_calls, owned.chat.last_assistant
    owned.services.crash_points.reached("interruption.gathered")
    try:
        await _commit(owned, partial, spent)
    except Fenced:
        return Interrupted(spent - owed)
    owned.forget(calls, message)
    owned.services.crash_points.reached("interruption.committed")
    owned.hide()
    return Committed(settled=True)


async def _commit(owned: OwnedChat, partial: Sequence[NewMessage], spent: int) -> None:
    try:
        await owned.commit_by(_bundle(partial, spent))
    except TransitionNotAllowed:
        _log.exception("a partial answer was not fit to be kept")
        await owned.commit_by(_bundle((*await _answers(owned), notice("partial_lost", LOST_PARTIAL)), spent))


async def give_up_partial(owned: OwnedChat, owed: int) -> Outcome:
    """End an interruption whose partial answer cannot be had: nothing is asked of anybody but the row itself."""
    now = owned.services.clock.now()
    answers = [interrupted(call.call_id, call.tool, now=now, text=OUTCOME_UNKNOWN) for call in owned.chat.open_calls]
    await owned.commit_by(_bundle((*answers, notice("partial_lost", LOST_PARTIAL)), owed))
    owned.hide()
    return Committed(settled=True)


async def _end_calls(owned: OwnedChat) -> None:
    """Stop means stop: also what a replica that is gone had started, and nobody here waits for."""
    chat = owned.chat
    entries = await owned.services.journal.load(chat.id, chat.last_assistant)
    still_open = {(call.index, call.run) for call in chat.open_calls}
    # What asked a person has its result already, and its executor waits for the answer.
    left = [
        entry
        for entry in entries
        if entry.state == "started" and (entry.handle is not None or (entry.index, entry.run) in still_open)
    ]
    calls = (await owned.history()).calls(chat.last_assistant) if left else ()
    await end_runs(
        owned,
        [
            (CallRun(chat.id, chat.last_assistant, entry.index, entry.run), calls[entry.index].tool, entry.handle)
            for entry in left
            if entry.index < len(calls)
        ],
    )


def _bundle(partial: Sequence[NewMessage], spent: int) -> Callable[[Chat], Sequence[Transition]]:
    """What is kept, with the files that finished calls handed over, as far as the chat has room for them."""
    files = tuple(FileId(UUID(media.file_id)) for message in partial for media in _media(message))

    def bundle(chat: Chat) -> Sequence[Transition]:
        messages, linked = fitting(tuple(partial), files, FILES_LIMIT - chat.made_file_count)
        return FinishInterruption(messages, spent, linked), *after_turn(chat)

    return bundle


def _media(message: NewMessage) -> Iterator[Media]:
    for part in message.parts:
        if isinstance(part, ToolResult):
            yield from part.media


async def _partial(owned: OwnedChat, owed: int) -> tuple[tuple[NewMessage, ...], int]:
    """What is kept, and what it cost."""
    if owned.chat.open_calls:
        return await _answers(owned), owed
    parts, _ = await _in_flight(owned)
    history, model = await owned.history(), await _model(owned)
    if model is not None and not owed:
        # Nobody has counted it: a predecessor's, or one that was about to be committed.
        owed = partial_cost(model, history, parts) or 0
        owned.services.budgets.settle(history.card, owned.owner.worker_id, owed)
    stamp = NewMessage(
        role=Role.ASSISTANT,
        parts=(),
        model=model.name if model else history.card.model,
        effort=model.settings.effort if model else None,
        context_limit=model.window if model else None,
        runtime_ms=_runtime(owned),
        cost=owed or None,
    )
    return partial_answer(repair_step(_spoken(parts)), stamp, owned.services.clock.now()), owed


def _runtime(owned: OwnedChat) -> int | None:
    """How long the answer took until it was stopped; what a predecessor had in flight, nobody timed."""
    output = owned.output
    return output.runtime_ms if output is not None and output.episode.key == owned.key else None


def _spoken(parts: Sequence[AnyPart]) -> Sequence[AnyPart]:
    """What the model said. A compaction that is shown is no call of its own, and half a summary is none."""
    return [part for part in parts if not (isinstance(part, ToolCall) and part.tool == SUMMARY)]


async def _model(owned: OwnedChat) -> ResolvedModel | None:
    """The model that was answering, if it can still be named."""
    try:
        return await owned.services.preparation.model(await owned.history(), owned.chat.turn)
    except ProviderFailure:
        return None


async def _answers(owned: OwnedChat) -> tuple[NewMessage, ...]:
    """A result for every open call: its own where it finished, otherwise that it was interrupted."""
    _, results = await _in_flight(owned)
    entries = {
        entry.index: entry for entry in await owned.services.journal.load(owned.chat.id, owned.chat.last_assistant)
    }
    answers: list[NewMessage] = []
    for call in owned.chat.open_calls:
        entry = entries.get(call.index)
        if call.call_id in results:
            answers.append(NewMessage(role=Role.TOOL, parts=(results[call.call_id],)))
        elif entry is not None and entry.run == call.run and entry.state == "finished":
            answers.append(_finished(call, entry.result or "", is_error=entry.is_error))
        else:
            unknown = entry is not None and entry.run == call.run and entry.effect == "once"
            text = OUTCOME_UNKNOWN if unknown else INTERRUPTED
            answers.append(interrupted(call.call_id, call.tool, now=owned.services.clock.now(), text=text))
    return tuple(answers)


def _finished(call: OpenCall, result: str, *, is_error: bool) -> NewMessage:
    return NewMessage(role=Role.TOOL, parts=(ToolResult(call.call_id, call.tool, result, is_error=is_error),))


async def _in_flight(owned: OwnedChat) -> tuple[tuple[AnyPart, ...], dict[str, ToolResult]]:
    """What this runner had in flight, or what its predecessor had stored of it."""
    output = owned.output
    if output is not None and output.episode.key == owned.key:
        return output.parts, output.results
    pieces = await owned.services.segments.load(owned.key)
    answer = Accumulator(piece.delta for piece in pieces if piece.role is Role.ASSISTANT)
    tools = [piece.delta for piece in pieces if piece.role is Role.TOOL and isinstance(piece.delta, ToolResultDelta)]
    finished = {delta.index for delta in tools if delta.done}
    results = Accumulator(delta for delta in tools if delta.index in finished).parts()
    return answer.parts(), {part.call_id: part for part in results if isinstance(part, ToolResult)}
