"""Asking a model for a description of a chat, and paying for it: nothing is asked for that no budget has room for."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from perdure.agent.describing import PaidDescription, describe, worst_case
from perdure.agent.models import Models
from perdure.agent.prepare import Rules
from perdure.core.card import Card
from perdure.core.chat import Chat
from perdure.core.errors import ProviderFailure, Refused
from perdure.core.failure import ChatError, ErrorKind
from perdure.core.ids import ReplicaId
from perdure.core.message import Message
from perdure.core.timing import DESCRIPTION_CAP
from perdure.observe.logs import concerning
from perdure.providers.client import ProviderClient
from perdure.store.pool import Pool
from perdure.store.tables import cards
from perdure.worker.budget_reservations import BudgetReservations, Purpose

GONE = "The model that is set for titles, {}, is not available any more. An admin can choose another."
NO_ROOM = "No budget has room for this: the {} budget is used up."
TOO_SLOW = ChatError("The model that finds titles did not answer in time.", ErrorKind.TIMEOUT, retryable=True)
NO_TITLE = ChatError(
    "The model gave no title. Try again, or name the chat yourself.", ErrorKind.GENERIC, retryable=True
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Describer:
    """Works with the models and the budgets of turns."""

    pool: Pool
    models: Models
    rules: Callable[[Card], Awaitable[Rules]]
    client: ProviderClient
    budgets: BudgetReservations
    replica_id: Callable[[], ReplicaId]
    cap: timedelta = DESCRIPTION_CAP
    """How long one call may take."""

    async def describe(self, chat: Chat, card: Card, messages: Sequence[Message]) -> PaidDescription:
        """A description by the model that is set for them, or else by the chat's own."""
        rules, paid = await self.rules(card), 0
        model = await self.models.resolve(card, rules.title_model or card.model, None)
        if rules.title_model is not None and model.name != rules.title_model:
            raise Refused(GONE.format(rules.title_model))
        most, replica_id = worst_case(model, messages), self.replica_id()
        breach = await self.budgets.reserve(chat, card, rules.limits, replica_id, most, Purpose.DESCRIPTION)
        if breach is not None:
            raise Refused(NO_ROOM.format(f"{breach.owner.value}'s"))
        try:
            with concerning(chat=card.id, turn=chat.turn, organisation=card.organisation_id, purpose="title"):
                async with asyncio.timeout(self.cap.total_seconds()):
                    found = await describe(self.client, model, messages)
            paid = found.cost or 0
        except TimeoutError as error:
            raise ProviderFailure(TOO_SLOW) from error
        finally:
            self.budgets.settle(card, replica_id, paid, Purpose.DESCRIPTION)
        return found

    async def title(self, chat: Chat, card: Card, messages: Sequence[Message]) -> str:
        """A title that somebody asks for."""
        found = await self.describe(chat, card, messages)
        await cards.charge_description(self.pool, card.id, found.cost)
        if not found.description.title:
            raise ProviderFailure(NO_TITLE)
        return found.description.title
