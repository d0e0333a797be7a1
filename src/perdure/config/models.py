"""Where models are served and how each is used, as an admin set them up."""

from typing import Any

from msgspec import Struct

from perdure.core.ids import ModelName, ProviderId
from perdure.core.message import Effort


class Price(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Micro-dollars per million tokens."""

    input: int = 0
    output: int = 0
    cache_read: int | None = None
    cache_write: int | None = None


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

    context_window: int | None = None
    max_output_tokens: int = 32_000
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
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
    compaction_threshold: int | None = None
    """Percent of the context window; 100 switches the automatic compaction off."""
    startup_timeout_s: float | None = None
    silence_timeout_s: float | None = None
    fallbacks: tuple[ModelName, ...] = ()
    price: Price | None = None


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
