"""The messages of a request in a dialect's words: what is settled as it was sent before, the rest anew."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from msgspec import Raw

from perdure.core.message import File, NewMessage, Role, Text, ToolCall, ToolResult
from perdure.providers.dialects.dialect import Json
from perdure.providers.dialects.wire import to_json
from perdure.providers.projection.transcript import Ids, for_models, project_beginning, project_rest
from perdure.providers.projection.turns import Target, Turn, thoughtful
from perdure.providers.prompt import Settled, block_hash
from perdure.providers.request import ModelRequest

Render = Callable[[list[Turn]], list[Json]]
# So many places to cut stay unsettled: a cache mark moves over the last two messages with every request.
RECENT_CUTS = 2


@dataclass(frozen=True, slots=True)
class Conversation:
    """A settled beginning as bytes, and the recent messages as the dialect says them."""

    settled: Settled
    turns: list[Turn]
    recent: list[Json]
    encoded: list[bytes]
    """The recent messages, before anything is marked in them."""

    @property
    def hashes(self) -> tuple[str, ...]:
        """One for every message."""
        return *self.settled.hashes, *map(block_hash, self.encoded)

    @property
    def begun_with_thought(self) -> bool | None:
        return thoughtful(self.turns, self.settled.thoughtful, after_tools=self.settled.after_tools)

    def body(self, marked: int = 0) -> list[Raw]:
        """What goes into the request's list: the last so many messages as they are marked by now."""
        plain = self.encoded[: len(self.encoded) - marked]
        recent = [to_json(message) for message in self.recent[len(plain) :]]
        return [Raw(piece) for piece in (self.settled.body, *plain, *recent) if piece]


def conversation(
    request: ModelRequest, target: Target, render: Render, *, key: object = None, messages: Sequence[NewMessage] = ()
) -> Conversation:
    """The request's messages, or those given in their place. `key` is what rendering depends on besides the target."""
    settled = Settled() if messages or request.settled is None else request.settled
    every = messages or request.messages
    if not settled.begins(every, (target, key)):
        settled.forget((target, key))
    if request.settled is settled:
        _settle(settled, every, target, render)
    count = len(settled.messages)
    ids = Ids(set(settled.call_ids))
    turns = project_rest(every[count:], target, request.files, ids, begins=not count)
    recent = render(turns)
    return Conversation(settled, turns, recent, [to_json(message) for message in recent])


def _settle(settled: Settled, messages: Sequence[NewMessage], target: Target, render: Render) -> None:
    """Encode whatever no later message can change any more."""
    count = len(settled.messages)
    cuts = list(_cuts(messages, count))
    if len(cuts) < RECENT_CUTS:
        return
    cut = cuts[-RECENT_CUTS]
    ids = Ids(set(settled.call_ids))
    turns = project_beginning(messages[count:cut], target, ids, begins=not count)
    encoded = [to_json(message) for message in render(turns)]
    settled.grow(messages[:cut], encoded, tuple(map(block_hash, encoded)))
    settled.call_ids = frozenset(ids.taken)
    settled.thoughtful = thoughtful(turns, settled.thoughtful, after_tools=settled.after_tools)
    settled.after_tools = messages[cut - 1].role is Role.TOOL


def _cuts(messages: Sequence[NewMessage], start: int) -> Iterator[int]:
    """Where everything before is settled: every call answered, no file, and somebody else speaks from here on."""
    unanswered: dict[str, int] = {}
    before: NewMessage | None = None
    for index in range(start, len(messages)):
        message = messages[index]
        if not for_models(message):
            continue
        if before is not None and not any(unanswered.values()) and _turns_over(before, message):
            yield index
        if _carries_files(message):
            return
        _count(unanswered, message)
        before = message


def _turns_over(before: NewMessage, message: NewMessage) -> bool:
    """Whether one certainly ends a turn of its kind and the other certainly begins one of another."""
    if before.role is Role.ASSISTANT:
        return message.role is Role.USER and _ends_in_text(before) and _says_something(message)
    if before.role is Role.TOOL:
        return message.role is Role.ASSISTANT and (_ends_in_text(message) or _calls(message))
    return False


def _ends_in_text(message: NewMessage) -> bool:
    last = message.parts[-1] if message.parts else None
    return isinstance(last, Text) and bool(last.text.strip())


def _says_something(message: NewMessage) -> bool:
    return any(isinstance(part, Text) and part.text.strip() for part in message.parts)


def _calls(message: NewMessage) -> bool:
    last = message.parts[-1] if message.parts else None
    return isinstance(last, ToolCall) and not last.provider_executed


def _carries_files(message: NewMessage) -> bool:
    return any(isinstance(part, File) or (isinstance(part, ToolResult) and part.media) for part in message.parts)


def _count(unanswered: dict[str, int], message: NewMessage) -> None:
    """Calls wait for results; a newer answer that repeats an id takes it over."""
    calls = [part.call_id for part in message.parts if isinstance(part, ToolCall) and not part.provider_executed]
    unanswered.update({call_id: calls.count(call_id) for call_id in calls})
    for part in message.parts:
        if isinstance(part, ToolResult) and not part.provider_executed:
            unanswered[part.call_id] = max(0, unanswered.get(part.call_id, 0) - 1)
