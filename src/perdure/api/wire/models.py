"""Models and providers on the wire."""

from msgspec import Struct

from perdure.config.models import ModelOptions, ModelSetting, Price, Provider
from perdure.core.ids import ModelName
from perdure.core.message import Effort

SCALE = tuple(Effort)


class Model(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model that chats may use."""

    name: ModelName
    display_name: str
    provider: str
    dialect: str
    enabled: bool
    default: bool
    context_window: int | None = None
    max_effort: Effort | None = None
    efforts: tuple[Effort, ...] = ()
    images: bool = True
    price: Price | None = None

    @classmethod
    def of(cls, setting: ModelSetting, *, default: bool) -> "Model":
        options = setting.options
        return cls(
            name=setting.name,
            display_name=setting.display_name or setting.name,
            provider=setting.provider.name,
            dialect=setting.provider.dialect,
            enabled=setting.usable,
            default=default,
            context_window=options.context_window,
            max_effort=options.max_effort,
            efforts=efforts(options),
            images=options.images is not False,
            price=options.price,
        )


def efforts(options: ModelOptions) -> tuple[Effort, ...]:
    """The efforts that a person can choose from."""
    first = SCALE.index(options.min_effort or Effort.NONE)
    last = SCALE.index(options.max_effort or Effort.HIGH)
    return SCALE[first : last + 1]


class Models(Struct, frozen=True):
    items: tuple[Model, ...]


class Providers(Struct, frozen=True):
    items: tuple[Provider, ...]
