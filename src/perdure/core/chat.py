"""A chat's execution state: everything an arrow of the machine needs to know."""

from datetime import datetime
from enum import Enum, StrEnum

from msgspec import Struct

from perdure.core.action import Action, Asks, OpenCall
from perdure.core.author import Author
from perdure.core.failure import ChatError, RetryState
from perdure.core.ids import ChangeId, ChatId, MessageNumber, QueuedNumber, ReplicaId, RunnerId, UserId

QUEUE_LIMIT = 20


class Status(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    INTERRUPTING = "interrupting"
    REQUIRES_ACTION = "requires_action"
    ERROR = "error"


class State(Enum):
    """Status, queue and archive flag together. `INVALID` is every combination that has no other name."""

    N = "N"
    W = "W"
    E0 = "E0"
    E1 = "E1"
    R0 = "R0"
    R1 = "R1"
    I0 = "I0"
    I1 = "I1"
    A0 = "A0"
    A1 = "A1"
    XW = "XW"
    XE0 = "XE0"
    XE1 = "XE1"
    INVALID = "Invalid"


_STATES: dict[tuple[Status, bool, bool], State] = {
    (Status.WAITING, False, False): State.W,
    (Status.ERROR, False, False): State.E0,
    (Status.ERROR, True, False): State.E1,
    (Status.RUNNING, False, False): State.R0,
    (Status.RUNNING, True, False): State.R1,
    (Status.INTERRUPTING, False, False): State.I0,
    (Status.INTERRUPTING, True, False): State.I1,
    (Status.REQUIRES_ACTION, False, False): State.A0,
    (Status.REQUIRES_ACTION, True, False): State.A1,
    (Status.WAITING, False, True): State.XW,
    (Status.ERROR, False, True): State.XE0,
    (Status.ERROR, True, True): State.XE1,
}


AT_REST = frozenset({Status.WAITING, Status.ERROR})


class Busy(StrEnum):
    """How to speak to a busy chat."""

    QUEUE = "queue"
    STEER = "steer"
    INTERRUPT = "interrupt"


class QueueEntry(Struct, frozen=True, array_like=True):
    number: QueuedNumber
    steer: bool = False


class Chat(Struct, frozen=True, kw_only=True, gc=False):
    """A chat's execution row, as read or as a plan leaves it."""

    id: ChatId
    status: Status
    archived: bool = False
    worker_id: ReplicaId | None = None
    runner_id: RunnerId | None = None
    last_error: ChatError | None = None
    retry_state: RetryState | None = None
    action: Action | None = None
    asks_owner: Asks | None = None
    """What the last assistant message asks of the owner. It counts while the chat rests and plans."""
    action_deadline_at: datetime | None = None
    compaction_requested_at: datetime | None = None
    budget_declined: bool = False
    """One-shot: the user declined to raise the budget, so the turn ends."""
    turn: MessageNumber = MessageNumber(0)
    """The number of the user message that began the current turn; 0 before the first."""
    turn_began_at: datetime | None = None
    """When the chat last went to work, or from one turn to the next."""
    asked_by: UserId | None = None
    """Who said what is being answered: the author of the newest message of a user. The turn acts as this person."""
    stopped_by: Author | None = None
    """Who stopped the turn, while it is being stopped."""
    continuing: bool = False
    """Whether the last step said that the turn goes on."""
    newest_is_user: bool = False
    """Whether the newest ordinary message is a user's, so that the turn cannot be over."""
    last_assistant: MessageNumber = MessageNumber(0)
    """The message that the open calls belong to."""
    open_calls: tuple[OpenCall, ...] = ()
    queue: tuple[QueueEntry, ...] = ()
    next_message: MessageNumber = MessageNumber(1)
    next_queued: QueuedNumber = QueuedNumber(1)
    file_count: int = 0
    """How many files people attached."""
    made_file_count: int = 0
    """How many files its tools made: they take no room from people's."""
    budget_limit: int | None = None
    budget_spent: int = 0
    budget_reserved: int = 0
    snapshot_version: int = 0
    history_version: int = 0
    queue_version: int = 0
    retry_version: int = 0
    generation_attempt: int = 0
    change_id: ChangeId | None = None
    updated_at: datetime | None = None

    @property
    def state(self) -> State:
        return _STATES.get((self.status, bool(self.queue), self.archived), State.INVALID)

    @property
    def owned(self) -> bool:
        return self.worker_id is not None

    def follows(self, known: "Chat") -> bool:
        """Whether it is a row that was seen, or comes after it: not where a failover lost that one."""
        if self.snapshot_version == known.snapshot_version:
            return self.change_id == known.change_id
        return self.snapshot_version > known.snapshot_version

    def call(self, index: int) -> OpenCall | None:
        return next((call for call in self.open_calls if call.index == index), None)
