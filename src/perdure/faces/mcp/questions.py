"""What a parked chat asks, as forms that a client shows to its person; and their answers, as decisions."""

from collections.abc import Mapping
from typing import Any

from perdure.api.wire.control import ActionBody, AnswerAction, CallDecision, Choice, FormAnswer
from perdure.core.action import ActionKind, OpenCall
from perdure.core.errors import InvalidInput, Validation
from perdure.core.events import PendingAction, PendingCall, PendingQuestion
from perdure.faces.mcp.tasks import Task

SHOWN = 2_000
"""How much of a call's arguments a form shows."""
MICROS = 1_000_000
_CHOICES = {
    ActionKind.APPROVAL: (Choice.APPROVE, Choice.APPROVE_ALWAYS, Choice.DENY),
    ActionKind.OUTCOME_UNKNOWN: (Choice.HAPPENED, Choice.REPEAT, Choice.SKIP),
}
_REFUSED = {ActionKind.APPROVAL: Choice.DENY, ActionKind.OUTCOME_UNKNOWN: Choice.SKIP}
"""What it means that somebody declines to fill the form in."""
_RAISE, _DECLINE = "raise", "decline"


def questions_of(task: Task) -> dict[str, dict[str, Any]]:
    """The forms that are open, by a key that no other form of the task ever has."""
    action = task.action
    if task.ended is not None or action is None:
        return {}
    if action.kind is ActionKind.BUDGET:
        return {f"budget-{action.limit}": _budget(action)}
    open_calls = [call for call in action.calls if call.decision is None]
    if action.kind is ActionKind.ELICITATION:
        return {key_of(task, call, asked): _passed_on(asked) for call in open_calls for asked in call.questions}
    if action.kind not in _CHOICES:
        return {}
    return {key_of(task, call): _form(task, action, call) for call in open_calls}


def decisions_of(task: Task, answers: Mapping[str, Any]) -> ActionBody | None:
    """What answers to the forms decide. Answers to other forms, and forms that were put aside, decide nothing."""
    action = task.action
    if task.ended is not None or action is None:
        return None
    if action.kind is ActionKind.BUDGET:
        return _about_budget(answers.get(f"budget-{action.limit}"))
    open_calls = [call for call in action.calls if not call.decision]
    if action.kind is ActionKind.ELICITATION:
        found = [_answered(task, call, answers) for call in open_calls]
    elif action.kind in _CHOICES:
        found = [_decision(action.kind, call, answers.get(key_of(task, call))) for call in open_calls]
    else:
        return None
    decided = tuple(decision for decision in found if decision is not None)
    return ActionBody(decisions=decided) if decided else None


def key_of(task: Task, call: PendingCall, asked: PendingQuestion | None = None) -> str:
    """The name of what a call needs decided, or of one of the things that it asks."""
    chat = task.seen.chat
    found: OpenCall = next(each for each in chat.open_calls if each.call_id == call.call_id)
    assert task.action is not None
    name = f"{task.action.kind.value}-{chat.last_assistant}-{found.index}-{found.run}"
    return name if asked is None else f"{name}-{asked.key}"


def calls_asked(task: Task) -> dict[str, str]:
    """The calls that the open forms are about, by the forms' keys."""
    if task.action is None:
        return {}
    keys = ((call, asked) for call in task.action.calls for asked in call.questions or (None,))
    return {key_of(task, call, asked): call.call_id for call, asked in keys}


def _form(task: Task, action: PendingAction, call: PendingCall) -> dict[str, Any]:
    arguments = call.args if len(call.args) <= SHOWN else f"{call.args[:SHOWN]}…"
    asked = {
        ActionKind.APPROVAL: f"An agent wants to call {call.tool} with {arguments}. May it?",
        ActionKind.OUTCOME_UNKNOWN: f"A call of {call.tool} with {arguments} was cut off. Did it happen?",
    }[action.kind]
    properties: dict[str, Any] = {
        "decision": {"type": "string", "title": "Decision", "enum": [c.value for c in _CHOICES[action.kind]]},
        "note": {"type": "string", "title": "What the agent is told about it"},
    }
    title = task.seen.card.title
    return _asked(f"{title}: {asked}" if title else asked, properties, ["decision"])


def _budget(action: PendingAction) -> dict[str, Any]:
    limit = (action.limit or 0) / MICROS
    properties: dict[str, Any] = {
        "decision": {"type": "string", "title": "Decision", "enum": [_RAISE, _DECLINE]},
        "limit_usd": {"type": "number", "title": "New limit in US dollars", "minimum": limit},
    }
    message = f"The budget of US${limit:.2f} is used up. Raise it, or end the turn here?"
    return _asked(message, properties, ["decision"])


def _asked(message: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required}
    return {"mode": "form", "message": message, "requestedSchema": schema}


def _decision(kind: ActionKind, call: PendingCall, answer: Any) -> CallDecision | None:
    match answer:
        case {"action": "accept", "content": {"decision": str(chosen), **rest}}:
            if chosen not in _CHOICES[kind]:
                known = ", ".join(_CHOICES[kind])
                raise InvalidInput(f"Decide with one of: {known}.", Validation("decision", "is not known"))
            return CallDecision(call.call_id, Choice(chosen), str(rest.get("note") or ""))
        case {"action": "decline"}:
            return CallDecision(call.call_id, _REFUSED[kind])
        case _:
            return None


def _passed_on(asked: PendingQuestion) -> dict[str, Any]:
    """What a call asks, as it asks it; a page to go to as a form without fields."""
    message = f"{asked.message}\n{asked.url}" if asked.url else asked.message
    return {"mode": "form", "message": message, "requestedSchema": asked.schema or {"type": "object", "properties": {}}}


def _answered(task: Task, call: PendingCall, answers: Mapping[str, Any]) -> CallDecision | None:
    """The answers to all that a call asks; nothing while one of them is missing."""
    given: dict[str, FormAnswer] = {}
    for asked in call.questions:
        match answers.get(key_of(task, call, asked)):
            case {"action": "accept", "content": dict() as content}:  # pyright: ignore[reportUnknownVariableType]
                given[asked.key] = FormAnswer(AnswerAction.ACCEPT, content)  # pyright: ignore[reportUnknownArgumentType]
            case {"action": "accept"} if asked.schema is None:
                given[asked.key] = FormAnswer(AnswerAction.ACCEPT)
            case {"action": "decline"}:
                given[asked.key] = FormAnswer(AnswerAction.DECLINE)
            case _:
                return None
    return CallDecision(call.call_id, Choice.ANSWER, answers=given)


def _about_budget(answer: Any) -> ActionBody | None:
    match answer:
        case {"action": "accept", "content": {"decision": "raise", "limit_usd": int() | float() as limit}}:
            return ActionBody(limit=round(min(limit * MICROS, 2**63)))
        case {"action": "accept", "content": {"decision": "decline"}} | {"action": "decline"}:
            return ActionBody(decline=True)
        case _:
            return None
