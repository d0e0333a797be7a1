"""Where models are served and how each is used, as an admin set them up."""

from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from perdure.core.ids import ModelName, ProviderId
from perdure.core.message import Effort

# The bounds keep sums of what calls cost within 64 bits.
Tokens = Annotated[int, Meta(ge=1, le=10**9)]
MicroDollars = Annotated[int, Meta(ge=0, le=10**12)]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]
Penalty = Annotated[float, Meta(ge=-2, le=2)]


class Price(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Micro-dollars per million tokens."""

    input: MicroDollars = 0
    output: MicroDollars = 0
    cache_read: MicroDollars | None = None
    cache_write: MicroDollars | None = None


class ProviderOptions(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """How an endpoint differs from its dialect's textbook."""

    headers: dict[str, str] = {}
    query: str = ""
    region: str | None = None
    """For endpoints that sign requests, such as Bedrock."""
    vendor: str = ""
    """Whose service it is: anthropic, openai, google, azure, bedrock, vertex; anything else is merely compatible."""
    project: str | None = None
    """Google's, for Vertex."""
    api_version: str | None = None
    """Azure's dated API, for resources without the newer one."""
    replays_reasoning: bool = False
    body: dict[str, Any] = {}
    """Fields that every request to it carries."""


class Provider(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An endpoint that serves models in one dialect."""

    id: ProviderId
    name: str
    dialect: str
    base_url: str
    enabled: bool = True
    options: ProviderOptions = ProviderOptions()
    has_key: bool = False
    """Whether the deployment has a key for it."""


class ModelOptions(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """How a model is used. What is not said comes from the catalog, or is safe for a model nobody described."""

    context_window: Tokens | None = None
    max_output_tokens: Tokens = 32_000
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, Meta(ge=0, le=1)] | None = None
    top_k: Tokens | None = None
    presence_penalty: Penalty | None = None
    frequency_penalty: Penalty | None = None
    thinking: str | None = None
    min_effort: Effort | None = None
    max_effort: Effort | None = None
    effort: Effort | None = None
    """What a message gets that names none."""
    images: bool | None = None
    documents: bool | None = None
    tools: bool | None = None
    computer: bool | None = None
    """Whether it may use the screens of workspaces, with its provider's own tool."""
    provider_options: dict[str, Any] = {}
    compaction_threshold: Annotated[int, Meta(ge=1, le=100)] | None = None
    """Percent of the context window; 100 switches the automatic compaction off."""
    startup_timeout_s: Seconds | None = None
    silence_timeout_s: Seconds | None = None
    fallbacks: tuple[ModelName, ...] = ()
    price: Price | None = None


@dataclass(frozen=True, slots=True)
class StoredOptions:
    """Options as they are stored. What does not fit counts as not said, and is named with the reason."""

    options: ModelOptions
    wrong: dict[str, str]


def stored_options(text: str) -> StoredOptions:
    """Read a row, also one from a time when less was checked."""
    fitting: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for name, value in msgspec.json.decode(text, type=dict[str, Any]).items():
        try:
            msgspec.convert({name: value}, ModelOptions)
            fitting[name] = value
        except msgspec.ValidationError as error:
            wrong[name] = str(error)
    return StoredOptions(msgspec.convert(fitting, ModelOptions), wrong)


class ModelSetting(Struct, frozen=True, kw_only=True):
    """A model that chats may use, under a name of ours."""

    name: ModelName
    model: str
    """What its provider calls it."""
    provider: Provider
    display_name: str = ""
    enabled: bool = True
    default: bool = False
    options: ModelOptions = ModelOptions()

    @property
    def usable(self) -> bool:
        return self.enabled and self.provider.enabled
