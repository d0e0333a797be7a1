"""Where to cut: what is summarised, and the recent tail that is kept word for word."""

from collections.abc import Sequence
from dataclasses import dataclass

from perdure.core.message import Kind, Message, Role
from perdure.core.parts import ToolCall, ToolResult
from perdure.providers.estimate import estimate


@dataclass(frozen=True, slots=True)
class Cut:
    """The old part, which a summary will stand for, and the tail."""

    old: tuple[Message, ...]
    tail: tuple[Message, ...]


def cut_at(prompt: Sequence[Message], room: int) -> Cut:
    """The longest tail that fits the room and begins where no call is left without its result."""
    messages = [message for message in prompt if message.kind is not Kind.BOUNDARY]
    starts = [index for index in range(len(messages) + 1) if _clean(messages, index)]
    used, best = 0, len(messages)
    for index in range(len(messages) - 1, -1, -1):
        used += estimate((messages[index],))
        if used > room:
            break
        if index in starts:
            best = index
    return Cut(tuple(prompt[: len(prompt) - len(messages) + best]), tuple(messages[best:]))


def _clean(messages: Sequence[Message], index: int) -> bool:
    """Whether a prompt may begin here: not in the middle of an answer and its results."""
    if index == len(messages):
        return not _open(messages)
    return messages[index].role is not Role.TOOL and not _open(messages[:index])


def _open(messages: Sequence[Message]) -> bool:
    """Whether the last answer among these has calls without results."""
    answered: set[str] = set()
    for message in reversed(messages):
        if message.role is Role.TOOL:
            answered |= {part.call_id for part in message.parts if isinstance(part, ToolResult)}
        elif message.role is Role.ASSISTANT:
            calls = {p.call_id for p in message.parts if isinstance(p, ToolCall) and not p.provider_executed}
            return not calls <= answered
        else:
            return False
    return False
