"""What we ask of a model, in our own words: a dialect turns it into its vendor's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from msgspec import Struct, structs

from perdure.core.message import Effort, NewMessage
from perdure.core.screen import Screen
from perdure.core.timing import SILENCE_TIMEOUT, STARTUP_TIMEOUT
from perdure.providers.model import Model
from perdure.providers.prompt import Settled

SCALE = tuple(Effort)

BUDGETS = {
    Effort.MINIMAL: 1_024,
    Effort.LOW: 4_096,
    Effort.MEDIUM: 10_240,
    Effort.HIGH: 20_480,
    Effort.XHIGH: 32_768,
    Effort.MAX: 65_536,
}
"""Thinking tokens, for models that want a number."""


def clamped(effort: Effort, model: Model) -> Effort:
    """The nearest effort that the model knows."""
    rank = max(SCALE.index(model.min_effort), min(SCALE.index(effort), SCALE.index(model.max_effort)))
    while SCALE[rank] in model.lacks:
        rank -= 1
    return SCALE[rank]


def named(effort: Effort, model: Model) -> Effort:
    """The effort as OpenAI names it: a model that can be told not to think knows nothing between that and a little."""
    level = clamped(effort, model)
    return Effort.LOW if level is Effort.MINIMAL and model.min_effort is Effort.NONE else level


def budget(effort: Effort, max_output_tokens: int) -> int:
    """How many of the answer's tokens may be thoughts: at most half of them. 0 where that leaves too few."""
    wanted = min(BUDGETS.get(effort, 0), max_output_tokens // 2)
    return wanted if wanted >= BUDGETS[Effort.MINIMAL] else 0


DEFAULT_MAX_OUTPUT_TOKENS = 32_000
CHAIN = "chain"
BACKGROUND = "background"
"""Options of ours, among those of a dialect."""


TOOLS_KEPT = 1024
"""Of so many descriptions of tools what was made of them is kept."""
TOOLSETS_KEPT = 64
"""Of so many lists of tools what was made of the whole list is kept."""


class ToolSpec(Struct, frozen=True):
    """A tool as the model sees it. `schema` is the JSON schema of its arguments, always of an object."""

    name: str
    description: str
    schema: dict[str, Any]


class WebSearch(Struct, frozen=True):
    """The provider's own search of the web, where it has one. Allowed and blocked domains exclude each other."""

    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()
    max_uses: int | None = None


class ModelSettings(Struct, frozen=True, omit_defaults=True):
    """How a model is to be used. What is None is left to the provider."""

    max_output_tokens: int = DEFAULT_MAX_OUTPUT_TOKENS
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    effort: Effort | None = None
    startup_timeout: timedelta = STARTUP_TIMEOUT
    silence_timeout: timedelta = SILENCE_TIMEOUT
    options: dict[str, Any] = {}
    """Fields of the request that only this dialect knows (service tier, verbosity, …), merged in as they are.

    For the Responses API two of them are ours: `chain` and `background`, each true or false.
    """

    def without(self, option: str) -> "ModelSettings":
        return structs.replace(self, options={name: value for name, value in self.options.items() if name != option})


class Continuation(Struct, frozen=True):
    """How a Responses request hangs together with an earlier one."""

    store: bool = False
    previous_response_id: str | None = None
    """Chain mode: the provider remembers; `messages` holds only what is new."""
    background: bool = False
    """The response outlives the connection and can be resumed by its id."""


@dataclass(frozen=True, slots=True)
class FileContent:
    """A stored file, read."""

    name: str
    media_type: str
    data: bytes


class ModelRequest(Struct, frozen=True, kw_only=True):
    """One question to a model. Equal prefixes encode to equal bytes, so that provider caches hit."""

    messages: Sequence[NewMessage]
    system: tuple[str, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    web_search: WebSearch | None = None
    screen: Screen | None = None
    """A screen to use with the provider's own tool, which is called `computer`; its calls are ours to carry out."""
    settings: ModelSettings = ModelSettings()
    files: Mapping[str, FileContent] = {}
    """Contents by file id. A file that is not here becomes a text that says so."""
    cache_key: str | None = None
    """The chat's id: what the provider may group its prompt cache by."""
    output_schema: dict[str, Any] | None = None
    """A JSON schema the answer's text must satisfy."""
    continuation: Continuation = Continuation()
    settled: Settled | None = None
    """What is encoded already of this chat's prompts. It grows; None encodes everything."""
