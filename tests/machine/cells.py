"""Every allowed cell of the matrix: from where, by what, to where, and each column and row that this writes.

A cell starts from a chat of `perdure.testing.chats`: a user's "hello" (1), then an answer (2) that asks for a file
(`read`, ours) and for the page (`ask`, the client's); where something waits, "first" (1) and "second" (2). Marks, an
error, a retry state and an owner are on every row, so that each cell shows what it keeps and what it clears.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from perdure.core.action import Action, ActionKind, Decision, OpenCall, Verdict
from perdure.core.author import Author
from perdure.core.chat import Busy, State, Status
from perdure.core.failure import ChatError, ErrorKind, RetryState
from perdure.core.ids import MessageNumber, QueuedNumber, ReplicaId, RunnerId, UserId
from perdure.core.message import NewMessage, Text
from perdure.machine.change import Owner, Reason
from perdure.machine.transitions import (
    INVALID_STATE,
    Abandon,
    Acquire,
    CancelRequiresAction,
    CommitStep,
    CompleteRequiresAction,
    DeleteQueuedMessage,
    EditQueuedMessage,
    EnterRequiresAction,
    FinishError,
    FinishInterruption,
    FinishTurn,
    Interrupt,
    Outcome,
    PromoteQueuedMessage,
    ReconcileInvalidState,
    RecordGenerationAttempt,
    RecordRetryState,
    ReorderQueue,
    RequestCompaction,
    Retry,
    SendMessage,
    SetArchived,
    TakeIn,
    Transition,
)
from perdure.testing.chats import ASK, KINDS, READ, resulted, said

W, E0, E1, R0, R1 = State.W, State.E0, State.E1, State.R0, State.R1
I0, I1, A0, A1 = State.I0, State.I1, State.A0, State.A1
XW, XE0, XE1, INVALID = State.XW, State.XE0, State.XE1, State.INVALID
EXISTING = tuple(state for state in State if state is not State.N)

V: Final = object()
"""Stands for the new snapshot version."""
A_MOMENT: Final = object()
"""Stands for a time that the database named."""

WRITER = UserId(UUID(int=1))
OLD_OWNER = Owner(ReplicaId(UUID(int=2)), RunnerId(UUID(int=3)))
NEW_OWNER = Owner(ReplicaId(UUID(int=4)), RunnerId(UUID(int=5)))
MARKED_AT = datetime(2030, 1, 1, tzinfo=UTC)
RETRYING = RetryState(3, 1000, "busy", ErrorKind.OVERLOADED, MARKED_AT)
LATER = RetryState(4, 2000, "busy", ErrorKind.OVERLOADED, MARKED_AT)
OTHER_FAILURE = ChatError("Something else.", ErrorKind.CONFIG)

Columns = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Edited:
    """Stands for an EditMessage of message 1, which the machine reads first."""

    text: str = "edited"
    among_others: bool = False
    """Whether the queue is somebody else's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One arrow from one state, and everything that it writes."""

    by: Transition | Edited
    of: State
    to: State
    columns: Columns
    rows: tuple[str, ...] = ()
    queued: tuple[str, ...] = ("first", "second")
    seed: str = "in_state"
    owned: bool = True
    hidden: tuple[int, ...] = ()
    left_queue: tuple[int, ...] = ()
    inbox: str | None = None
    card: Columns = field(default_factory=dict[str, object])

    @property
    def name(self) -> str:
        return "EditMessage" if isinstance(self.by, Edited) else type(self.by).__name__


# What a change of the history does to the versions; what a change does that keeps no mark.
HISTORY: Columns = {"history_version": V, "generation_attempt": 0, "retry_state": None, "retry_version": V}
UNMARKED: Columns = {"compaction_requested_at": None, "budget_declined": False}
UNPARKED: Columns = {"action": None, "action_deadline_at": None}
NOTHING: Columns = {}
CALMED: Columns = {"retry_state": None, "retry_version": V}
READ_OPEN, ASK_OPEN = OpenCall(0, "read", "read_file"), OpenCall(1, "ask", "ask_page", KINDS["ask_page"])


def new(text: str = "new") -> NewMessage:
    return said(text, WRITER)


