"""What follows a turn: a title, a label, a summary. It never delays a turn and is never part of one."""

import asyncio
import logging

from asyncpg import Pool, Record

from perdure.agent.history import Histories
from perdure.agent.words import Found, Words, report_summary
from perdure.core.card import Card
from perdure.core.chat import Chat, Status
from perdure.core.errors import PerdureError, ProviderFailure
from perdure.core.notice import Notice, Topic
from perdure.machine.change import InboxKind
from perdure.machine.machine import Committed
from perdure.store.away import asking_the_database
from perdure.store.pubsub import Pubsub
from perdure.store.queries import query
from perdure.worker.wording import Wording

_log = logging.getLogger(__name__)
# So many chats wait for their words at most; one more gets them after its next turn.
WAITING = 1_000
TRIES = 2


class Aftermath:
    """Describes chats whose turn ended here, one after the other."""

    def __init__(
        self,
        pool: "Pool[Record]",
        histories: Histories,
        wording: Wording,
        pubsub: Pubsub,
    ) -> None:
        self._pool = pool
        self._histories = histories
        self._wording = wording
        self._pubsub = pubsub
        self._due: dict[object, Chat] = {}
        self._more = asyncio.Event()

    def committed(self, committed: Committed) -> None:
        """Take note of a turn that ended."""
        told = committed.plan.rows.inbox
        ended = InboxKind.FINISHED in told or InboxKind.NEEDS_YOU in told
        if ended and committed.chat.status is Status.WAITING and len(self._due) < WAITING:
            self._due[committed.chat.id] = committed.chat
            self._more.set()

    async def run(self) -> None:
        while True:
            await self._more.wait()
            self._more.clear()
            # The runner is told of its commit after us: let it put the history where we find it.
            await asyncio.sleep(0)
            while self._due:
                chat = self._due.pop(next(iter(self._due)))
                await self._patiently(chat)

    async def _patiently(self, chat: Chat) -> None:
        for _ in range(TRIES):
            try:
                return await self.describe(chat)
            except ProviderFailure as error:
                _log.debug("a chat could not be described: %s", error)
            except (PerdureError, OSError) as error:
                _log.info("a chat could not be described: %s", error)
                return None
        return None

    async def describe(self, chat: Chat) -> None:
        """Put words on one chat's card, if it still needs them."""
        history = self._histories.at_hand(chat) or await self._histories.at(chat)
        card = history.card
        if card.parent_id is not None:
            # An agent's report says best what it was about.
            await self._write(chat, card, Words(summary=report_summary(history.messages)))
            return
        found = await self._wording.find(chat, card, history.messages)
        words = found.words
        if card.turns > 1 and card.turns - card.summarised_turns < 3:
            words = Words(words.title, words.label)
        await self._write(chat, card, words, found)

    async def _write(self, chat: Chat, card: Card, words: Words, found: Found | None = None) -> None:
        paid = (found is not None, found and found.cost)
        values = (card.id, card.turns, words.title, words.label, words.summary, *paid)
        with asking_the_database():
            version = await self._pool.fetchval(query("cards/describe"), *values)
        if version is not None:
            self._pubsub.publish([Notice(Topic.CHAT, card.id, chat.snapshot_version, version)])
