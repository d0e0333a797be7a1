"""The neutral form of what a simulated model answers: steps made of parts, and scripts made of steps."""

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import msgspec

TOKEN = 4
"""Characters in a token, as the simulator counts."""

Finish: TypeAlias = Literal["stop", "length", "paused", "refusal"]


class Text(msgspec.Struct, frozen=True, tag="text"):
    """Words for the user."""

    text: str
    cited: bool = False
    chunk: int | None = None
    endless: bool = False
    counted: int | None = None
    """So many words, each naming the attempt and its place, instead of the text: see `counting`."""


class Reasoning(msgspec.Struct, frozen=True, tag="reasoning"):
    """The model thinking; `redacted` thoughts are sent only as an opaque block."""

    text: str
    redacted: bool = False


class Call(msgspec.Struct, frozen=True, tag="call"):
    """A request for one of the caller's tools. `raw` sends arguments that are not JSON."""

    name: str
    input: dict[str, Any] = {}
    id: str | None = None
    raw: str | None = None


class Source(msgspec.Struct, frozen=True):
    """A page that a search found."""

    url: str
    title: str
    text: str = ""


class Search(msgspec.Struct, frozen=True, tag="search"):
    """A web search that the provider runs itself."""

    query: str
    sources: tuple[Source, ...] = (
        Source("https://example.com/perdure", "Perdure", "Agent chats that survive everything."),
        Source("https://example.org/durable", "Durable execution", "A chat is rows, not a process."),
    )
    error: str | None = None


class Pause(msgspec.Struct, frozen=True, tag="pause"):
    """Say nothing for a while."""

    seconds: float


class GatePart(msgspec.Struct, frozen=True, tag="gate"):
    """Say nothing until a test opens the gate."""

    name: str


class Fault(msgspec.Struct, frozen=True, tag="fault"):
    """Go wrong here. With `times`, only the first so many attempts at the same request go wrong."""

    kind: str
    times: int | None = None
    seconds: float | None = None
    size: int | None = None
    retry_after: str | None = None


Part: TypeAlias = Text | Reasoning | Call | Search | Pause | GatePart | Fault


class Usage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Usage figures to report instead of the counted ones."""

    input: int | None = None
    output: int | None = None
    reasoning: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answer to one model call."""

    parts: tuple[Part, ...]
    finish: Finish = "stop"
    usage: Usage = Usage()
    chunk: int = TOKEN
    rate: float | None = None

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls of the caller's tools."""
        return tuple(part for part in self.parts if isinstance(part, Call))

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is to go wrong."""
        return tuple(part for part in self.parts if isinstance(part, Fault))

    def at_attempt(self, attempt: int) -> "Step":
        """The step as this attempt meets it: without the faults that are over, counting for itself; from 0."""
        if not any(_changing(part) for part in self.parts):
            return self
        parts = (_counted(part, attempt) for part in self.parts if not _over(part, attempt))
        return msgspec.structs.replace(self, parts=tuple(parts))


def _changing(part: Part) -> bool:
    match part:
        case Fault(times=times):
            return times is not None
        case Text(counted=counted):
            return counted is not None
        case _:
            return False


def _over(part: Part, attempt: int) -> bool:
    return isinstance(part, Fault) and part.times is not None and attempt >= part.times


def _counted(part: Part, attempt: int) -> Part:
    if isinstance(part, Text) and part.counted is not None:
        return Text(counting(attempt, part.counted), chunk=part.chunk)
    return part


def counting(attempt: int, words: int) -> str:
    """A text in which a hole, a repetition or a piece of another attempt shows."""
    return "".join(f"{attempt}.{number} " for number in range(words)) + "end"


class Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Answers for the model calls of one turn, chosen by model name or by `[[script:name]]` in the prompt.

    The number of the step is read off the history in the request, so that a repeated or a parallel run gets the same
    answer; `counted` scripts count their calls instead.
    """

    name: str
    steps: tuple[Step, ...]
    model: str | None = None
    counted: bool = False
    chores: bool = False
    """Whether it also answers what is asked beside the conversation, such as a summary."""
    window: int | None = None

    def step(self, number: int) -> Step:
        """The answer to the call with this number; calls past the end get a short closing sentence."""
        return self.steps[number] if number < len(self.steps) else Step((Text("Done."),))


class Scripts(msgspec.Struct, frozen=True):
    """A file of scripts."""

    scripts: tuple[Script, ...]


def tokens(text: str) -> int:
    """How many tokens a text counts for."""
    return (len(text) + TOKEN - 1) // TOKEN


def flow(part: Text | Reasoning | str, step: Step) -> Iterator[str | Pause]:
    """A text as it is streamed: cut in pieces, and paced when the step has a rate."""
    text = part if isinstance(part, str) else part.text
    size = part.chunk if isinstance(part, Text) and part.chunk else step.chunk
    yield from _paced(pieces(text, size), step.rate)
    while isinstance(part, Text) and part.endless:
        yield from _paced(pieces(text, size), step.rate)


def _paced(cut: list[str], rate: float | None) -> Iterator[str | Pause]:
    if rate is None:
        yield from cut
        return
    for piece in cut:
        yield piece
        yield Pause(tokens(piece) / rate)


def within(step: Step, limit: int | None) -> Step:
    """The step, stopped where the caller's limit on output tokens is reached."""
    if limit is None:
        return step
    kept: list[Part] = []
    for part in step.parts:
        size = tokens(part.text) if isinstance(part, Text | Reasoning) else 0
        if isinstance(part, Text | Reasoning) and size > limit:
            kept.append(msgspec.structs.replace(part, text=part.text[: limit * TOKEN]))
            return msgspec.structs.replace(step, parts=tuple(kept), finish="length")
        limit -= size
        kept.append(part)
    return step


def output_tokens(step: Step) -> int:
    """What the step counts for."""
    return sum(tokens(_written(part)) for part in step.parts)


def reasoning_tokens(step: Step) -> int:
    """What the thinking in the step counts for."""
    return sum(tokens(part.text) for part in step.parts if isinstance(part, Reasoning))


def _written(part: Part) -> str:
    match part:
        case Text() | Reasoning():
            return part.text
        case Call():
            return part.name + arguments(part)
        case Search():
            return part.query
        case _:
            return ""


def arguments(call: Call) -> str:
    """The arguments of a call as the model writes them."""
    return msgspec.json.encode(call.input).decode() if call.raw is None else call.raw


def pieces(text: str, size: int) -> list[str]:
    """A text cut for streaming."""
    if len(text) <= size:
        return [text] if text else []
    return [text[at : at + size] for at in range(0, len(text), size)]