def cancelled(reason: str, *calls: str) -> tuple[str, ...]:
    return tuple(f'tool {call} error "{reason}"' for call in calls)


def turn(number: int) -> Columns:
    """The columns after a user message of this number began a turn."""
    return {
        **HISTORY,
        **UNMARKED,
        "status": Status.RUNNING,
        "open_calls": (),
        "next_message": number + 1,
        "turn": number,
        "newest_is_user": True,
        "continuing": False,
    }


def of_queue(*numbers: int, **columns: object) -> Columns:
    return {"queue": numbers, "queue_version": V, **columns}


def sends() -> Iterator[Cell]:
    answers = cancelled(Reason.NEW_MESSAGE, "read", "ask")
    promoted = (*cancelled(Reason.PROMOTION, "read", "ask"), "user first queued as 1")
    for busy in Busy:
        send = SendMessage(new(), busy)
        for idle in (W, E0):
            yield Cell(by=send, of=idle, to=R0, rows=(*answers, "user new"), columns={**turn(5), "last_error": None})
        columns = {**turn(5), **of_queue(2, 3, next_queued=4), "last_error": None}
        yield Cell(by=send, of=E1, to=R1, rows=promoted, columns=columns)
        yield Cell(by=send, of=I0, to=I1, columns=of_queue(1, next_queued=2))
        yield Cell(by=send, of=I1, to=I1, columns=of_queue(1, 2, 3, next_queued=4))
    yield from sends_to_busy()


def sends_to_busy() -> Iterator[Cell]:
    for empty, full, one, three in ((R0, R1, (1,), (1, 2, 3)), (A0, A1, (1,), (1, 2, 3))):
        for by in (SendMessage(new()), SendMessage(new(), Busy.INTERRUPT, turn=MessageNumber(99))):
            yield Cell(by=by, of=empty, to=full, columns=of_queue(*one, next_queued=2))
            yield Cell(by=by, of=full, to=full, columns=of_queue(*three, next_queued=4))
    steer, stop = SendMessage(new(), Busy.STEER), SendMessage(new(), Busy.INTERRUPT, turn=MessageNumber(1))
    yield Cell(by=steer, of=R0, to=R1, columns=of_queue(-1, next_queued=2))
    yield Cell(by=steer, of=R1, to=R1, columns=of_queue(1, 2, -3, next_queued=4))
    yield Cell(by=steer, of=A0, to=A1, columns=of_queue(1, next_queued=2))
    yield Cell(by=steer, of=A1, to=A1, columns=of_queue(1, 2, 3, next_queued=4))
    yield Cell(by=stop, of=R0, to=I1, columns=of_queue(1, next_queued=2, status=Status.INTERRUPTING))
    yield Cell(by=stop, of=R1, to=I1, columns=of_queue(1, 2, 3, next_queued=4, status=Status.INTERRUPTING))
    told = cancelled(Reason.USER_MESSAGE, "ask")
    yield Cell(by=stop, of=A0, to=R1, rows=told, columns={**ASK_ANSWERED, **of_queue(1, next_queued=2)})
    yield Cell(by=stop, of=A1, to=R1, rows=told, columns={**ASK_ANSWERED, **of_queue(1, 2, 3, next_queued=4)})


# The columns after the only call that the action asks about got its answer, with one of ours still open.
ASK_ANSWERED: Columns = {
    **HISTORY,
    **UNMARKED,
    **UNPARKED,
    "status": Status.RUNNING,
    "open_calls": (READ_OPEN,),
    "next_message": 4,
    "continuing": True,
}


def steers_of_parents() -> Iterator[Cell]:
    """Rule 14: parked on children, a steer message enters at once and starts no turn."""
    known = SendMessage(new(), Busy.STEER, known='"one of two has finished"')
    columns = {**turn(4), **UNPARKED, "turn": 1, "continuing": True}
    rows = ('tool wait "one of two has finished"', "user new")
    yield Cell(by=known, of=A0, to=R0, seed="children", queued=(), rows=rows, columns=columns)
    yield Cell(by=known, of=A1, to=R1, seed="children", rows=rows, columns=columns)


