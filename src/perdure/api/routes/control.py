"""What can be asked of a turn: stop, go on, compact; and the answers that a parked chat waits for."""

from msgspec import json, structs, to_builtins

from perdure.access.chats import Seen
from perdure.api.caller import Caller
from perdure.api.client_results import completed
from perdure.api.elicited import checked_answers
from perdure.api.routing import Routes
from perdure.api.wire.chats import Moved
from perdure.api.wire.control import ActionBody, CallDecision, Choice, Nothing, RetryBody, ToolResultsBody, TurnBody
from perdure.core.action import Action, ActionKind, Approvers, BudgetOwner, Decision, Verdict
from perdure.core.chat import State
from perdure.core.errors import InvalidInput, NotAllowed, NothingToCompact
from perdure.core.ids import ChatId, MessageNumber
from perdure.machine.following import follow
from perdure.machine.transitions import (
    CompleteRequiresAction,
    Interrupt,
    Outcome,
    ReconcileInvalidState,
    RequestCompaction,
    Retry,
    Transition,
)

routes = Routes("control")


@routes.post("/chats/{chat_id}/interrupt", by_machine=True)
async def interrupt(caller: Caller, chat_id: ChatId, body: TurnBody) -> Moved:
    """Stop the turn. The answer so far is kept. An admin can also stop the chats of a removed user."""
    seen = await caller.chats.stoppable(chat_id)
    if seen.chat.state in (State.I0, State.I1):
        return Moved(seen.card)
    return await _follow(
        caller, seen, Interrupt(turn=None if body.turn is None else MessageNumber(body.turn), by=caller.actor.author)
    )


@routes.post("/chats/{chat_id}/retry", by_machine=True)
async def retry(caller: Caller, chat_id: ChatId, body: RetryBody) -> Moved:
    """Retry the turn: after an error, with a compaction first if asked for, or instead of waiting for a countdown."""
    seen = await (caller.chats.own(chat_id) if body.compact else caller.chats.shared(chat_id))
    if not body.compact:
        return await _follow(caller, seen, Retry())
    # What was refused for its size after a summary is refused again, unless that becomes shorter.
    if not await caller.chats.compactable(chat_id, again=True):
        raise NothingToCompact
    return await _follow(caller, seen, RequestCompaction(retry=True))


@routes.post("/chats/{chat_id}/compact", by_machine=True)
async def compact(caller: Caller, chat_id: ChatId, body: Nothing) -> Moved:  # noqa: ARG001
    """Compact now: replace older messages with a summary."""
    seen = await caller.chats.own(chat_id)
    if not await caller.chats.compactable(chat_id):
        raise NothingToCompact
    return await _follow(caller, seen, RequestCompaction())


@routes.post("/chats/{chat_id}/reconcile", by_machine=True)
async def reconcile(caller: Caller, chat_id: ChatId, body: Nothing) -> Moved:  # noqa: ARG001
    """Bring a chat whose row is inconsistent back to an error state that you can recover from."""
    return await _follow(caller, await caller.chats.own(chat_id), ReconcileInvalidState())


@routes.post("/chats/{chat_id}/tool-results", by_machine=True)
async def tool_results(caller: Caller, chat_id: ChatId, body: ToolResultsBody) -> Moved:
    """Send results of your client's tools. Must name exactly the pending calls."""
    outcomes = [Outcome(r.call_id, json.encode(r.output).decode(), is_error=r.is_error) for r in body.results]
    seen = await caller.chats.shared(chat_id)
    return await completed(caller, seen, outcomes, answer=lambda commit: Moved(seen.card_after(commit)))


@routes.post("/chats/{chat_id}/action", by_machine=True)
async def act(caller: Caller, chat_id: ChatId, body: ActionBody) -> Moved:
    """Decide pending calls, one by one or together; raise a budget, or decline to."""
    if sum((bool(body.decisions), body.limit is not None, body.decline)) != 1:
        raise InvalidInput("Send exactly one of decisions, limit or decline.")
    seen = await (caller.chats.shared(chat_id) if body.limit is None else caller.chats.own(chat_id))
    _check_decider(seen, body)
    complete = CompleteRequiresAction(
        decisions=[_decision(seen, decided) for decided in body.decisions],
        limit=body.limit,
        declined=body.decline,
        by=caller.actor.author,
        message=None if body.message is None else MessageNumber(body.message),
        expected=_DECIDED if body.decisions else frozenset({ActionKind.BUDGET}),
    )
    if body.limit is not None:
        # What the chat would refuse raises nothing.
        follow(seen.chat, (complete,))
        await _raise_budget(caller, seen.chat.action, body.limit)
    return await _follow(caller, seen, complete)


def _check_decider(seen: Seen, body: ActionBody) -> None:
    """Who may decide about calls. Whoever asked for the turn may always say no."""
    if any(each.decision is Choice.APPROVE_ALWAYS for each in body.decisions) and not seen.own:
        raise NotAllowed("Only the chat's owner can approve for good. Approve just this call.")
    if seen.approves or not body.decisions:
        return
    action = seen.chat.action
    by_author = action is not None and action.approvers is Approvers.AUTHOR
    refuses = all(each.decision is Choice.DENY for each in body.decisions)
    if not seen.asked or not (by_author or refuses):
        raise NotAllowed("You can write in this chat but not approve. Ask its owner for access.")


async def _raise_budget(caller: Caller, action: Action | None, limit: int) -> None:
    """A chat's own limit is its owner's to raise; a person's or the organisation's is raised by those who set it."""
    if action is None or action.kind is not ActionKind.BUDGET or action.budget is BudgetOwner.CHAT:
        return
    user_id = caller.actor.user_id
    budgets = (await caller.config.settings(caller.actor.organisation_id)).budgets
    current = budgets.of(user_id) if action.budget is BudgetOwner.USER else budgets.organisation
    if current is None or limit <= current:
        # Somebody has raised it meanwhile.
        return
    people = {**budgets.people, user_id: limit} if action.budget is BudgetOwner.USER else budgets.people
    organisation = limit if action.budget is BudgetOwner.ORGANISATION else budgets.organisation
    raised = structs.replace(budgets, people=people, organisation=organisation)
    await caller.administration.providers.put_setting("budgets", to_builtins(raised))
    # Before the chat runs again, or it would look at the old limit.
    caller.config.changed(caller.actor.organisation_id)


_DECIDED = frozenset({ActionKind.APPROVAL, ActionKind.OUTCOME_UNKNOWN, ActionKind.ELICITATION})


def _decision(seen: Seen, decided: CallDecision) -> Decision:
    always = decided.decision is Choice.APPROVE_ALWAYS
    verdict = Verdict.APPROVE if always else Verdict(decided.decision.value)
    answers = checked_answers(seen.chat, decided.call_id, decided.answers) if verdict is Verdict.ANSWER else ""
    return Decision(decided.call_id, verdict, decided.result, always=always, answers=answers)


async def _follow(caller: Caller, seen: Seen, transition: Transition) -> Moved:
    return await caller.changes.follow(seen, transition, answer=lambda commit: Moved(seen.card_after(commit)))
