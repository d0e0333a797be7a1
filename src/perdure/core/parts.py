"""The parts a message is made of: one representation from the provider's stream to the rows and the wire."""

from datetime import datetime
from typing import Any

from msgspec import Struct


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


class NoticePart(Part, frozen=True, tag="notice"):
    """Something the system tells people. Never sent to a model."""

    kind: str
    text: str


AnyPart = Text | Reasoning | ToolCall | ToolResult | Source | File | FileReference | NoticePart
