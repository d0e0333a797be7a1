"""What clients of OpenAI's API send, with the tools and efforts that they ask for. The rest is ignored."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from perdure.api.uploads import FILE_LIMIT
from perdure.api.wire.chats import ClientTool, ClientTools
from perdure.core.errors import InvalidInput, Validation
from perdure.core.message import Effort
from perdure.faces.content import AnyContent, ContentPart

BODY_LIMIT = 4 * FILE_LIMIT // 3 * 2
"""Room for two of the largest files, written as base64."""
Metadata = Annotated[
    dict[Annotated[str, Meta(max_length=64)], Annotated[str, Meta(max_length=512)]], Meta(max_length=16)
]


class Function(Struct, frozen=True, kw_only=True):
    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    arguments: str = ""


class RequestedCall(Struct, frozen=True, kw_only=True):
    id: str
    function: Function
    type: str = "function"


class ChatMessage(Struct, frozen=True, kw_only=True):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: AnyContent = None
    tool_calls: tuple[RequestedCall, ...] | None = None
    tool_call_id: str | None = None


class OfferedTool(Struct, frozen=True, kw_only=True):
    """A tool of the client: `function` holds it in chat completions, in responses it stands by itself."""

    type: str
    function: Function | None = None
    name: str | None = None
    description: str | None = None
    parameters: dict[str, Any] | None = None


class StreamOptions(Struct, frozen=True, kw_only=True):
    include_usage: bool = False


class CompletionBody(Struct, frozen=True, kw_only=True):
    model: str
    messages: Annotated[tuple[ChatMessage, ...], Meta(min_length=1)]
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    tools: tuple[OfferedTool, ...] | None = None
    reasoning_effort: str | None = None
    user: str | None = None
    n: int | None = None


class InputItem(Struct, frozen=True, kw_only=True):
    """Something that was said, called or returned, or a reference to it."""

    type: str = "message"
    role: str | None = None
    content: AnyContent = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    output: str | tuple[ContentPart, ...] | None = None
    id: str | None = None


class Named(Struct, frozen=True):
    id: str


class ReasoningOptions(Struct, frozen=True, kw_only=True):
    effort: str | None = None


class ResponseBody(Struct, frozen=True, kw_only=True):
    model: str | None = None
    input: str | tuple[InputItem, ...] = ()
    instructions: str | None = None
    stream: bool | None = False
    background: bool | None = False
    previous_response_id: str | None = None
    conversation: str | Named | None = None
    tools: tuple[OfferedTool, ...] | None = None
    reasoning: ReasoningOptions | None = None
    metadata: Metadata | None = None
    user: str | None = None


class ConversationBody(Struct, frozen=True, kw_only=True):
    items: Annotated[tuple[InputItem, ...], Meta(max_length=20)] | None = None
    metadata: Metadata | None = None


class MetadataBody(Struct, frozen=True):
    metadata: Metadata | None


class ItemsBody(Struct, frozen=True):
    items: Annotated[tuple[InputItem, ...], Meta(min_length=1, max_length=20)]


def client_tools(tools: Iterable[OfferedTool] | None) -> ClientTools:
    """The functions that the client runs itself. Tools of OpenAI's own are not here."""
    return tuple(tool for offered in tools or () if (tool := _client_tool(offered)) is not None)


def _client_tool(offered: OfferedTool) -> ClientTool | None:
    if offered.type != "function":
        return None
    said = offered.function or offered
    tool = {"name": said.name, "description": said.description or "", "schema": said.parameters or {}}
    try:
        return msgspec.convert(tool, ClientTool)
    except msgspec.ValidationError as error:
        raise InvalidInput("A tool is not valid.", Validation("tools", str(error))) from None


def effort_of(text: str | None) -> Effort | None:
    if text is None:
        return None
    try:
        return Effort(text)
    except ValueError:
        known = ", ".join(Effort)
        raise InvalidInput(
            f"The effort must be one of {known}.", Validation("reasoning_effort", "is not known")
        ) from None