def edits() -> Iterator[Cell]:
    for state in (W, E0, E1, R0, R1, I0, I1, A0, A1):
        columns: dict[str, object] = {**turn(3), "last_error": None, "last_assistant": 0, "budget_reserved": 0}
        if state in (A0, A1):
            columns |= UNPARKED
        left = (1, 2) if state.value.endswith("1") else ()
        if left:
            columns |= of_queue()
        yield Cell(by=Edited(), of=state, to=R0, rows=("user edited",), columns=columns, hidden=(1, 2), left_queue=left)
        if left:
            kept = {name: value for name, value in columns.items() if name not in of_queue()}
            among = Edited(among_others=True)
            yield Cell(by=among, of=state, to=R1, rows=("user edited",), columns=kept, hidden=(1, 2))


def queue_changes() -> Iterator[Cell]:
    for full, empty in ((E1, E0), (R1, R0), (I1, I0), (A1, A0)):
        delete = DeleteQueuedMessage(QueuedNumber(1))
        yield Cell(by=delete, of=full, to=full, columns=of_queue(2), left_queue=(1,))
        yield Cell(by=delete, of=full, to=empty, columns=of_queue(), queued=("first",), left_queue=(1,))
        edit = EditQueuedMessage(QueuedNumber(2), (Text("rewritten"),))
        yield Cell(by=edit, of=full, to=full, columns=of_queue(1, 2))
        yield Cell(by=ReorderQueue((QueuedNumber(2), QueuedNumber(1))), of=full, to=full, columns=of_queue(2, 1))


def promotions() -> Iterator[Cell]:
    second, first = PromoteQueuedMessage(QueuedNumber(2)), PromoteQueuedMessage(QueuedNumber(1))
    rows = cancelled(Reason.PROMOTION, "read", "ask")
    for state, parked in ((E1, NOTHING), (A1, UNPARKED)):
        entered = {**turn(5), **parked, "last_error": None}
        yield Cell(
            by=second, of=state, to=R1, rows=(*rows, "user second queued as 2"), columns={**entered, **of_queue(1)}
        )
        yield Cell(
            by=first,
            of=state,
            to=R0,
            rows=(*rows, "user first queued as 1"),
            columns={**entered, **of_queue()},
            queued=("first",),
        )
    for state in (R1, I1):
        stopped = {**UNMARKED, "status": Status.INTERRUPTING}
        yield Cell(by=second, of=state, to=I1, columns={**stopped, **of_queue(2, 1)})
        yield Cell(by=first, of=state, to=I1, columns=stopped)
    too_late = PromoteQueuedMessage(QueuedNumber(2), turn=MessageNumber(99))
    for state in (R1, A1):
        yield Cell(by=too_late, of=state, to=state, columns=of_queue(2, 1))


def interruptions() -> Iterator[Cell]:
    stopped = {**UNMARKED, "status": Status.INTERRUPTING}
    for running, stopping in ((R0, I0), (R1, I1)):
        yield Cell(by=Interrupt(), of=running, to=stopping, columns=stopped)
    for parked, running in ((A0, R0), (A1, R1)):
        yield Cell(by=Interrupt(), of=parked, to=running, rows=cancelled(Reason.INTERRUPT, "ask"), columns=ASK_ANSWERED)
    for parked, stopping in ((A0, I0), (A1, I1)):
        yield Cell(
            by=Interrupt(),
            of=parked,
            to=stopping,
            seed="approval",
            queued=() if parked is A0 else ("first", "second"),
            rows=cancelled(Reason.INTERRUPT, "read"),
            columns={**stopped, **HISTORY, **UNPARKED, "open_calls": (), "next_message": 4},
        )


def ends_of_interruptions() -> Iterator[Cell]:
    partial = (resulted(READ, "a part"), resulted(ASK, "a part"))
    rows = ("tool read a part", "tool ask a part")
    rested = {
        **HISTORY,
        **UNMARKED,
        "status": Status.WAITING,
        "open_calls": (),
        "next_message": 5,
        "budget_reserved": 0,
    }
    finish = FinishInterruption(partial)
    unlabelled: Columns = {"turn_label": None}
    yield Cell(by=finish, of=I0, to=W, rows=rows, columns=rested, card=unlabelled)
    quiet = {**UNMARKED, **CALMED, "status": Status.WAITING, "budget_reserved": 0}
    yield Cell(by=FinishInterruption(), of=I0, to=W, seed="quiet", columns=quiet, card=unlabelled)
    went_on = {**turn(5), "budget_reserved": 0}
    rows = (*rows, "user first queued as 1")
    yield Cell(by=finish, of=I1, to=R1, rows=rows, columns={**went_on, **of_queue(2)}, card=unlabelled)
    columns = {**went_on, **of_queue()}
    yield Cell(by=finish, of=I1, to=R0, rows=rows, columns=columns, queued=("first",), card=unlabelled)


