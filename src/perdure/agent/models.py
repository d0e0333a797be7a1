"""Which model answers, how it is reached, and which one answers in its place."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from msgspec import structs

from perdure.agent.history import History
from perdure.agent.notices import notice
from perdure.core.card import Card
from perdure.core.errors import ProviderFailure
from perdure.core.ids import ModelName
from perdure.core.message import Effort, Kind, NewMessage, NoticePart
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


NOTICE = "fallback"
OVERLOADS = 3
"""So many in a row, and another model is asked."""


def switched_to(history: History, turn: int) -> ModelName | None:
    """The model that the turn was handed to last, if it was."""
    return next((m.model for m in reversed(history.since(turn)) if _is_switch(m)), None)


def switch(before: ResolvedModel, after: ResolvedModel) -> NewMessage:
    """What people are told of it."""
    said = notice(NOTICE, f"{before.name} does not answer; {after.name} takes over for this turn.")
    return structs.replace(said, model=after.name)


async def next_fallback(
    models: Models, card: Card, unable: ResolvedModel, effort: Effort | None
) -> ResolvedModel | None:
    """The first fallback that can be used."""
    for name in unable.fallbacks:
        try:
            model = await models.resolve(card, name, effort)
        except ProviderFailure:
            continue
        if model.name == name != unable.name:
            return model
    return None


def left_after(name: ModelName, fallbacks: Sequence[ModelName]) -> tuple[ModelName, ...]:
    """Those that were not tried yet."""
    return tuple(fallbacks[fallbacks.index(name) + 1 :]) if name in fallbacks else ()


async def resolved(models: Models, card: Card, chosen: ResolvedModel, name: ModelName | None) -> ResolvedModel:
    """The model that answers now: the chosen one, or the fallback that took over."""
    if name is None:
        return chosen
    model = await models.resolve(card, name, chosen.settings.effort)
    return replace(model, fallbacks=left_after(name, chosen.fallbacks), notice=None)


def _is_switch(message: NewMessage) -> bool:
    return message.kind is Kind.NOTICE and any(isinstance(p, NoticePart) and p.kind == NOTICE for p in message.parts)
