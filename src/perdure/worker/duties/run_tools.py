"""Running the calls of the last answer, and committing their results as one step."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from perdure.agent.attempt_output import AttemptOutput
from perdure.agent.decide import decide
from perdure.agent.decision import Facts, Known, Park, RefuseBatch, RunTools
from perdure.agent.history import History
from perdure.agent.notices import notice, unheard
from perdure.agent.prepare import Prepared
from perdure.agent.results import refused_batch
from perdure.agent.run_tools import Batch, Results
from perdure.core.card import CardChange
from perdure.core.chat import Chat
from perdure.core.errors import HookDispatchFailed
from perdure.core.ids import FileId
from perdure.core.message import AnyPart, NewMessage, ToolCall, ToolResult
from perdure.machine.planning import FILES_LIMIT
from perdure.machine.transitions import Abandon, CommitStep, FinishError, Transition
from perdure.store.journal import Entry
from perdure.tools.call import ModelContext, result_budget
from perdure.worker.duties.ending import park
from perdure.worker.duties.following import step_and_next
from perdure.worker.duties.hooking import Usable, after_tools
from perdure.worker.outcomes import Committed, Outcome, Unanswered
from perdure.worker.owned_chat import OwnedChat

NO_ROOM = "[The chat holds as many files of its tools as it may. Left out: {names}. Go on without, or tell the user.]"


async def run_tools(owned: OwnedChat, decision: RunTools, facts: Facts, entries: Sequence[Entry]) -> Outcome:
    """All calls that may run now."""
    reached = owned.services.crash_points.reached
    prepared, history = await owned.prepared(), await owned.history()
    reached("tools.prepared")
    await owned.begin_attempt()
    reached("tools.attempt_recorded")
    output = owned.show()
    reached("tools.taken_off")
    message = owned.chat.last_assistant
    work = _Work(prepared, history, output, entries)
    results = await owned.services.tools.run(_batch(owned, decision, facts, work))
    reached("tools.finished")
    asking = {question.call for question in results.questions}
    answered = [call for call in decision.calls if call.index not in results.lost | asking]
    open_still = {**dict.fromkeys(results.lost, Known.UNKNOWN), **dict.fromkeys(asking, Known.ASKING)}
    facts = replace(facts, journal={**facts.journal, **open_still}, questions=results.questions)
    if not answered:
        owned.hide()
        decided = decide(owned.chat, history, prepared.toolset, facts)
        # Where a workspace is gone, the journal is asked again first.
        return await park(owned, decided) if isinstance(decided, Park) and not results.lost else Unanswered()
    try:
        left = await after_tools(owned, Usable(prepared.toolset, facts.policies), results.messages)
    except HookDispatchFailed as error:
        return await _unheard(owned, history, _step(results).spend, error)
    said = (notice("files", results.word),) if results.word else ()
    step = _step(replace(results, messages=(*left, *said)))

    def bundle(chat: Chat) -> Sequence[Transition]:
        messages, files = fitting(step.messages, step.files, FILES_LIMIT - chat.made_file_count)
        fit = structs.replace(step, messages=messages, files=files)
        return step_and_next(fit, history, prepared.toolset, facts)(chat)

    await owned.commit_by(bundle, fence=owned.fence(attempt=True))
    owned.services.budgets.settle(history.card, owned.owner.worker_id, step.spend)
    owned.forget(answered, message)
    reached("tools.committed")
    if results.outdated or any(prepared.toolset.reframes(call.tool) for call in decision.calls):
        owned.forget_preparation()
    owned.hide()
    reached("tools.landed")
    return Committed()


async def _unheard(owned: OwnedChat, history: History, spent: int, error: HookDispatchFailed) -> Outcome:
    """End the turn without the results. The journal has them: trying again asks again, and runs nothing twice."""
    await owned.commit(FinishError(unheard(error), spent), Abandon(), fence=owned.fence(attempt=True))
    owned.services.budgets.settle(history.card, owned.owner.worker_id, spent)
    owned.hide()
    return Committed()


@dataclass(frozen=True, slots=True)
class _Work:
    """What the calls are run with."""

    prepared: Prepared
    history: History
    output: AttemptOutput
    entries: Sequence[Entry]


def _batch(owned: OwnedChat, decision: RunTools, facts: Facts, work: _Work) -> Batch:
    prepared, history = work.prepared, work.history
    parts = dict(enumerate(history.calls(owned.chat.last_assistant)))
    return Batch(
        chat=owned.chat,
        card=history.card,
        fence=owned.fence(),
        toolset=prepared.toolset,
        calls=[(call, parts[call.index]) for call in decision.calls],
        output=work.output,
        budget=result_budget(prepared.model.window),
        entries={entry.index: entry for entry in sorted(work.entries, key=lambda entry: entry.run)},
        policies=facts.policies,
        interrupted=owned.moved_on_from(owned.chat),
        model_context=ModelContext(
            model=prepared.model.name,
            effort=prepared.model.settings.effort,
            system=prepared.system,
            messages=history.prompt(),
            turn=owned.chat.turn,
        ),
        once_calls=owned.once_calls,
    )


def _step(results: Results) -> CommitStep:
    """The results as a step, with what those cost that asked a model."""
    asked = [message for message in results.messages if message.model is not None]
    if not asked:
        return CommitStep(messages=results.messages, files=results.files)
    paid = sum(message.cost or 0 for message in asked)
    card = CardChange(cost=paid, unpriced_calls=sum(message.cost is None for message in asked))
    return CommitStep(messages=results.messages, files=results.files, spend=paid, card=card)


def fitting(
    messages: tuple[NewMessage, ...], files: tuple[FileId, ...], room: int
) -> tuple[tuple[NewMessage, ...], tuple[FileId, ...]]:
    """As many files as the chat has room for; the results whose files are left out say so."""
    if len(files) <= room:
        return messages, files
    kept, left_out = files[: max(0, room)], frozenset(map(str, files[max(0, room) :]))
    return tuple(structs.replace(m, parts=tuple(_without(p, left_out) for p in m.parts)) for m in messages), kept


def _without(part: AnyPart, left_out: frozenset[str]) -> AnyPart:
    if not isinstance(part, ToolResult):
        return part
    names = ", ".join(media.name for media in part.media if media.file_id in left_out)
    if not names:
        return part
    media = tuple(media for media in part.media if media.file_id not in left_out)
    return structs.replace(part, result=f"{part.result}\n\n{NO_ROOM.format(names=names)}", media=media)


async def refuse_batch(owned: OwnedChat, decision: RefuseBatch, facts: Facts) -> Outcome:
    """A call that must be alone was not: tell the model, run nothing."""
    prepared, history = await owned.prepared(), await owned.history()
    indices = {call.index for call in owned.chat.open_calls}
    calls: list[ToolCall] = [
        call for index, call in enumerate(history.calls(owned.chat.last_assistant)) if index in indices
    ]
    step = CommitStep(messages=refused_batch(decision.exclusive, calls, owned.services.clock))
    await owned.commit_by(step_and_next(step, history, prepared.toolset, facts))
    owned.services.measures.tools.refused(decision.exclusive)
    return Committed()
