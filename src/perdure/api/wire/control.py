"""Queue and control on the wire."""

from enum import StrEnum
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from perdure.api.wire.chats import Micros, Number
from perdure.api.wire.content import Content
from perdure.core.ids import QueuedNumber

CallId = Annotated[str, Meta(min_length=1, max_length=512)]


class TurnBody(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    turn: Number | None = None
    """The turn that is meant. Once it is over, nothing is interrupted."""


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    """A body that says nothing."""


class RetryBody(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    compact: bool = False
    """Whether older messages are summarised first, to make room."""


class QueuedEditBody(Struct, frozen=True, forbid_unknown_fields=True):
    content: Content


class OrderBody(Struct, frozen=True, forbid_unknown_fields=True):
    order: Annotated[tuple[QueuedNumber, ...], Meta(max_length=20)]


class ToolOutput(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    call_id: CallId
    output: Any
    is_error: bool = False


class ToolResultsBody(Struct, frozen=True, forbid_unknown_fields=True):
    results: Annotated[tuple[ToolOutput, ...], Meta(min_length=1, max_length=250)]


class Choice(StrEnum):
    APPROVE = "approve"
    APPROVE_ALWAYS = "approve_always"
    DENY = "deny"
    HAPPENED = "happened"
    REPEAT = "repeat"
    SKIP = "skip"
    ANSWER = "answer"


class AnswerAction(StrEnum):
    ACCEPT = "accept"
    DECLINE = "decline"
    CANCEL = "cancel"


class FormAnswer(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What somebody answers to one question."""

    action: AnswerAction
    content: dict[str, Any] | UnsetType = UNSET
    """The form, filled in."""


class CallDecision(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    call_id: CallId
    decision: Choice
    result: Annotated[str, Meta(max_length=64 * 1024)] = ""
    answers: Annotated[dict[str, FormAnswer], Meta(max_length=100)] = {}
    """For `answer`: to all that the call asks, by key."""


class ActionBody(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Exactly one of the three: decisions about calls, a new limit, or declining to raise it."""

    decisions: Annotated[tuple[CallDecision, ...], Meta(max_length=250)] = ()
    limit: Micros | None = None
    decline: bool = False
    message: Number | None = None
    """The number of the message whose calls are meant. Once the chat waits for others, nothing is decided."""
