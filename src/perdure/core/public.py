"""What clients may see of messages and parts: nothing that is meant for models alone."""

from collections.abc import Iterable

from msgspec.structs import replace

from perdure.core.deltas import AnyDelta, ReasoningDelta, TextDelta, ToolCallDelta, ToolResultDelta
from perdure.core.events import QueuedMessage
from perdure.core.message import AnyPart, Message, Reasoning, Role, Text, ToolCall, ToolResult, Visibility


def visible(message: Message) -> bool:
    """Whether people see the message at all."""
    return message.visibility is not Visibility.MODEL and message.role is not Role.SYSTEM


def public_message(message: Message) -> Message:
    """The message without what only its model can read."""
    parts = _shown(message.parts)
    return replace(message, parts=parts, provider_response_id=None, system_mark=None, covers=None)


def public_queued(queued: QueuedMessage) -> QueuedMessage:
    """A waiting message without what was added for its model alone."""
    return replace(queued, parts=_shown(queued.parts))


def _shown(parts: tuple[AnyPart, ...]) -> tuple[AnyPart, ...]:
    return tuple(public_part(part) for part in parts if not (isinstance(part, Text) and part.model_only))


def public_part(part: AnyPart) -> AnyPart:
    match part:
        case Text() | Reasoning() | ToolCall() | ToolResult():
            return part if part.provider_metadata is None else replace(part, provider_metadata=None)
        case _:
            return part


def public_delta(delta: AnyDelta) -> AnyDelta:
    match delta:
        case TextDelta() | ReasoningDelta() | ToolCallDelta() | ToolResultDelta() if (
            delta.provider_metadata is not None
        ):
            return replace(delta, provider_metadata=None)
        case _:
            return delta


def shown_text(parts: Iterable[AnyPart]) -> str:
    """What people read in the parts."""
    return "\n".join(part.text for part in parts if isinstance(part, Text) and not part.model_only)
