"""What a transition asks to be written, or how it says no."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import Enum, StrEnum
from typing import Final
from uuid import UUID

from msgspec import Struct

from perdure.core.action import Action, CallKind
from perdure.core.author import Author
from perdure.core.card import CardChange
from perdure.core.chat import QUEUE_LIMIT, Chat, Status
from perdure.core.commit import InboxKind, Mentions
from perdure.core.errors import QueuedMessageNotFound, QueueFull, TransitionNotAllowed
from perdure.core.failure import ChatError, RetryState
from perdure.core.ids import FileId, MessageNumber, QueuedNumber, ReplicaId, RunnerId, UserId
from perdure.core.message import AnyPart, NewMessage


class Keep(Enum):
    """Stands for "as it was" where None is a value of its own."""

    KEEP = "keep"


KEEP: Final = Keep.KEEP


class Reason(StrEnum):
    """What the model is told about a call that never got its answer."""

    NEW_MESSAGE = "Tool execution interrupted by new user message"
    PROMOTION = "Tool execution interrupted by queued message promotion"
    EDIT = "Tool execution interrupted by message edit"
    USER_MESSAGE = "Tool execution interrupted by user message"
    INTERRUPT = "Tool execution interrupted by user"
    TIMED_OUT = "Tool execution timed out"
    DENIED = "The user denied this call."
    SKIPPED = "The outcome of this call is unknown, and the user chose to skip it. Verify before you rely on it."
    INVALID_STATE = "Tool execution canceled due to invalid chat state"


class Marker(Enum):
    """One-shot marks on the row. Every change clears those that it does not keep by name."""

    ACTION = "action"
    COMPACTION = "compaction"
    BUDGET = "budget"


ALL_MARKERS = frozenset(Marker)


class Owner(Struct, frozen=True):
    worker_id: ReplicaId
    runner_id: RunnerId


class Enqueued(Struct, frozen=True):
    """A message on its way into the queue."""

    message: NewMessage
    steer: bool = False


class Change(Struct, frozen=True, kw_only=True):
    """One wish, in the order in which it is carried out: cut, answer, append, enqueue, remove, promote."""

    status: Status | Keep = KEEP
    archived: bool | Keep = KEEP
    owner: Owner | Keep | None = KEEP
    last_error: ChatError | Keep | None = KEEP
    retry_state: RetryState | Keep | None = KEEP
    keeps: frozenset[Marker] = frozenset()
    action: Action | None = None
    deadline: timedelta | None = None
    request_compaction: bool = False
    decline_budget: bool = False
    budget_limit: int | Keep | None = KEEP
    spend: int = 0
    reserve: int | Keep = KEEP
    attempt: bool = False
    """Count one more attempt at the current history."""
    touch_history: bool = False
    """Advance the history version although no row changes."""
    continuing: bool | Keep = KEEP
    clear_calls: Mapping[int, int] = {}
    """Open calls that may run now, each with the run it is to have."""
    cleared_by: Mapping[int, tuple[Author, ...]] = {}
    """Who said so."""
    answers: Mapping[int, str] = {}
    """What those calls asked for before they go on, as JSON."""

    cut_from: MessageNumber | None = None
    answer_calls: tuple[int, ...] = ()
    reason: str = ""
    append: tuple[NewMessage, ...] = ()
    call_kinds: Mapping[str, CallKind] = {}
    """Who answers the calls that `append` brings, by tool name; whoever is not named is ours."""
    files: tuple[FileId, ...] = ()
    """Those that people attach."""
    made_files: tuple[FileId, ...] = ()
    """Those that tools made."""
    enqueue: Enqueued | None = None
    remove: tuple[QueuedNumber, ...] = ()
    reorder: tuple[QueuedNumber, ...] | None = None
    rewrite: tuple[QueuedNumber, tuple[AnyPart, ...]] | None = None
    promote: tuple[QueuedNumber, ...] = ()
    starts_turn: bool = True
    """Whether a user message that enters the history begins a turn. A steer message does not."""
    inbox: InboxKind | None = None
    mentions: Mentions | None = None
    card: CardChange | None = None
    stopped_by: Author | None = None
    """Who stops the turn. It is known until it is stopped."""


# Stands in a planned chat for the moment of the commit, which the database names.
MOMENT_OF_COMMIT: Final = datetime.max.replace(tzinfo=UTC)
# Stands in a planned chat for the author of a queued message, whose contents never leave the database.
AUTHOR_OF_QUEUED: Final = UserId(UUID(int=0))


def refuse(transition: object, chat: Chat, reason: str) -> TransitionNotAllowed:
    return TransitionNotAllowed(type(transition).__name__, chat.state.value, reason)


def require_room(chat: Chat) -> None:
    if len(chat.queue) >= QUEUE_LIMIT:
        raise QueueFull(QUEUE_LIMIT)


def require_queued(chat: Chat, number: QueuedNumber) -> None:
    if all(entry.number != number for entry in chat.queue):
        raise QueuedMessageNotFound
