"""Every kind of arrow. Each is a frozen value with a pure plan; none of them knows the database."""

from typing import Protocol

from perdure.core.chat import Chat
from perdure.machine.change import Change
from perdure.machine.transitions.actions import (
    CancelRequiresAction,
    CompleteRequiresAction,
    EnterRequiresAction,
    Outcome,
)
from perdure.machine.transitions.driving import Abandon, Acquire, CommitStep, RecordGenerationAttempt, RecordRetryState
from perdure.machine.transitions.endings import FinishError, FinishInterruption, FinishTurn, Interrupt, Retry
from perdure.machine.transitions.lifecycle import (
    INVALID_STATE,
    Create,
    ReconcileInvalidState,
    RequestCompaction,
    SetArchived,
    TakeIn,
)
from perdure.machine.transitions.messages import Chosen, EditMessage, SendMessage, Sharing, Target
from perdure.machine.transitions.queue import DeleteQueuedMessage, EditQueuedMessage, PromoteQueuedMessage, ReorderQueue

__all__ = [
    "INVALID_STATE",
    "Abandon",
    "Acquire",
    "CancelRequiresAction",
    "Chosen",
    "CommitStep",
    "CompleteRequiresAction",
    "Create",
    "DeleteQueuedMessage",
    "EditMessage",
    "EditQueuedMessage",
    "EnterRequiresAction",
    "FinishError",
    "FinishInterruption",
    "FinishTurn",
    "Interrupt",
    "Outcome",
    "PromoteQueuedMessage",
    "ReconcileInvalidState",
    "RecordGenerationAttempt",
    "RecordRetryState",
    "ReorderQueue",
    "RequestCompaction",
    "Retry",
    "SendMessage",
    "SetArchived",
    "Sharing",
    "TakeIn",
    "Target",
    "Transition",
]


class Transition(Protocol):
    """A request to follow one arrow from wherever the chat is."""

    def plan(self, chat: Chat) -> Change | None:
        """What to write. None where what was asked for is already so. Raises where the conditions do not hold."""
        ...
