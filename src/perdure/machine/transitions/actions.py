"""Parking a chat until somebody answers, and every way out that brings what it asked for."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from perdure.core.action import (
    Action,
    ActionKind,
    Approvers,
    Breach,
    BudgetOwner,
    CallKind,
    Decision,
    OpenCall,
    Question,
    Verdict,
    deciders_of,
)
from perdure.core.author import Author
from perdure.core.card import CardChange
from perdure.core.chat import Chat, Status
from perdure.core.commit import InboxKind
from perdure.core.errors import (
    AlreadyDecided,
    NotAllowed,
    ToolResultDuplicate,
    ToolResultInvalidJson,
    ToolResultMissing,
    ToolResultUnexpected,
    TransitionNotAllowed,
)
from perdure.core.ids import MessageNumber
from perdure.core.message import NewMessage, Role, ToolResult
from perdure.core.timing import CLIENT_TOOL_DEADLINE
from perdure.machine.change import ALL_MARKERS, Change, Marker, Reason, refuse

_ANSWERED_BY: Mapping[ActionKind, CallKind] = {
    ActionKind.CLIENT_TOOL: CallKind.CLIENT,
    ActionKind.CHILDREN: CallKind.CHILDREN,
    ActionKind.APPROVAL: CallKind.LOCAL,
    ActionKind.OUTCOME_UNKNOWN: CallKind.LOCAL,
    ActionKind.ELICITATION: CallKind.LOCAL,
}


class EnterRequiresAction(Struct, frozen=True):
    """Park the chat. Nobody drives it while it waits."""

    kind: ActionKind = ActionKind.CLIENT_TOOL
    calls: tuple[int, ...] | None = None
    """The open calls that are asked about; None means all of this kind."""
    deadline: timedelta | None = CLIENT_TOOL_DEADLINE
    children: tuple[str, ...] = ()
    approvers: Approvers = Approvers.ANYBODY
    """Who may approve."""
    breach: Breach | None = None
    """The budget that is used up; the chat's own where none is named."""
    questions: tuple[Question, ...] = ()
    """What the calls ask."""

    def plan(self, chat: Chat) -> Change:
        return Change(
            status=Status.REQUIRES_ACTION,
            action=self._budget(chat) if self.kind is ActionKind.BUDGET else self._action(chat),
            deadline=self.deadline,
            owner=None,
            retry_state=None,
            reserve=0,
            # A compaction that somebody asked for waits with its chat until it is paid for.
            keeps=frozenset({Marker.COMPACTION}) if self.kind is ActionKind.BUDGET else frozenset(),
            inbox=None if self.kind is ActionKind.CHILDREN else InboxKind.NEEDS_YOU,
        )

    def _action(self, chat: Chat) -> Action:
        asked = self._asked(chat)
        return Action(self.kind, asked, self.children, approvers=self.approvers, questions=self.questions)

    def _budget(self, chat: Chat) -> Action:
        if self.breach is None:
            return Action(self.kind, limit=chat.budget_limit)
        return Action(self.kind, limit=self.breach.limit, budget=self.breach.owner, spent=self.breach.spent)

    def _asked(self, chat: Chat) -> tuple[int, ...]:
        fitting = tuple(call.index for call in chat.open_calls if call.kind is _ANSWERED_BY[self.kind])
        asked = fitting if self.calls is None else self.calls
        if not asked or not set(asked) <= set(fitting):
            raise refuse(self, chat, "No open call is waiting for this.")
        return asked


class Outcome(Struct, frozen=True):
    """A result for a pending call, as JSON text."""

    call_id: str
    output: str
    is_error: bool = False


