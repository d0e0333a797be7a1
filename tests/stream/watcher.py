"""A subscriber that folds what it is sent, as a client would."""

import asyncio
from dataclasses import dataclass, field

from perdure.client.transcript import Transcript
from perdure.core.cursor import Cursor
from perdure.core.events import AnyEvent, InboxEvent, WatchEvent
from perdure.core.ids import ChatId
from perdure.core.message import Message
from perdure.core.public import public_message
from perdure.store import following
from perdure.store.pool import Pool
from perdure.stream.hubs import Hubs
from perdure.stream.subscription import Subscription


@dataclass
class Watcher:
    """One client across its connections."""

    hubs: Hubs
    chat_id: ChatId
    transcript: Transcript = field(default_factory=Transcript)
    connections: list[list[AnyEvent]] = field(default_factory=list[list[AnyEvent]])

    @property
    def events(self) -> list[AnyEvent]:
        return self.connections[-1]

    @property
    def kinds(self) -> list[str]:
        return [str(event.__struct_config__.tag) for event in self.events]

    async def look(self, *, until: int = 1) -> "Watcher":
        """Connect, take so many batches, and leave."""
        cursor = self.transcript.cursor
        async with self.hubs.follow(self.chat_id, Cursor.parse(cursor) if cursor else None) as subscription:
            self.connections.append([])
            for _ in range(until):
                await self.take(subscription)
        return self

    async def take(self, subscription: Subscription) -> None:
        batch = await asyncio.wait_for(subscription.next(), 30)
        for event in batch.events:
            assert not isinstance(event, WatchEvent | InboxEvent)
            self.transcript.add(event)
            self.connections[-1].append(event)


async def history(pool: Pool, chat_id: ChatId) -> list[Message]:
    """The visible messages in the database, in order of number."""
    reading = await following.read(pool, chat_id, (0, 0))
    assert reading is not None
    return sorted((public_message(message) for message in reading.messages), key=lambda message: message.number)