def answers() -> Iterator[Cell]:
    results = CompleteRequiresAction(outcomes=(Outcome("ask", "42"),), by=Author(WRITER, "Ada"))
    for parked, running in ((A0, R0), (A1, R1)):
        yield Cell(by=results, of=parked, to=running, rows=("tool ask 42",), columns=ASK_ANSWERED)
        rows = cancelled(Reason.TIMED_OUT, "ask")
        yield Cell(by=CancelRequiresAction(), of=parked, to=running, rows=rows, columns=ASK_ANSWERED)
        yield Cell(
            by=CompleteRequiresAction(decisions=(Decision("read", Verdict.APPROVE),)),
            of=parked,
            to=running,
            seed="approval",
            queued=() if parked is A0 else ("first", "second"),
            columns={
                **UNMARKED,
                **UNPARKED,
                "status": Status.RUNNING,
                "continuing": True,
                "open_calls": (OpenCall(0, "read", "read_file", cleared=True, cleared_in=4 if parked is A0 else 6),),
            },
        )
        denied = Decision("write", Verdict.DENY, "Not there.")
        yield Cell(
            by=CompleteRequiresAction(decisions=(denied,)),
            of=parked,
            to=parked,
            seed="approvals",
            queued=() if parked is A0 else ("first", "second"),
            columns={"action": Action(ActionKind.APPROVAL, (0, 1), decided=(denied,))},
        )


def steps() -> Iterator[Cell]:
    attempted = {"generation_attempt": 4, **CALMED, "budget_reserved": 0}
    stepped = {
        **HISTORY,
        "open_calls": (ASK_OPEN,),
        "next_message": 4,
        "continuing": True,
        "budget_reserved": 0,
    }
    step = CommitStep(messages=(resulted(READ),))
    compacted = CommitStep(messages=(resulted(READ),), consume_compaction=True)
    for state in (R0, R1):
        yield Cell(by=RecordGenerationAttempt(), of=state, to=state, columns=attempted)
        yield Cell(by=RecordRetryState(LATER), of=state, to=state, columns={"retry_state": LATER, "retry_version": V})
        yield Cell(by=RecordRetryState(RETRYING), of=state, to=state, columns={})
        yield Cell(by=step, of=state, to=state, rows=("tool read done",), columns=stepped)
        unasked = {**stepped, "compaction_requested_at": None}
        yield Cell(by=compacted, of=state, to=state, rows=("tool read done",), columns=unasked)
    delivers = CommitStep(messages=(resulted(READ), resulted(ASK)))
    yield Cell(
        by=delivers,
        of=R1,
        to=R0,
        seed="steered",
        rows=("tool read done", "tool ask done", "user steer queued as 1"),
        columns={
            **turn(5),
            **of_queue(),
            "turn": 1,
            "continuing": True,
            "budget_reserved": 0,
            "compaction_requested_at": MARKED_AT,
            "budget_declined": True,
        },
    )


def parking() -> Iterator[Cell]:
    for running, parked in ((R0, A0), (R1, A1)):
        columns = {
            **UNMARKED,
            **CALMED,
            "status": Status.REQUIRES_ACTION,
            "worker_id": None,
            "runner_id": None,
            "action": Action(ActionKind.CLIENT_TOOL, (1,)),
            "action_deadline_at": A_MOMENT,
            "budget_reserved": 0,
        }
        by = EnterRequiresAction(deadline=timedelta(minutes=5))
        yield Cell(by=by, of=running, to=parked, columns=columns, inbox="needs_you")