class CompleteRequiresAction(Struct, frozen=True, kw_only=True):
    """Bring what the pending action asks for: results, a new limit, or decisions, which may come one by one."""

    outcomes: Sequence[Outcome] = ()
    decisions: Sequence[Decision] = ()
    limit: int | None = None
    refilled: bool = False
    """The budget of a person or an organisation has room again."""
    declined: bool = False
    suffix: tuple[NewMessage, ...] = ()
    by: Author | None = None
    expected: frozenset[ActionKind] = frozenset(ActionKind)
    """The kinds of action that the caller means to answer."""
    message: MessageNumber | None = None
    """The message whose calls the caller means, where it says so: providers use the ids of calls again."""

    def plan(self, chat: Chat) -> Change:
        assert chat.action is not None
        if chat.action.kind not in self.expected:
            raise refuse(self, chat, f"The chat is waiting for something else: {chat.action.kind.value}.")
        if self.message not in (None, chat.last_assistant):
            raise self._wrong(
                AlreadyDecided, chat, "This has already been decided. The chat is waiting for something newer."
            )
        match chat.action.kind:
            case ActionKind.CLIENT_TOOL | ActionKind.CHILDREN:
                return self._with_results(chat, chat.action)
            case ActionKind.APPROVAL | ActionKind.OUTCOME_UNKNOWN | ActionKind.ELICITATION:
                return self._with_decisions(chat, chat.action)
            case ActionKind.BUDGET:
                return self._with_limit(chat, chat.action)

    def _with_results(self, chat: Chat, action: Action) -> Change:
        pending = {call.call_id: call for call in chat.open_calls if call.index in action.calls}
        self._check_outcomes(chat, pending)
        results = tuple(_result(pending[o.call_id], o.output, o.is_error, self.by) for o in self.outcomes)
        return Change(status=Status.RUNNING, append=(*results, *self.suffix), continuing=True)

    def _check_outcomes(self, chat: Chat, pending: Mapping[str, OpenCall]) -> None:
        seen: set[str] = set()
        for outcome in self.outcomes:
            if outcome.call_id in seen:
                raise self._wrong(ToolResultDuplicate, chat, f"Call {outcome.call_id} has two results.")
            seen.add(outcome.call_id)
            if not _is_json(outcome.output):
                raise self._wrong(ToolResultInvalidJson, chat, f"The result of call {outcome.call_id} is not JSON.")
        self._check_named(chat, pending, seen)

    def _check_named(self, chat: Chat, pending: Iterable[str], seen: set[str]) -> None:
        for call_id in pending:
            if call_id not in seen:
                raise self._wrong(ToolResultMissing, chat, f"Call {call_id} has no result.")
        for call_id in seen - set(pending):
            raise self._wrong(ToolResultUnexpected, chat, f"Call {call_id} is not pending.")

    def _with_decisions(self, chat: Chat, action: Action) -> Change:
        self._check_decisions(chat, action)
        decided = (*action.decided, *(replace(decision, by=self.by) for decision in self.decisions))
        always = tuple(_call(chat, d.call_id).tool for d in self.decisions if d.always)
        card = CardChange(approvals=dict.fromkeys(always, "auto")) if always else None
        if not all(_is_decided(_called(chat, index), decided, action) for index in action.calls):
            return Change(keeps=ALL_MARKERS, action=replace(action, decided=decided), card=card)
        settled = _settled(chat, decided)
        return replace(settled, append=(*settled.append, *self.suffix), card=card)

    def _check_decisions(self, chat: Chat, action: Action) -> None:
        pending = {call.call_id for call in chat.open_calls if call.index in action.calls}
        seen: set[str] = set()
        for decision in self.decisions:
            call_id = decision.call_id
            if call_id in seen:
                raise self._wrong(ToolResultDuplicate, chat, f"Call {call_id} has two decisions.")
            seen.add(call_id)
            if call_id not in pending:
                raise self._wrong(ToolResultUnexpected, chat, f"Call {call_id} is not pending.")
            self._check_undecided(chat, action, decision)
            _check_approver(chat, action, decision, self.by)
        if not seen:
            raise self._wrong(ToolResultMissing, chat, "Name a call and your decision.")
        allowed = _VERDICTS[action.kind]
        if not all(decision.verdict in allowed for decision in self.decisions):
            raise refuse(self, chat, f"Decide with one of: {', '.join(sorted(allowed))}.")

    def _check_undecided(self, chat: Chat, action: Action, decision: Decision) -> None:
        """Said to a person, who sees tools and not the ids of calls."""
        call_id = decision.call_id
        before = [each for each in action.decided if each.call_id == call_id]
        tool = _call(chat, call_id).tool
        if before and _is_decided(call_id, action.decided, action):
            raise self._wrong(AlreadyDecided, chat, _DECIDED[before[-1].verdict].format(tool=tool))
        if decision.verdict is Verdict.APPROVE and self.by in [each.by for each in before]:
            raise self._wrong(
                AlreadyDecided, chat, f"You have approved this call of {tool}. A second person must, too."
            )

    def _with_limit(self, chat: Chat, action: Action) -> Change:
        if self.declined:
            return Change(status=Status.RUNNING, decline_budget=True)
        raised = Change(status=Status.RUNNING, keeps=frozenset({Marker.COMPACTION}))
        if self.refilled and action.budget is not BudgetOwner.CHAT:
            return raised
        if self.limit is None or (action.limit is not None and self.limit <= action.limit):
            raise refuse(self, chat, "The new limit must be higher than the old one.")
        # The budget of a person or an organisation is not the chat's: whoever answers has raised it before.
        return replace(raised, budget_limit=self.limit) if action.budget is BudgetOwner.CHAT else raised

    def _wrong(self, error: type[TransitionNotAllowed], chat: Chat, reason: str) -> TransitionNotAllowed:
        return error(type(self).__name__, chat.state.value, reason)


