"""Which arrow leads where. This table draws the diagram in the docs, and every landing is checked against it."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from types import GeneratorType

from perdure.core.chat import Chat, State, Status
from perdure.core.commit import Commit
from perdure.core.errors import ChatNotFound, InvalidState, TransitionNotAllowed
from perdure.core.ids import ChatId
from perdure.machine.planning import Draft
from perdure.machine.transitions import Transition
from perdure.machine.transitions.actions import CancelRequiresAction, CompleteRequiresAction, EnterRequiresAction
from perdure.machine.transitions.driving import Abandon, Acquire, CommitStep, RecordGenerationAttempt, RecordRetryState
from perdure.machine.transitions.endings import FinishError, FinishInterruption, FinishTurn, Interrupt, Retry
from perdure.machine.transitions.lifecycle import Create, ReconcileInvalidState, RequestCompaction, SetArchived, TakeIn
from perdure.machine.transitions.messages import EditMessage, SendMessage
from perdure.machine.transitions.queue import (
    DeleteQueuedMessage,
    EditQueuedMessage,
    PromoteQueuedMessage,
    ReorderQueue,
)

N, W, E0, E1, R0, R1 = State.N, State.W, State.E0, State.E1, State.R0, State.R1
I0, I1, A0, A1 = State.I0, State.I1, State.A0, State.A1
XW, XE0, XE1, INVALID = State.XW, State.XE0, State.XE1, State.INVALID

TransitionType = type[Transition]

_ARROWS: Mapping[State, Mapping[TransitionType, set[State]]] = {
    N: {Create: {R0, W}},
    W: {
        SendMessage: {R0},
        EditMessage: {R0},
        RequestCompaction: {R0},
        SetArchived: {XW},
        FinishError: {E0},
        TakeIn: {W},
    },
    E0: {SendMessage: {R0}, EditMessage: {R0}, RequestCompaction: {R0}, Retry: {R0}, SetArchived: {XE0}},
    E1: {
        SendMessage: {R1},
        EditMessage: {R0, R1},
        RequestCompaction: {R1},
        Retry: {R1},
        SetArchived: {XE1},
        DeleteQueuedMessage: {E0, E1},
        EditQueuedMessage: {E1},
        ReorderQueue: {E1},
        PromoteQueuedMessage: {R0, R1},
    },
    R0: {
        Retry: {R0},
        RecordGenerationAttempt: {R0},
        RecordRetryState: {R0},
        CommitStep: {R0},
        EnterRequiresAction: {A0},
        Interrupt: {I0},
        SendMessage: {R1, I1},
        EditMessage: {R0},
        FinishTurn: {W},
        FinishError: {E0},
    },
    R1: {
        Retry: {R1},
        RecordGenerationAttempt: {R1},
        RecordRetryState: {R1},
        CommitStep: {R0, R1},
        EnterRequiresAction: {A1},
        Interrupt: {I1},
        SendMessage: {R1, I1},
        EditMessage: {R0, R1},
        DeleteQueuedMessage: {R0, R1},
        EditQueuedMessage: {R1},
        ReorderQueue: {R1},
        PromoteQueuedMessage: {R1, I1},
        FinishTurn: {R0, R1},
        FinishError: {E1},
    },
    I0: {SendMessage: {I1}, EditMessage: {R0}, FinishInterruption: {W}},
    I1: {
        SendMessage: {I1},
        EditMessage: {R0, R1},
        DeleteQueuedMessage: {I0, I1},
        EditQueuedMessage: {I1},
        ReorderQueue: {I1},
        PromoteQueuedMessage: {I1},
        FinishInterruption: {R0, R1},
    },
    A0: {
        CompleteRequiresAction: {R0, A0},
        CancelRequiresAction: {R0},
        Interrupt: {R0, I0},
        SendMessage: {A1, R0, R1},
        EditMessage: {R0},
    },
    A1: {
        CompleteRequiresAction: {R1, A1},
        CancelRequiresAction: {R1},
        Interrupt: {R1, I1},
        SendMessage: {A1, R1},
        EditMessage: {R0, R1},
        DeleteQueuedMessage: {A0, A1},
        EditQueuedMessage: {A1},
        ReorderQueue: {A1},
        PromoteQueuedMessage: {R0, R1, A1},
    },
    XW: {SetArchived: {W}},
    XE0: {SetArchived: {E0}},
    XE1: {SetArchived: {E1}},
    INVALID: {ReconcileInvalidState: {E0, E1}},
}

_OWNERSHIP: tuple[TransitionType, ...] = (Acquire, Abandon)

DIAGRAM: Mapping[State, Mapping[TransitionType, set[State]]] = {
    state: arrows if state is N else {**arrows, **{ownership: {state} for ownership in _OWNERSHIP}}
    for state, arrows in _ARROWS.items()
}


def arrows() -> Iterator[tuple[State, str, State]]:
    """Every arrow that moves the state, as the drawing has it."""
    for state, targets in _ARROWS.items():
        for transition, landings in targets.items():
            for landing in sorted(landings, key=lambda s: s.value):
                yield state, transition.__name__, landing


class WrongLanding(Exception):
    """A transition planned a state that the diagram does not allow: a bug, caught before anything is written."""


Transitions = Sequence[Transition] | Generator[Transition, Chat]
"""One after the other. A generator is sent the chat as it is after each, so that it can choose the next by it."""


def follow(chat: Chat | None, transitions: Transitions, *, chat_id: ChatId | None = None) -> Commit:
    """Apply transitions one after the other; raise where the diagram has no arrow. Nothing is written."""
    base = chat if chat is not None else _nothing(chat_id)
    draft = Draft(chat, base)
    state = N if chat is None else base.state
    for transition in _each(transitions, draft) if isinstance(transitions, GeneratorType) else transitions:
        landings = _landings(state, transition)
        change = transition.plan(draft.chat)
        if change is None:
            continue
        draft.apply(change)
        state = draft.chat.state
        if state not in landings:
            raise WrongLanding(f"{type(transition).__name__} landed in {state.value}")
    return draft.commit()


def _each(transitions: Generator[Transition, Chat], draft: Draft) -> Iterator[Transition]:
    try:
        transition = next(transitions)
        while True:
            yield transition
            transition = transitions.send(draft.chat)
    except StopIteration:
        return


def _landings(state: State, transition: Transition) -> set[State]:
    landings = DIAGRAM[state].get(type(transition))
    if landings is not None:
        return landings
    if state is N:
        raise ChatNotFound
    if state is INVALID:
        raise InvalidState
    raise TransitionNotAllowed(type(transition).__name__, state.value)


def _nothing(chat_id: ChatId | None) -> Chat:
    assert chat_id is not None, "a new chat needs an id"
    return Chat(id=chat_id, status=Status.WAITING)
