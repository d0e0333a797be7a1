"""What every dialect offers: a pure encoder and a decoder fed with the data of events."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, cast
from urllib.parse import quote

from perdure.core.deltas import AnyDelta, Finish, TextDelta
from perdure.providers.dialects.wire import to_json
from perdure.providers.model import Model
from perdure.providers.request import ModelRequest

Meaning = Sequence[AnyDelta | Finish]
"""What one event says. Events that we have no use for say nothing."""

Json = dict[str, Any]


class Searches(StrEnum):
    """When an endpoint searches the web by itself."""

    ALWAYS = "always"
    ALONE = "alone"
    """Only where a request offers no tools of ours."""
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Quirks:
    """How an endpoint differs from the dialect's textbook."""

    body: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Fields every request to it carries."""
    without: frozenset[str] = frozenset()
    """Fields it does not know."""
    path: str | None = None
    """Its path, with `{model}` where the model's name goes, if it is not the dialect's own."""
    max_tokens_field: str = "max_completion_tokens"
    replays_reasoning: bool = False
    """Whether a Chat Completions server wants its reasoning back with the history."""
    searches: Searches = Searches.ALWAYS
    betas_in_body: bool = False
    """Whether it is asked for Anthropic's features in trial in the body, not in a header."""


PLAIN = Quirks()


@dataclass(frozen=True, slots=True)
class Encoded:
    """A request, ready to be sent to the dialect's path under an endpoint."""

    path: str
    headers: Mapping[str, str]
    body: bytes | None
    """None asks for what is already there, instead of sending something new."""
    block_hashes: tuple[str, ...]
    """One per prompt block in the provider's order (tools, system, messages): the first that differs from the last
    call's is where the provider's cache broke."""
    chained: bool = False
    """Whether it leaves out what the provider is believed to remember."""


@dataclass(frozen=True, slots=True)
class KeyHeader:
    """How a key is shown to an API of this family."""

    name: str = "authorization"
    prefix: str = "Bearer "


@dataclass(frozen=True, slots=True)
class ModelList:
    """Where an API of this family lists its models, and what it wants to be told besides the key."""

    path: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


MoreText = Callable[[Sequence[bytes]], tuple[int, TextDelta] | None]
"""The text of the first of several events as one, and how many say only that; None where the first does not."""


class Decoder(Protocol):
    """Understands one answer. `done` once the terminal event was seen.

    One that reads a run of text for less than its events one by one has a method `more_text` besides.
    """

    done: bool

    def feed(self, data: bytes) -> Meaning:
        """What one event means. Raises a Failure if it says that the answer failed."""
        ...

    def close(self) -> Meaning:
        """What the end of the stream means. Raises StreamEnded if it came too early."""
        ...


@dataclass(frozen=True, slots=True)
class Background:
    """Answers that go on at the provider when nobody listens."""

    listening: Callable[[str, int | None], Encoded]
    """Ask for an answer by its id: all of its events, or those behind the one of this number."""
    giving_up: Callable[[str], Encoded]
    position: Callable[[Decoder], tuple[str, int] | None]
    """The id of the answer that is heard, once it is known, and the number of the last event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a family of APIs speaks, and all that others have to know of it."""

    name: str
    encode: Callable[[ModelRequest, Model, Quirks], Encoded]
    decoder: Callable[[Model], Decoder]
    models: ModelList
    telemetry: str
    """What OpenTelemetry calls the vendor."""
    key: KeyHeader = field(default_factory=KeyHeader)
    endings: tuple[str, ...] = ()
    """What people type at the end of a base URL although the dialect's path brings it."""
    version: str = ""
    """What a base URL has at its end that names nothing but the host."""
    served: Mapping[str, Quirks] = field(default_factory=dict[str, Quirks])
    """How clouds serve it, by the service's name. A cloud that is not here does not."""
    screens: bool = False
    """Whether it has a tool of its own for using a screen."""
    background: Background | None = None


def path_for(model: Model, own: str, quirks: Quirks) -> str:
    """The path of a request: the endpoint's, or else the dialect's own."""
    path = quirks.path or own
    return path.format(model=quote(model.id, safe="")) if "{" in path else path


def finished(body: Json, options: Json, quirks: Quirks) -> bytes:
    """The body with the model's options and the endpoint's quirks, as bytes. None means absent."""
    whole = _merged(_merged(body, options), quirks.body)
    return to_json({key: value for key, value in whole.items() if key not in quirks.without})


def _merged(body: Mapping[str, Any], more: Mapping[str, Any]) -> Json:
    """Objects joined field by field; the later one wins. Fields that either says are None are left out."""
    whole = {key: value for key, value in body.items() if value is not None}
    for key, value in more.items():
        before = whole.get(key)
        if value is None:
            whole.pop(key, None)
        elif isinstance(before, dict) and isinstance(value, dict):
            whole[key] = _merged(cast(Json, before), cast(Json, value))
        else:
            whole[key] = value
    return whole
