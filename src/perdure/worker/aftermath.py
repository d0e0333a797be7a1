"""What follows a turn: a title, a label, a summary. It never delays a turn and is never part of one."""

import asyncio
import logging
from dataclasses import dataclass
from functools import partial

from perdure.agent.history import Histories
from perdure.agent.words import Found, Words, fallback_label, report_summary
from perdure.core.card import Card
from perdure.core.chat import Chat, Status
from perdure.core.clock import Clock
from perdure.core.commit import Commit, InboxKind
from perdure.core.errors import ChatNotFound, PerdureError, ProviderFailure, Unavailable
from perdure.core.ids import ChatId
from perdure.core.notice import Notice, Topic
from perdure.core.tasks import every
from perdure.core.timing import WORDS_FRESH, WORDS_PATIENCE, WORDS_SWEEP
from perdure.machine.machine import Machine
from perdure.store.pool import Pool
from perdure.store.pubsub import Pubsub
from perdure.store.tables import cards
from perdure.store.tables.cards import Described
from perdure.worker.wording import Wording

_log = logging.getLogger(__name__)
# So many chats wait for their words at most; what there is no room for, a sweep finds.
WAITING = 1_000
TAKEN_AT_ONCE = 100
TRIES = 2


@dataclass(frozen=True, slots=True)
class _Due:
    """A chat that waits for its words, and since when."""

    chat: Chat
    since: float


class Aftermath:
    """Describes chats whose turn ended here, one after the other, and those that somebody left undescribed."""

    def __init__(
        self,
        pool: Pool,
        machine: Machine,
        histories: Histories,
        wording: Wording,
        pubsub: Pubsub,
        clock: Clock,
    ) -> None:
        self._pool = pool
        self._machine = machine
        self._histories = histories
        self._wording = wording
        self._pubsub = pubsub
        self._clock = clock
        self._due: dict[ChatId, _Due] = {}
        self._more = asyncio.Event()

    def committed(self, committed: Commit) -> None:
        """Take note of a turn that ended."""
        told = committed.inbox
        if InboxKind.FINISHED in told or InboxKind.NEEDS_YOU in told:
            self._note(committed.chat)

    def _note(self, chat: Chat) -> None:
        if chat.status is Status.WAITING and len(self._due) < WAITING:
            self._due[chat.id] = _Due(chat, self._clock.monotonic())
            self._more.set()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._describing())
            group.create_task(self._sweeping())

    async def _describing(self) -> None:
        while True:
            await self._more.wait()
            self._more.clear()
            # The runner is told of its commit after us: let it put the history where we find it.
            await asyncio.sleep(0)
            while self._due:
                due = self._due.pop(next(iter(self._due)))
                # Whoever waited so long is left to a sweep, which may be another replica's.
                if self._clock.monotonic() - due.since < WORDS_PATIENCE.total_seconds():
                    await self._patiently(due.chat)

    async def _sweeping(self) -> None:
        report = partial(_log.warning, "chats without words are looked for later: %s")
        await every(WORDS_SWEEP, self.sweep, self._clock, expected=(PerdureError,), report=report)

    async def sweep(self) -> None:
        """Take over what a replica that is gone was to describe."""
        for chat_id in await cards.take_undescribed(self._pool, WORDS_FRESH, WORDS_PATIENCE, TAKEN_AT_ONCE):
            try:
                self._note(await self._machine.load(chat_id))
            except ChatNotFound:
                continue

    async def _patiently(self, chat: Chat) -> None:
        for _ in range(TRIES):
            try:
                return await self.describe(chat)
            except ProviderFailure as error:
                _log.debug("a chat could not be described: %s", error)
            except (Unavailable, ChatNotFound, OSError) as error:
                _log.info("a chat could not be described: %s", error)
                return None
            except PerdureError as error:
                _log.info("a chat is not described: %s", error)
                break
        return await self._leave(chat)

    async def _leave(self, chat: Chat) -> None:
        """No words of a model for this turn: it is labelled by what was asked, and nobody tries again."""
        history = self._histories.at_hand(chat)
        if history is None:
            return
        try:
            await self._write(chat, history.card, Words(label=fallback_label(history.messages)))
        except Unavailable as error:
            _log.info("a chat without words is tried again: %s", error)

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
        said = (words.title, words.label, words.summary)
        paid = (found is not None, found.cost if found else None)
        described = Described(card.id, card.turns, *said, *paid, chat.history_version)
        version = await cards.describe(self._pool, described)
        if version is not None:
            self._pubsub.publish([Notice(Topic.CHAT, card.id, chat.snapshot_version, version)])
