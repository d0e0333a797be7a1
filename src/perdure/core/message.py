"""Messages, committed and about to be: the parts they are made of, and what a model call used."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct

from perdure.core.author import Author
from perdure.core.ids import MessageNumber, ModelName, QueuedNumber, UserId

MOST_TOKENS = 1_000_000_000


class Usage(Struct, frozen=True, omit_defaults=True, gc=False):
    """Tokens as the provider counts them. `input` includes what was read from or written to its cache."""

    input: int = 0
    output: int = 0
    reasoning: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def possible(self) -> bool:
        """Whether a call can have used this much. Some servers say -1 or 4294967295 where they do not know."""
        return all(0 <= getattr(self, field) <= MOST_TOKENS for field in self.__struct_fields__)

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            reasoning=self.reasoning + other.reasoning,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
        )


class ProviderMetadata(Struct, frozen=True, omit_defaults=True, gc=False):
    """What only the model that produced a part can read: signatures, encrypted content. Never sent to clients."""

    dialect: str
    model: str
    data: dict[str, Any]


class Part(Struct, frozen=True, omit_defaults=True, gc=False, tag_field="type"):
    """A piece of a message."""


class Text(Part, frozen=True, tag="text"):
    text: str
    provider_metadata: ProviderMetadata | None = None
    model_only: bool = False
    """Added for the model by somebody else, and not shown to people."""


class Reasoning(Part, frozen=True, tag="reasoning"):
    text: str
    started_at: datetime | None = None
    completed_at: datetime | None = None
    provider_metadata: ProviderMetadata | None = None


class ToolCall(Part, frozen=True, tag="tool_call"):
    """A request for a tool. `args` is the JSON text exactly as the model wrote it, valid or not."""

    call_id: str
    tool: str
    args: str
    provider_executed: bool = False
    mcp_server_id: str | None = None
    rewritten: bool = False
    created_at: datetime | None = None
    provider_metadata: ProviderMetadata | None = None


class Media(Struct, frozen=True, omit_defaults=True, gc=False):
    """A picture or document a tool hands back, kept as a file of the chat."""

    file_id: str
    media_type: str
    name: str


class ToolResult(Part, frozen=True, tag="tool_result"):
    """A tool's answer. `result` is the text the model reads: plain, or JSON where the tool is structured."""

    call_id: str
    tool: str
    result: str
    is_error: bool = False
    media: tuple[Media, ...] = ()
    provider_executed: bool = False
    created_at: datetime | None = None
    decided_by: tuple[Author, ...] = ()
    """Who approved, denied or otherwise decided about the call."""
    provider_metadata: ProviderMetadata | None = None


class Source(Part, frozen=True, tag="source"):
    """A page the model consulted. For people; never sent back to a model."""

    id: str
    url: str
    title: str = ""


class File(Part, frozen=True, tag="file"):
    file_id: str
    name: str
    media_type: str


class FileReference(Part, frozen=True, tag="file_reference"):
    """Lines of a file that a person points at, with what they said then."""

    file_name: str
    start_line: int
    end_line: int
    content: str


STOPPED_TURN = "stopped"
"""The kind of a notice that says who stopped a turn."""


class NoticePart(Part, frozen=True, tag="notice"):
    """Something the system tells people. Never sent to a model."""

    kind: str
    text: str


AnyPart = Text | Reasoning | ToolCall | ToolResult | Source | File | FileReference | NoticePart


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
    author: str | None = None
    """The name of who said it, as it was then."""
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
    said_at: datetime | None = None
    """When it was said, if not now: it comes from another program. Read back, that is when it was created."""


class Message(NewMessage, frozen=True, kw_only=True, omit_defaults=True):
    """A message in the history."""

    number: MessageNumber
    revision: int
    created_at: datetime
