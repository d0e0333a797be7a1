"""Making messages smaller without a model: old tool outputs first, then whatever is largest."""

from collections.abc import Sequence

from msgspec import structs

from perdure.core.errors import ProviderFailure
from perdure.core.failure import ChatError, ErrorKind
from perdure.core.message import Message, NewMessage
from perdure.core.parts import AnyPart, FileReference, Text, ToolCall, ToolResult
from perdure.providers.estimate import BYTES_PER_TOKEN, estimate
from perdure.tools.budget import within

KEPT_OF_OUTPUT = 400
SMALLEST_PART = 600


def without_outputs(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with all but the edges of their tool outputs left out."""
    return tuple(
        structs.replace(message, parts=tuple(_short_output(part) for part in message.parts)) for message in messages
    )


def _short_output(part: AnyPart) -> AnyPart:
    if isinstance(part, ToolResult) and len(part.result) > KEPT_OF_OUTPUT:
        return structs.replace(part, result=within(part.result, KEPT_OF_OUTPUT), media=())
    return part


def fitted(messages: Sequence[NewMessage], room: int) -> Sequence[NewMessage]:
    """The messages, their largest texts cut in the prompt only, until they fit. The rows stay as they are."""
    if estimate(messages) <= room:
        return messages
    kept = list(messages)
    allowed = max((_largest(message) for message in kept), default=0)
    while estimate(kept) > room:
        allowed //= 2
        if allowed < SMALLEST_PART:
            raise ProviderFailure(_too_large(messages))
        kept = [_within(message, allowed) for message in messages]
    return kept


def _largest(message: NewMessage) -> int:
    return max((len(_text_of(part).encode()) for part in message.parts), default=0)


def _within(message: NewMessage, budget: int) -> NewMessage:
    if _largest(message) <= budget:
        return message
    return structs.replace(message, parts=tuple(_cut(part, budget) for part in message.parts))


def _cut(part: AnyPart, budget: int) -> AnyPart:
    match part:
        case Text(text=text):
            return structs.replace(part, text=within(text, budget))
        case ToolResult(result=text):
            return structs.replace(part, result=within(text, budget))
        case FileReference(content=text):
            return structs.replace(part, content=within(text, budget))
        case _:
            return part


def _text_of(part: AnyPart) -> str:
    match part:
        case Text(text=text) | ToolResult(result=text) | FileReference(content=text) | ToolCall(args=text):
            return text
        case _:
            return ""


def _too_large(messages: Sequence[NewMessage]) -> ChatError:
    parts = [(len(_text_of(part)), type(part).__name__) for message in messages for part in message.parts]
    size, kind = max(parts, default=(0, "message"))
    return ChatError(
        "The conversation does not fit the model's context, even after it was shortened.",
        ErrorKind.CONTEXT_OVERFLOW,
        detail=f"The largest part is a {kind.lower()} of about {size // BYTES_PER_TOKEN} tokens.",
    )
