"""A chat's title, found by a model when somebody asks for one."""

from collections.abc import Sequence
from dataclasses import dataclass

from perdure.agent.models import Models
from perdure.agent.words import describe
from perdure.core.card import Card
from perdure.core.errors import ProviderFailure
from perdure.core.failure import ChatError, ErrorKind
from perdure.core.ids import ModelName
from perdure.core.message import Message
from perdure.providers.client import ProviderClient

NO_TITLE = ChatError(
    "The model gave no title. Try again, or name the chat yourself.", ErrorKind.GENERIC, retryable=True
)


@dataclass(frozen=True, slots=True)
class Titles:
    """Asks models for titles."""

    models: Models
    client: ProviderClient

    async def propose(self, card: Card, model: ModelName | None, messages: Sequence[Message]) -> str:
        resolved = await self.models.resolve(card, model or card.model, None)
        words = await describe(self.client, resolved, messages)
        if not words.title:
            raise ProviderFailure(NO_TITLE)
        return words.title
