"""What rides along with a step: the end of the turn, a parked chat, or the next attempt."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from msgspec import structs

from perdure.agent.decide import decide
from perdure.agent.decision import Compact, Decision, Ending, Facts, Finish, Generate, Park
from perdure.agent.history import History
from perdure.agent.notices import notice
from perdure.agent.toolset import Toolset
from perdure.core.action import ActionKind, Approvers
from perdure.core.chat import Chat
from perdure.core.failure import ChatError, ErrorKind
from perdure.core.message import Kind, Message, NewMessage
from perdure.core.timing import APPROVAL_DEADLINE, CLIENT_TOOL_DEADLINE, ELICITATION_DEADLINE, OUTCOME_UNKNOWN_DEADLINE
from perdure.machine.following import follow
from perdure.machine.transitions import (
    Abandon,
    CommitStep,
    EnterRequiresAction,
    FinishError,
    FinishTurn,
    PromoteQueuedMessage,
    RecordGenerationAttempt,
    Transition,
)

STEP_LIMIT_REACHED = "The turn reached its step limit and stopped here. Send a message to let it go on."
NOT_ASKED_AGAIN = ChatError(
    "The history is shorter now. The failed request was not repeated: retry, or send a message.", retryable=True
)
BUDGET_REACHED = ChatError("The chat's budget is used up.", ErrorKind.USAGE_LIMIT)

_DEADLINES: dict[ActionKind, timedelta | None] = {
    ActionKind.CLIENT_TOOL: CLIENT_TOOL_DEADLINE,
    ActionKind.APPROVAL: APPROVAL_DEADLINE,
    ActionKind.OUTCOME_UNKNOWN: OUTCOME_UNKNOWN_DEADLINE,
    ActionKind.ELICITATION: ELICITATION_DEADLINE,
    ActionKind.BUDGET: None,
}


def step_and_next(
    step: CommitStep, history: History, toolset: Toolset, facts: Facts
) -> Callable[[Chat], Sequence[Transition]]:
    """The step, and in the same commit whatever follows from it."""

    def bundle(chat: Chat) -> Sequence[Transition]:
        planned = follow(chat, [step]).chat
        provisional = history.with_messages(_numbered(step.messages, chat), planned.history_version)
        decision = _decision(step, planned, provisional, toolset, facts)
        return _following(chat, step, decision, history, facts)

    return bundle


def or_failed(
    bundle: Callable[[Chat], Sequence[Transition]], step: CommitStep, failure: ChatError | None
) -> Callable[[Chat], Sequence[Transition]]:
    """The bundle; or, where something ends the turn, the step alone and the error."""
    return bundle if failure is None else lambda _: (step, FinishError(failure), Abandon())


def or_left_alone(
    bundle: Callable[[Chat], Sequence[Transition]], step: CommitStep
) -> Callable[[Chat], Sequence[Transition]]:
    """The bundle; but where it would ask the model, the step and rest, or the head of the queue."""

    def left_alone(chat: Chat) -> Sequence[Transition]:
        planned = bundle(chat)
        if not isinstance(planned[-1], RecordGenerationAttempt):
            return planned
        if not chat.queue:
            return step, FinishError(NOT_ASKED_AGAIN), Abandon()
        head = PromoteQueuedMessage(chat.queue[0].number)
        return step, FinishError(NOT_ASKED_AGAIN), head, RecordGenerationAttempt()

    return left_alone


def _decision(step: CommitStep, planned: Chat, history: History, toolset: Toolset, facts: Facts) -> Decision:
    if all(message.kind is Kind.NOTICE for message in step.messages):
        # The model said nothing.
        return Finish(Ending.COMPLETE)
    return decide(planned, history, toolset, facts)


def _numbered(messages: Sequence[NewMessage], chat: Chat) -> list[Message]:
    """The messages as they will be, as far as deciding needs to know."""
    now = datetime.now(UTC)
    return [
        Message(**structs.asdict(message), number=chat.next_message + offset, revision=0, created_at=now)  # pyright: ignore[reportArgumentType]
        for offset, message in enumerate(messages)
    ]


def _following(
    chat: Chat, step: CommitStep, decision: Decision, history: History, facts: Facts
) -> Sequence[Transition]:
    match decision:
        case Finish(Ending.BUDGET_DECLINED):
            return step, FinishError(BUDGET_REACHED), Abandon()
        case Finish(ending):
            return *finished(structs.replace(step, continues=False), ending, history), *after_turn(chat)
        case Park(ActionKind.CHILDREN):
            # Whom the call waits for is looked up first.
            return (step,)
        case Park():
            return step, parked(decision, history, facts.approvers)
        case Generate() | Compact():
            return step, RecordGenerationAttempt(facts.worst_case)
        case _:
            return step, RecordGenerationAttempt()


def finished(step: CommitStep, ending: Ending, history: History) -> Sequence[Transition]:
    if ending is Ending.MAX_STEPS:
        step = structs.replace(step, messages=(*step.messages, notice("max_steps", STEP_LIMIT_REACHED)))
    return step, end_of_turn(ending, history)


def end_of_turn(ending: Ending, history: History) -> FinishTurn:
    """A tool that ends a turn hands it to a person: it asks, or proposes. A child's person is its parent."""
    return FinishTurn(asks=ending is Ending.STOP_AFTER_TOOL and history.card.parent_id is None)


def after_turn(chat: Chat) -> Sequence[Transition]:
    """A turn that ends either lets go of the chat or goes on with the head of its queue."""
    return (RecordGenerationAttempt(),) if chat.queue else (Abandon(),)


def parked(decision: Park, history: History, approvers: Approvers) -> EnterRequiresAction:
    deadline = _DEADLINES[decision.kind]
    if decision.kind is ActionKind.CLIENT_TOOL:
        deadline = history.card.client_tool_deadline or deadline
    asked = tuple(call.index for call in decision.calls)
    settled = approvers if decision.kind is ActionKind.APPROVAL else Approvers.ANYBODY
    return EnterRequiresAction(
        decision.kind, asked, deadline, approvers=settled, breach=decision.breach, questions=decision.questions
    )
