"""Models and providers on the wire."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct, structs

from perdure.agent.models import DEFAULT_THRESHOLD
from perdure.api.wire.content import END, LINE, NAME, Named
from perdure.config.models import ModelOptions, ModelSetting, Price, Provider, ProviderOptions
from perdure.core.ids import ModelName, ProviderId
from perdure.core.message import Effort
from perdure.providers.model import Model as Known
from perdure.providers.model import Thinking

SCALE = tuple(Effort)


class Model(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model that chats may use."""

    name: ModelName
    display_name: str
    provider: str
    provider_id: ProviderId
    """Whom a key of one's own is for."""
    dialect: str
    enabled: bool
    default: bool
    context_window: int | None = None
    compaction_threshold: int
    """At how many percent of its window a chat is compacted, where a person has not set another number."""
    max_effort: Effort | None = None
    efforts: tuple[Effort, ...] = ()
    images: bool = True
    price: Price | None = None

    @classmethod
    def of(cls, setting: ModelSetting, known: Known, *, default: bool) -> "Model":
        """The model as it is set up; `known` is what that comes to with what the catalog says of it."""
        thinks = known.thinking is not Thinking.NONE
        return cls(
            name=setting.name,
            display_name=setting.display_name or setting.name,
            provider=setting.provider.name,
            provider_id=setting.provider.id,
            dialect=setting.provider.dialect,
            enabled=setting.usable,
            default=default,
            context_window=known.context_window,
            compaction_threshold=setting.options.compaction_threshold or round(DEFAULT_THRESHOLD * 100),
            max_effort=known.max_effort if thinks else setting.options.max_effort,
            efforts=efforts(known),
            images=known.images,
            price=Price(**structs.asdict(known.price)) if known.price else None,
        )


def efforts(known: Known) -> tuple[Effort, ...]:
    """The efforts that a person can choose from."""
    within = SCALE[SCALE.index(known.min_effort) : SCALE.index(known.max_effort) + 1]
    return tuple(effort for effort in within if effort not in known.lacks)


class Models(Struct, frozen=True):
    items: tuple[Model, ...]


class Providers(Struct, frozen=True):
    items: tuple[Provider, ...]


Short = Annotated[str, Meta(min_length=1, max_length=200, pattern=NAME)]
Secret = Annotated[str, Meta(min_length=1, max_length=20_000)]
Address = Annotated[str, Meta(max_length=2_000, pattern=r"^(https?://[^\s/?#]+[^\s?#]*)?" + END)]


class ProviderBody(Named, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    name: Short
    dialect: Short
    base_url: Address = ""
    """Empty for a service whose address is known."""
    enabled: bool = True
    options: ProviderOptions = ProviderOptions()
    key: Secret | None = None
    """The deployment's key for it, stored together with it or not at all."""


class ProviderPatch(Named, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    name: Short | None = None
    base_url: Address | None = None
    enabled: bool | None = None
    options: ProviderOptions | None = None


class TestBody(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    model: Short | None = None
    """The name of a model setting; without it the provider's first, or where it has none the smallest on offer."""


class Tested(Struct, frozen=True, kw_only=True):
    ok: bool
    message: str
    latency_ms: int


class Offered(Struct, frozen=True, kw_only=True):
    """Models by the names that their provider gives them; or why there is no list."""

    items: tuple[str, ...]
    message: str = ""


class Key(Struct, frozen=True, kw_only=True):
    """That there is a key. The key itself never comes back."""

    id: UUID
    hint: str
    created_at: datetime
    personal: bool


class Keys(Struct, frozen=True):
    items: tuple[Key, ...]


class KeyBody(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    key: Secret
    personal: bool = False


class KeyQuery(Struct, frozen=True, forbid_unknown_fields=True):
    personal: bool = False


class Setting(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model as it is set up."""

    name: ModelName
    provider_id: UUID
    model: str
    display_name: str = ""
    enabled: bool = True
    default: bool = False
    options: ModelOptions = ModelOptions()


class ModelSettings(Struct, frozen=True):
    items: tuple[Setting, ...]


class ModelBody(Named, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    name: Annotated[ModelName, Meta(min_length=1, max_length=200, pattern=NAME)]
    provider_id: UUID
    model: Short
    display_name: Annotated[str, Meta(max_length=200, pattern=LINE)] = ""
    enabled: bool = True
    default: bool = False
    options: ModelOptions = ModelOptions()


class ModelPatch(Named, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    model: Short | None = None
    display_name: Annotated[str, Meta(max_length=200, pattern=LINE)] | None = None
    enabled: bool | None = None
    default: bool | None = None
    options: ModelOptions | None = None


class CatalogEntry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model that we know without being told."""

    id: str
    dialect: str
    context_window: int | None = None
    max_output: int | None = None
    max_effort: Effort | None = None
    images: bool = True
    documents: bool = False
    price: Price | None = None


class Catalog(Struct, frozen=True):
    items: tuple[CatalogEntry, ...]


class ValueBody(Struct, frozen=True, forbid_unknown_fields=True):
    value: Any


class Value(Struct, frozen=True):
    name: str
    value: Any
