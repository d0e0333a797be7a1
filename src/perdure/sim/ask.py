"""What a request asks of the model, whatever the wire format."""

from dataclasses import dataclass, field
from functools import cached_property

import msgspec

from perdure.sim.document import Json


class Called(msgspec.Struct, frozen=True):
    """A call of the caller's tool in the history."""

    id: str
    name: str
    input: dict[str, Json]


class Answered(msgspec.Struct, frozen=True):
    """The result of a call in the history."""

    id: str
    text: str
    failed: bool = False


class Said(msgspec.Struct, frozen=True):
    """One message of the history, boiled down."""

    role: str
    text: str = ""
    calls: tuple[Called, ...] = ()
    results: tuple[Answered, ...] = ()


@dataclass(frozen=True, slots=True)
class Figures:
    """Prompt tokens, as the vendor would count them."""

    prompt: int = 0
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the caller offers."""

    name: str
    schema: dict[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True)
class Ask:
    """A valid request: who asks which model what, with which tools, after which history."""

    id: str
    model: str
    stream: bool
    history: tuple[Said, ...]
    system: str = ""
    tools: tuple[Tool, ...] = ()
    search: bool = False
    forced_tool: str | None = None
    schema: dict[str, Json] | None = None
    reasoning: bool = False
    max_tokens: int | None = None
    chat: str | None = None
    figures: Figures = Figures()
    options: dict[str, Json] = field(default_factory=dict[str, Json])
    background: bool = False

    @cached_property
    def turn(self) -> int:
        """Where in the history the current turn begins: at the first of the newest user texts."""
        at = next((i for i in range(len(self.history) - 1, -1, -1) if _spoken(self.history[i])), 0)
        while at > 0 and _spoken(self.history[at - 1]) and not self.history[at].results:
            at -= 1
        return at

    @cached_property
    def prompt(self) -> str:
        """What the user said newest."""
        texts: list[str] = []
        for said in self.history[self.turn :]:
            if not _spoken(said):
                break
            texts.append(said.text)
        return "\n\n".join(texts)

    @property
    def step(self) -> int:
        """How many steps the model has made since."""
        return sum(said.role == "assistant" for said in self.history[self.turn :])

    @property
    def work(self) -> tuple[tuple[Called, Answered | None], ...]:
        """The calls of this turn with their results, in order."""
        said = self.history[self.turn :]
        results = {result.id: result for one in said for result in one.results}
        return tuple((call, results.get(call.id)) for one in said for call in one.calls)


def _spoken(said: Said) -> bool:
    return said.role == "user" and bool(said.text.strip())
