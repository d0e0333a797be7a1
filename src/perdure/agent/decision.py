"""What a chat may need next, and the facts that this is decided by."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from perdure.core.action import ActionKind, Approvers, Breach, OpenCall, Question

STEP_LIMIT = 1200


class Policy(StrEnum):
    """Whether a tool's calls run unasked."""

    AUTO = "auto"
    ASK = "ask"
    DENY = "deny"


class Known(StrEnum):
    """What the journal knows about an open call that this runner did not start."""

    FINISHED = "finished"
    UNKNOWN = "unknown"
    """A once-call that was started elsewhere and never came back."""
    ASKING = "asking"
    """It asks a person something, and goes on with the answer."""


class Ending(StrEnum):
    COMPLETE = "complete"
    STOP_AFTER_TOOL = "stop_after_tool"
    MAX_STEPS = "max_steps"
    BUDGET_DECLINED = "budget_declined"


class Source(StrEnum):
    """Why the history is compacted."""

    MANUAL = "manual"
    AUTOMATIC = "automatic"
    OVERFLOW = "overflow"


@dataclass(frozen=True, slots=True)
class RunTools:
    calls: tuple[OpenCall, ...]


@dataclass(frozen=True, slots=True)
class RefuseBatch:
    """A call that must be alone is not: none of them runs."""

    exclusive: str


@dataclass(frozen=True, slots=True)
class Park:
    kind: ActionKind
    calls: tuple[OpenCall, ...] = ()
    breach: Breach | None = None
    questions: tuple[Question, ...] = ()


@dataclass(frozen=True, slots=True)
class Compact:
    source: Source


@dataclass(frozen=True, slots=True)
class Finish:
    ending: Ending


@dataclass(frozen=True, slots=True)
class Generate:
    """Ask the model."""


Decision = RunTools | RefuseBatch | Park | Compact | Finish | Generate


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What Decide needs besides the row and the history."""

    policies: Mapping[str, Policy] = field(default_factory=dict[str, Policy])
    journal: Mapping[int, Known] = field(default_factory=dict[int, Known])
    """By call index."""
    questions: tuple[Question, ...] = ()
    """What calls ask that go on with the answer."""
    over_threshold: bool = False
    overflowed: bool = False
    """The provider just refused the prompt for its size."""
    over_budget: Breach | None = None
    """The budget that the next model call does not fit."""
    worst_case: int = 0
    """What to set aside on the row for a model call, where the chat has a budget of its own."""
    compactable: bool = True
    step_limit: int = STEP_LIMIT
    approvers: Approvers = Approvers.ANYBODY
