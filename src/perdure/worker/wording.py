"""Asking a model for words about a chat, and paying for them: nothing is asked for that no budget has room for."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from perdure.agent.models import Models
from perdure.agent.prepare import Rules
from perdure.agent.words import Found, describe, worst_case
from perdure.core.card import Card
from perdure.core.chat import Chat
from perdure.core.errors import Refused
from perdure.core.ids import ReplicaId
from perdure.core.message import Message
from perdure.observe.context import concerning
from perdure.providers.client import ProviderClient
from perdure.worker.budget_reservations import BudgetReservations, Purpose

GONE = "The model that is set for titles, {}, is not available any more. An admin can choose another."
NO_ROOM = "No budget has room for this: the {} budget is used up."


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    models: Models
    rules: Callable[[Card], Awaitable[Rules]]
    client: ProviderClient
    budgets: BudgetReservations
    replica_id: Callable[[], ReplicaId]

    async def find(self, chat: Chat, card: Card, messages: Sequence[Message]) -> Found:
        """Words about the chat, from the model that is set for them or else the chat's own."""
        rules, paid = await self.rules(card), 0
        model = await self.models.resolve(card, rules.title_model or card.model, None)
        if rules.title_model is not None and model.name != rules.title_model:
            raise Refused(GONE.format(rules.title_model))
        most, replica_id = worst_case(model, messages), self.replica_id()
        breach = await self.budgets.reserve(chat, card, rules.limits, replica_id, most, Purpose.WORDS)
        if breach is not None:
            raise Refused(NO_ROOM.format(f"{breach.owner.value}'s"))
        try:
            with concerning(chat=card.id, turn=chat.turn, organisation=card.organisation_id, purpose="title"):
                found = await describe(self.client, model, messages)
            paid = found.cost or 0
        finally:
            self.budgets.settle(card, replica_id, paid, Purpose.WORDS)
        return found
