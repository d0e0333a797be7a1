"""A chat's title, found by a model when somebody asks for one."""

from collections.abc import Sequence
from dataclasses import dataclass

from perdure.core.card import Card
from perdure.core.chat import Chat
from perdure.core.errors import ProviderFailure
from perdure.core.failure import ChatError, ErrorKind
from perdure.core.message import Message
from perdure.store.pool import Pool
from perdure.store.tables import cards
from perdure.worker.wording import Wording

NO_TITLE = ChatError(
    "The model gave no title. Try again, or name the chat yourself.", ErrorKind.GENERIC, retryable=True
)


@dataclass(frozen=True, slots=True)
class Titles:
    """Asks models for titles."""

    pool: Pool
    wording: Wording

    async def propose(self, chat: Chat, card: Card, messages: Sequence[Message]) -> str:
        found = await self.wording.find(chat, card, messages)
        await cards.charge_words(self.pool, card.id, found.cost)
        if not found.words.title:
            raise ProviderFailure(NO_TITLE)
        return found.words.title