def endings() -> Iterator[Cell]:
    ended = {**UNMARKED, **CALMED, "budget_reserved": 0}
    turns = {"turns": 1}
    yield Cell(by=FinishTurn(), of=R0, to=W, columns={**ended, "status": Status.WAITING}, inbox="finished", card=turns)
    asked = FinishTurn(asks=True)
    yield Cell(by=asked, of=R0, to=W, columns={**ended, "status": Status.WAITING}, inbox="needs_you", card=turns)
    rows = (*cancelled(Reason.PROMOTION, "read", "ask"), "user first queued as 1")
    went_on = {**turn(5), "budget_reserved": 0}
    yield Cell(by=FinishTurn(), of=R1, to=R1, rows=rows, columns={**went_on, **of_queue(2)}, card=turns)
    yield Cell(
        by=FinishTurn(), of=R1, to=R0, rows=rows, columns={**went_on, **of_queue()}, queued=("first",), card=turns
    )
    for state, to in ((W, E0), (R0, E0), (R1, E1)):
        failed = {**ended, "status": Status.ERROR, "last_error": OTHER_FAILURE}
        unlabelled: Columns = {"turn_label": None}
        yield Cell(by=FinishError(OTHER_FAILURE), of=state, to=to, columns=failed, inbox="failed", card=unlabelled)
    for state, to in ((E0, R0), (E1, R1)):
        again = {**HISTORY, **UNMARKED, "status": Status.RUNNING, "last_error": None}
        yield Cell(by=Retry(), of=state, to=to, columns=again)
    for state in (R0, R1):
        yield Cell(by=Retry(), of=state, to=state, columns=HISTORY)
    for state, to in ((W, R0), (E0, R0), (E1, R1)):
        asked = {
            **HISTORY,
            "status": Status.RUNNING,
            "last_error": None,
            "compaction_requested_at": A_MOMENT,
            "budget_declined": False,
            "worker_id": None,
            "runner_id": None,
        }
        yield Cell(by=RequestCompaction(), of=state, to=to, columns=asked)


def archiving() -> Iterator[Cell]:
    for live, away in ((W, XW), (E0, XE0), (E1, XE1)):
        yield Cell(by=SetArchived(archived=True), of=live, to=away, columns={"archived": True}, card={"pin": 0})
        yield Cell(by=SetArchived(archived=False), of=away, to=live, columns={"archived": False})


def imports() -> Iterator[Cell]:
    rows = (*cancelled(Reason.NEW_MESSAGE, "read", "ask"), "user new")
    yield Cell(by=TakeIn((new(),)), of=W, to=W, rows=rows, columns={**turn(5), "status": Status.WAITING})
    over = {**turn(3), "status": Status.WAITING, "last_assistant": 0}
    cut = TakeIn((new(),), cut_from=MessageNumber(1))
    yield Cell(by=cut, of=W, to=W, rows=("user new",), columns=over, hidden=(1, 2))


def mending() -> Iterator[Cell]:
    for queued, to in (((), E0), (("first", "second"), E1)):
        yield Cell(
            by=ReconcileInvalidState(),
            of=INVALID,
            to=to,
            queued=queued,
            rows=cancelled(Reason.INVALID_STATE, "ask"),
            columns={
                **HISTORY,
                **UNMARKED,
                "status": Status.ERROR,
                "archived": False,
                "last_error": INVALID_STATE,
                "open_calls": (READ_OPEN,),
                "next_message": 4,
            },
        )


def ownership() -> Iterator[Cell]:
    nobody, somebody = {"worker_id": None, "runner_id": None}, {"worker_id": UUID(int=4), "runner_id": UUID(int=5)}
    for state in EXISTING:
        yield Cell(by=Acquire(NEW_OWNER), of=state, to=state, columns=somebody, owned=False)
        yield Cell(by=Acquire(NEW_OWNER, OLD_OWNER.worker_id), of=state, to=state, columns=somebody)
        yield Cell(by=Abandon(), of=state, to=state, columns=nobody)


KINDS_OF_CELLS: tuple[Callable[[], Iterator[Cell]], ...] = (
    sends,
    steers_of_parents,
    edits,
    queue_changes,
    promotions,
    interruptions,
    ends_of_interruptions,
    answers,
    steps,
    parking,
    endings,
    archiving,
    imports,
    mending,
    ownership,
)
CELLS = tuple(cell for kind in KINDS_OF_CELLS for cell in kind())
