"""What every wire format does: read a request strictly, render an answer, put errors in the vendor's words."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from perdure.sim.ask import Ask
from perdure.sim.document import Problem
from perdure.sim.event_writer import Action
from perdure.sim.script import Step


@dataclass(frozen=True, slots=True)
class Request:
    """The parts of an HTTP request that a wire format looks at; `scope` stands for the caller's key."""

    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    id: str
    scope: str


EVENT_STREAM = "text/event-stream; charset=utf-8"


class Wire(Protocol):
    """One vendor's language."""

    name: str
    content_type: str
    """Of a streamed answer."""

    def key(self, headers: Mapping[str, str], query: Mapping[str, str]) -> str | None:
        """The caller's key, wherever this vendor looks for it."""
        ...

    def unauthorized(self, key: str | None) -> Problem:
        """What this vendor says to a missing or wrong key."""
        ...

    def read(self, request: Request) -> Ask:
        """Parse and validate; raises `Problem`."""
        ...

    def overflow(self, ask: Ask, window: int) -> Problem:
        """What this vendor says to a prompt that is too long."""
        ...

    def overflow_stream(self, ask: Ask, problem: Problem) -> Iterator[Action] | None:
        """The same inside a stream, for a vendor that finds out late."""
        ...

    def fault(self, kind: str) -> Problem:
        """A scripted error in this vendor's words."""
        ...

    def error(self, problem: Problem) -> bytes:
        """The body of an error answer."""
        ...

    def error_headers(self, problem: Problem) -> dict[str, str]:
        """Headers of an error answer."""
        ...

    def headers(self, ask: Ask) -> dict[str, str]:
        """Headers of a good answer."""
        ...

    def stream(self, ask: Ask, step: Step) -> Iterator[Action]:
        """The answer as server-sent events, one to an action."""
        ...

    def whole(self, ask: Ask, step: Step) -> bytes:
        """The answer as one document."""
        ...
