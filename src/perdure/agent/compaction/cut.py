"""Where to cut: what is summarised, and the recent tail that is kept word for word."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from perdure.agent.compaction.size import NO_FRAME, Frame
from perdure.core.message import Kind, Message, Role
from perdure.core.parts import ToolCall, ToolResult


@dataclass(frozen=True, slots=True)
class Cut:
    """The old part, which a summary will stand for, and the tail."""

    old: tuple[Message, ...]
    tail: tuple[Message, ...]


def cut_at(prompt: Sequence[Message], room: int, frame: Frame = NO_FRAME) -> Cut:
    """The longest tail that fits the room and begins where no call is left without its result."""
    messages = [message for message in prompt if message.kind is not Kind.BOUNDARY]
    starts = frozenset(_starts(messages))
    used, best = 0, len(messages)
    for index in range(len(messages) - 1, -1, -1):
        used += frame.of((messages[index],))
        if used > room:
            break
        if index in starts:
            best = index
    return Cut(tuple(prompt[: len(prompt) - len(messages) + best]), tuple(messages[best:]))


def _starts(messages: Sequence[Message]) -> Iterator[int]:
    """Where a prompt may begin: not in the middle of an answer and its results."""
    unanswered: frozenset[str] = frozenset()
    for index, message in enumerate(messages):
        if message.role is Role.TOOL:
            unanswered -= {part.call_id for part in message.parts if isinstance(part, ToolResult)}
            continue
        if not unanswered:
            yield index
        unanswered = _calls(message) if message.role is Role.ASSISTANT else frozenset[str]()


def _calls(message: Message) -> frozenset[str]:
    return frozenset(p.call_id for p in message.parts if isinstance(p, ToolCall) and not p.provider_executed)
