"""Which model answers, and how it is reached: what a turn asks of the configuration."""

from dataclasses import dataclass, field
from typing import Protocol

from perdure.core.card import Card
from perdure.core.ids import ModelName
from perdure.core.message import Effort
from perdure.providers.request import ModelSettings, WebSearch
from perdure.providers.route import Route

DEFAULT_THRESHOLD = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedModel:
    """A model, ready to be asked."""

    name: ModelName
    route: Route
    settings: ModelSettings = field(default_factory=ModelSettings)
    web_search: WebSearch | None = None
    threshold: float = DEFAULT_THRESHOLD
    """The share of the window at which the history is compacted; 1 and more means never by itself."""
    fallbacks: tuple[ModelName, ...] = ()
    notice: str | None = None
    """What to tell people about the choice, where it is not the one they made."""

    @property
    def sees_screens(self) -> bool:
        """Whether its provider has a tool of its own for using a screen, and an admin says that the model takes it."""
        return self.route.model.computer and self.route.dialect.screens

    @property
    def window(self) -> int | None:
        return self.route.model.context_window


class Models(Protocol):
    """Where models come from: the deployment's configuration, cached."""

    async def resolve(self, card: Card, name: ModelName | None, effort: Effort | None) -> ResolvedModel:
        """The model of this name, or the default. Raises ProviderFailure (config, missing_key, …) if there is none."""
        ...
