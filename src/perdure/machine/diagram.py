"""Which arrow leads where. This table draws the diagram in the docs, and every landing is checked against it."""

from collections.abc import Mapping

from perdure.core.chat import State
from perdure.machine.transitions import (
    Abandon,
    Acquire,
    CancelRequiresAction,
    CommitStep,
    CompleteRequiresAction,
    Create,
    DeleteQueuedMessage,
    EditMessage,
    EditQueuedMessage,
    EnterRequiresAction,
    FinishError,
    FinishInterruption,
    FinishTurn,
    Interrupt,
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

N, W, E0, E1, R0, R1 = State.N, State.W, State.E0, State.E1, State.R0, State.R1
I0, I1, A0, A1 = State.I0, State.I1, State.A0, State.A1
XW, XE0, XE1, INVALID = State.XW, State.XE0, State.XE1, State.INVALID

TransitionType = type[Transition]

ARROWS: Mapping[State, Mapping[TransitionType, set[State]]] = {
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
    for state, arrows in ARROWS.items()
}
