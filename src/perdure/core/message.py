"""A committed message, and a message about to be committed."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from perdure.core.ids import MessageNumber, ModelName, QueuedNumber, UserId
from perdure.core.parts import AnyPart
from perdure.core.usage import Usage


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Visibility(StrEnum):
    """Who reads a message: people and models, only people, or only models."""

    BOTH = "both"
    USER = "user"
    MODEL = "model"


class Kind(StrEnum):
    """Why a row is in the history. Only `ORDINARY` rows count as steps of the conversation."""

    ORDINARY = "ordinary"
    BOUNDARY = "boundary"
    """A summary, for models only, that stands for everything up to the number it covers."""
    COMPACTION = "compaction"
    """The visible call and result that tell people about a compaction."""
    HOOK = "hook"
    NOTICE = "notice"
    CONTEXT = "context"
    """What the workspace says about itself, pinned."""


class Effort(StrEnum):
    """How hard a model thinks, weakest first."""

    NONE = "none"
    MINIMAL = "minimal"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    XHIGH = "xhigh"
    MAX = "max"


class FinishReason(StrEnum):
    STOP = "stop"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    PAUSED = "paused"
    CONTENT_FILTER = "content_filter"
    INTERRUPTED = "interrupted"


class NewMessage(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A message as somebody asks for it, before it has a number."""

    role: Role
    parts: tuple[AnyPart, ...]
    visibility: Visibility = Visibility.BOTH
    kind: Kind = Kind.ORDINARY
    created_by: UserId | None = None
    model: ModelName | None = None
    effort: Effort | None = None
    usage: Usage | None = None
    cost: int | None = None
    """Micro-dollars; None where no price is known."""
    runtime_ms: int | None = None
    context_limit: int | None = None
    finish_reason: FinishReason | None = None
    provider_response_id: str | None = None
    system_mark: str | None = None
    """On an answer that the provider keeps: what its system text is recognised by."""
    client_id: str | None = None
    queued_as: QueuedNumber | None = None
    covers: MessageNumber | None = None
    """On a boundary row: the newest message that its summary stands for."""


class Message(NewMessage, frozen=True, kw_only=True, omit_defaults=True):
    """A message in the history."""

    number: MessageNumber
    revision: int
    created_at: datetime
