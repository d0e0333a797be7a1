"""What was done and seen during a chaos run, with times: the clients' side of the evidence."""

import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from uuid import UUID

from perdure.core.timing import LEASE

QUIET = LEASE + timedelta(seconds=2.5)
"""How long nothing else goes wrong after a kill that is watched."""
ASLEEP = LEASE + timedelta(seconds=3)
"""How long a process sleeps at most."""


def clock(at: float) -> str:
    """A moment, as a timeline shows it."""
    return datetime.fromtimestamp(at, UTC).strftime("%H:%M:%S.%f")[:-3]


class RequestOutcome(StrEnum):
    ACCEPTED = "accepted"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    """Nobody heard whether it happened."""


@dataclass(frozen=True, slots=True)
class Operation:
    """Something that a client asked for."""

    at: float
    chat_id: UUID
    verb: str
    outcome: RequestOutcome
    marker: str = ""
    """The client id of the message that was sent."""
    number: int = 0
    """The queued message, or the message, that was meant."""
    busy: str = ""
    """The line it waits in: `steer`, `queue`, or none."""


@dataclass(frozen=True, slots=True)
class ReceivedMessage:
    """A committed message as a client heard of it."""

    at: float
    chat_id: UUID
    number: int
    revision: int


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that the nemesis did."""

    at: float
    kind: str
    target: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a model was asked, as the simulator heard it."""

    at: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A chat whose owner stopped or edited it while the commit of its runner was unanswered."""

    chat_id: UUID
    member: str
    """Whose connection was stalled."""
    verb: str
    begun: float
    accepted: float
    noticed: int
    """The newest snapshot that this replica had notice of, some time before its commit was answered."""
    released: float
    """When its commit was answered."""
    asked: tuple[Asked, ...] = ()
    """What the model was asked afterwards, for a while."""


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that must not be."""

    rule: int
    chat_id: UUID | None
    text: str


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of a chat's timeline."""

    at: float
    chat_id: UUID | None
    who: str
    text: str


@dataclass(slots=True)
class RunLog:
    """Everything written down, in the order in which it happened."""

    operations: list[Operation] = field(default_factory=list[Operation])
    told: list[ReceivedMessage] = field(default_factory=list[ReceivedMessage])
    faults: list[Fault] = field(default_factory=list[Fault])
    wrong: list[Violation] = field(default_factory=list[Violation])
    lines: list[LogLine] = field(default_factory=list[LogLine])
    asked: Counter[str] = field(default_factory=Counter[str])
    """What parked chats asked for, by kind."""
    watched: list[tuple[UUID, float]] = field(default_factory=list[tuple[UUID, float]])
    """Chats whose driver was killed, and when, with nothing else going wrong for a while."""
    unserved: list[float] = field(default_factory=list[float])
    """When it was seen that no replica ran."""
    calm_since: float | None = None
    """When people stopped to act, and things to break."""
    moved: list[Moved] = field(default_factory=list[Moved])
    parts: int = 0
    reconnects: int = 0
    gaps: int = 0

    def note(self, chat_id: UUID | None, who: str, text: str) -> None:
        self.lines.append(LogLine(time.time(), chat_id, who, text))

    def did(self, operation: Operation) -> None:
        self.operations.append(operation)
        what = f"{operation.verb} {operation.marker or operation.number or ''} {operation.busy}".strip()
        self.lines.append(LogLine(operation.at, operation.chat_id, "client", f"{what}: {operation.outcome}"))

    def struck(self, kind: str, target: str = "") -> None:
        self.faults.append(Fault(time.time(), kind, target))
        self.lines.append(LogLine(time.time(), None, "nemesis", f"{kind} {target}".strip()))

    def violated(self, rule: int, chat_id: UUID | None, text: str) -> None:
        self.wrong.append(Violation(rule, chat_id, text))
        self.note(chat_id, "VIOLATION", text)
