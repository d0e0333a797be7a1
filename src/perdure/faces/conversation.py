"""Which chat a client means that sends its whole history each time, and what is new in it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from perdure.core.message import Message, Role, Text, ToolCall, ToolResult


@dataclass(frozen=True, slots=True)
class Entry:
    """One message as such a client holds it: all that an agent said until somebody else had the word is one."""

    role: Role
    text: str = ""
    calls: tuple[str, ...] = ()
    """The client's own tools that an answer calls, or the call that a result is for."""
    number: int = field(default=0, compare=False)
    """Ours, where it is in a chat."""

    def same(self, other: "Entry") -> bool:
        """Whether both say the same, blanks aside: front ends trim and wrap what they keep."""
        return (
            self.role is other.role
            and self.calls == other.calls
            and "".join(self.text.split()) == "".join(other.text.split())
        )


def entries_of(messages: Sequence[Message], own_tools: frozenset[str]) -> list[Entry]:
    """A chat as the client knows it: calls and results of tools that are not its own stay out."""
    return joined(_single(messages, own_tools))


def joined(single: Iterable[Entry]) -> list[Entry]:
    """Entries with what an agent said in several steps as one."""
    entries: list[Entry] = []
    for entry in single:
        if entry.role is Role.ASSISTANT and entries and entries[-1].role is Role.ASSISTANT:
            before = entries.pop()
            text = "\n\n".join(filter(None, (before.text, entry.text)))
            entries.append(Entry(Role.ASSISTANT, text, before.calls + entry.calls, entry.number))
        else:
            entries.append(entry)
    return entries


def _single(messages: Sequence[Message], own_tools: frozenset[str]) -> Iterator[Entry]:
    for message in messages:
        match message.role:
            case Role.USER:
                yield Entry(Role.USER, text_of(message), number=message.number)
            case Role.ASSISTANT:
                calls = tuple(
                    part.call_id for part in message.parts if isinstance(part, ToolCall) and part.tool in own_tools
                )
                yield Entry(Role.ASSISTANT, text_of(message), calls, message.number)
            case Role.TOOL:
                for part in message.parts:
                    if isinstance(part, ToolResult) and part.tool in own_tools:
                        yield Entry(Role.TOOL, calls=(part.call_id,), number=message.number)
            case _:
                pass


def text_of(message: Message) -> str:
    return "\n\n".join(part.text for part in message.parts if isinstance(part, Text) and part.text.strip())


def common(ours: Sequence[Entry], theirs: Sequence[Entry]) -> int:
    """How many entries both begin with."""
    count = 0
    for one, other in zip(ours, theirs, strict=False):
        if not one.same(other):
            return count
        count += 1
    return count
