"""How large a prompt is, how large it may be, and where to cut one that is too large."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from perdure.agent.history import History
from perdure.core.message import Kind, Message, NewMessage, Role, ToolCall, ToolResult
from perdure.providers.estimate import estimate
from perdure.providers.request import ToolSpec

# A window nobody told us of is taken for a small one.
UNKNOWN_WINDOW = 128_000
# A provider's figure is believed as long as it is not wildly beyond what the bytes could be.
BELIEVABLE = 2
# More of the same would not help.
COMPACTIONS_IN_A_ROW = 3
# A compaction by itself waits until what was said takes at least this part of the limit.
SMALLEST_SHARE = 4


@dataclass(frozen=True)
class Frame:
    """What every prompt of a chat carries besides its messages."""

    system: tuple[str, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    files: Mapping[str, int] = field(default_factory=dict[str, int])
    """By the id of a file that a message names: the tokens of it as it is sent."""

    @cached_property
    def tokens(self) -> int:
        return estimate((), system=self.system, tools=self.tools)

    def of(self, messages: Iterable[NewMessage]) -> int:
        """Tokens of messages with their files."""
        return estimate(messages, files=self.files)


NO_FRAME = Frame()


def said_tokens(history: History, frame: Frame) -> int:
    """An estimate of what was said, with the files."""
    return history.view.tokens + sum(frame.files.get(file_id, 0) for file_id in history.view.files)


def prompt_tokens(history: History, frame: Frame) -> int:
    """The last reported usage plus an estimate of everything since, or an estimate of it all."""
    prompt = history.prompt()
    estimated = frame.tokens + said_tokens(history, frame)
    last = next((index for index in range(len(prompt) - 1, -1, -1) if _reported(prompt[index])), None)
    boundary = history.boundary
    if last is None or (boundary is not None and prompt[last].number < boundary.number):
        return estimated
    usage = prompt[last].usage
    assert usage is not None
    since = usage.input + usage.output + frame.of(prompt[last + 1 :])
    return min(since, BELIEVABLE * estimated)


def _reported(message: Message) -> bool:
    return message.role is Role.ASSISTANT and message.usage is not None and message.usage.input > 0


def compactions_since_answer(history: History) -> int:
    """How often the history was compacted without an answer in between."""
    count = 0
    for message in reversed(history.messages):
        if message.kind is Kind.BOUNDARY:
            count += 1
        elif message.kind is Kind.ORDINARY and message.role is Role.ASSISTANT:
            # Rows are in order of number; a boundary is younger than all that it covers.
            return count
    return count


def compactable(history: History) -> bool:
    """Whether an answer follows the newest summary."""
    said = reversed(history.prompt())
    return any(message.role is Role.ASSISTANT for message in said if message.kind is Kind.ORDINARY)


def may_compact(history: History) -> bool:
    """Whether another compaction could help."""
    return compactable(history) and compactions_since_answer(history) < COMPACTIONS_IN_A_ROW


def worth_compacting(history: History, frame: Frame, limit: float) -> bool:
    """Whether a prompt is over the limit because of what was said: no summary makes tools and system text smaller."""
    return may_compact(history) and said_tokens(history, frame) * SMALLEST_SHARE >= limit


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
