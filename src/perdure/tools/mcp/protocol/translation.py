"""From the package's types and errors to our own."""

import base64

import httpx2
import msgspec
from mcp import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    REQUEST_TIMEOUT,
    AudioContent,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
    Tool,
)
from pydantic import ValidationError

from perdure.core.errors import PerdureError
from perdure.tools.mcp.messages import (
    CallResult,
    Image,
    ListedTool,
    NoAnswer,
    NotDelivered,
    Refusal,
    SignInNeeded,
    Unreachable,
)

_SIGN_IN = (401, 403)


def listed(tool: Tool) -> ListedTool:
    hints = tool.annotations
    return ListedTool(
        name=tool.name,
        description=tool.description or tool.title or "",
        schema=tool.input_schema,
        read_only=bool(hints and hints.read_only_hint),
        idempotent=bool(hints and hints.idempotent_hint),
        destructive=bool(hints and hints.destructive_hint),
        only_as_task=tool.execution is not None and tool.execution.task_support == "required",
    )


def call_result(result: CallToolResult) -> CallResult:
    texts = [text for block in result.content if (text := _text(block))]
    if not texts and result.structured_content is not None:
        texts = [msgspec.json.encode(result.structured_content).decode()]
    images = [image for block in result.content if (image := _image(block))]
    return CallResult(text="\n\n".join(texts), is_error=bool(result.is_error), images=tuple(images))


def _text(block: ContentBlock) -> str:
    match block:
        case TextContent(text=text):
            return text
        case EmbeddedResource(resource=TextResourceContents(text=text, uri=uri)):
            return f"[{uri}]\n{text}"
        case EmbeddedResource(resource=resource):
            return f"[{resource.uri}: {resource.mime_type or 'data'}, left out]"
        case ResourceLink(uri=uri, name=name):
            return f"[{name}]({uri})"
        case AudioContent(mime_type=media_type):
            return f"[a sound of type {media_type}, left out]"
        case _:
            return ""


def _image(block: ContentBlock) -> Image | None:
    if not isinstance(block, ImageContent):
        return None
    try:
        return Image(block.mime_type, base64.b64decode(block.data, validate=True))
    except ValueError:
        return None


def explained(error: BaseException, status: int | None = None) -> Exception:
    """What an error means for whoever asked. `status` is what HTTP said last, if that was not good."""
    match error:
        case BaseExceptionGroup():
            return explained(error.exceptions[0], status)
        case Unreachable() | Refusal():
            return error
        case MCPError():
            return _refused(error, status)
        case TimeoutError():
            return NoAnswer("it gave no answer in time")
        case httpx2.HTTPError() | OSError():
            return _unreached(error)
        case PerdureError():
            return Unreachable(str(error))
        case ValidationError():
            return Refusal("it answered something that is not in the protocol")
        case _:
            return Refusal(f"it failed: {str(error)[:500] or type(error).__name__}")


def _unreached(error: httpx2.HTTPError | OSError) -> Unreachable:
    match error:
        case httpx2.HTTPStatusError(response=response) if response.status_code in _SIGN_IN:
            return SignInNeeded(f"it wants somebody to sign in (HTTP {response.status_code})")
        case httpx2.HTTPStatusError(response=response):
            return Unreachable(f"it answered with HTTP {response.status_code}")
        case httpx2.ConnectError() | httpx2.ConnectTimeout():
            return NotDelivered("nobody answers at its address")
        case _:
            return NoAnswer("the connection broke")


def _refused(error: MCPError, status: int | None) -> Exception:
    if status in _SIGN_IN:
        return SignInNeeded(f"it wants somebody to sign in (HTTP {status})")
    if error.code == REQUEST_TIMEOUT:
        return NoAnswer("it gave no answer in time")
    if error.code == INVALID_REQUEST and error.message == "Session terminated":
        return NotDelivered("it ended the session")
    if error.code == CONNECTION_CLOSED:
        return NoAnswer("it closed the connection")
    if status is not None and error.code == INTERNAL_ERROR:
        # Some servers refuse a session that they do not know in this way: nothing was carried out.
        return (NotDelivered if status < 500 else NoAnswer)(f"it answered with HTTP {status}")
    return Refusal(error.message[:2_000])