_RUNS = frozenset({Verdict.APPROVE, Verdict.REPEAT, Verdict.ANSWER})
_DECIDED = {
    Verdict.APPROVE: "This call of {tool} has already been approved.",
    Verdict.DENY: "This call of {tool} has already been denied.",
    Verdict.HAPPENED: "Somebody has already said that this call of {tool} happened.",
    Verdict.REPEAT: "Somebody has already decided to repeat this call of {tool}.",
    Verdict.SKIP: "Somebody has already decided to skip this call of {tool}.",
    Verdict.ANSWER: "The question of this call of {tool} has already been answered.",
}
_VERDICTS = {
    ActionKind.APPROVAL: frozenset({Verdict.APPROVE, Verdict.DENY}),
    ActionKind.OUTCOME_UNKNOWN: frozenset({Verdict.HAPPENED, Verdict.REPEAT, Verdict.SKIP}),
    ActionKind.ELICITATION: frozenset({Verdict.ANSWER}),
}


def _is_decided(call_id: str, decisions: Sequence[Decision], action: Action) -> bool:
    """Whether nothing more is to be decided about a call. One refusal is enough; approvals may have to be two."""
    made = [decision for decision in decisions if decision.call_id == call_id]
    if action.approvers is not Approvers.TWO_PEOPLE or any(each.verdict is not Verdict.APPROVE for each in made):
        return bool(made)
    return len({each.by.id for each in made if each.by is not None}) > 1


def _check_approver(chat: Chat, action: Action, decision: Decision, by: Author | None) -> None:
    """Who may approve, as it was settled when the chat began to wait. Anybody may refuse."""
    if decision.verdict is not Verdict.APPROVE or action.approvers is Approvers.ANYBODY:
        return
    if decision.always:
        raise NotAllowed("In this chat, each call needs its own approval.")
    author = by is not None and by.id == chat.asked_by
    if action.approvers is Approvers.AUTHOR and not author:
        raise NotAllowed("Only the person whose message is being answered may approve this.")
    if action.approvers is Approvers.NOT_AUTHOR and author:
        raise NotAllowed("You asked for this. Somebody else must approve it.")


def _settled(chat: Chat, decisions: Sequence[Decision]) -> Change:
    """The turn goes on: calls that may run are cleared, the others have their results."""
    last = {decision.call_id: decision for decision in decisions}
    by = {call_id: deciders_of(decisions, call_id) for call_id in last}
    calls = [(_call(chat, call_id), decision) for call_id, decision in last.items()]
    runs = [(call, decision) for call, decision in calls if decision.verdict in _RUNS]
    return Change(
        status=Status.RUNNING,
        append=tuple(
            _decided(call, decision, by[call.call_id]) for call, decision in calls if (call, decision) not in runs
        ),
        clear_calls={call.index: _run(call, decision) for call, decision in runs},
        cleared_by={call.index: by[call.call_id] for call, _ in runs},
        answers={call.index: decision.answers for call, decision in runs if decision.answers},
        continuing=True,
    )


def _called(chat: Chat, index: int) -> str:
    return next(call.call_id for call in chat.open_calls if call.index == index)


def _call(chat: Chat, call_id: str) -> OpenCall:
    return next(call for call in chat.open_calls if call.call_id == call_id)


def _decided(call: OpenCall, decision: Decision, by: tuple[Author, ...]) -> NewMessage:
    if decision.verdict is Verdict.HAPPENED:
        return _result(call, decision.result, decision.is_error, decision.by, decided_by=by)
    refused = Reason.DENIED if decision.verdict is Verdict.DENY else Reason.SKIPPED
    said = f"{refused} Reason: {decision.result}" if decision.result else refused
    return _result(call, said, True, decision.by, decided_by=by)


def _result(
    call: OpenCall, output: str, is_error: bool, by: Author | None, *, decided_by: tuple[Author, ...] = ()
) -> NewMessage:
    part = ToolResult(call.call_id, call.tool, output, is_error=is_error, decided_by=decided_by)
    return NewMessage(role=Role.TOOL, parts=(part,), created_by=by and by.id, author=(by and by.name) or None)


def _run(call: OpenCall, decision: Decision) -> int:
    return call.run + 1 if decision.verdict is Verdict.REPEAT else call.run


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


class CancelRequiresAction(Struct, frozen=True):
    """The deadline passed: answer the calls that nobody answered or decided about, and go on."""

    reason: str = Reason.TIMED_OUT

    def plan(self, chat: Chat) -> Change:
        assert chat.action is not None
        if not chat.action.calls:
            raise refuse(self, chat, "Nothing is pending.")
        decided = chat.action.decided
        known = {index for index in chat.action.calls if _is_decided(_called(chat, index), decided, chat.action)}
        decided = tuple(decision for decision in decided if _call(chat, decision.call_id).index in known)
        late = tuple(index for index in chat.action.calls if index not in known)
        return replace(_settled(chat, decided), answer_calls=late, reason=self.reason)
