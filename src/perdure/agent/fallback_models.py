"""Models that answer in place of one that does not: which were tried in a turn, and which is next.

The switch is a notice in the history that names the model, so that whoever takes the turn over knows of it.
"""

from collections.abc import Sequence
from dataclasses import replace

from msgspec import structs

from perdure.agent.history import History
from perdure.agent.models import Models, ResolvedModel
from perdure.agent.notices import notice
from perdure.core.card import Card
from perdure.core.errors import ProviderFailure
from perdure.core.ids import ModelName
from perdure.core.message import Effort, Kind, NewMessage
from perdure.core.parts import NoticePart

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
