"""Describing chats whose turn ended: several at once, but never a chat that is at work again."""

import asyncio
import logging
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from perdure.agent.describing import Description, PaidDescription, fallback_label, report_summary
from perdure.agent.history import Histories
from perdure.core.card import Card
from perdure.core.chat import Chat, Status
from perdure.core.commit import Commit, InboxKind
from perdure.core.errors import ChatNotFound, PerdureError, ProviderFailure, Unavailable
from perdure.core.ids import ChatId, UserId
from perdure.core.notice import Notice, Topic
from perdure.core.tasks import BackgroundTasks, every
from perdure.core.timing import DESCRIBING_HOLD, DESCRIBING_SWEEP, DESCRIPTION_PATIENCE, DESCRIPTIONS_MISSED, Clock
from perdure.machine.machine import Machine
from perdure.store.pool import Pool
from perdure.store.pubsub import Pubsub
from perdure.store.tables import cards
from perdure.store.tables.cards import Described
from perdure.worker.describer import Describer

_log = logging.getLogger(__name__)
# So many chats wait at most; what there is no room for, a sweep finds.
WAITING = 1_000
AT_ONCE = 24
PER_PERSON = 6
TAKEN_AT_ONCE = 100
TRIES = 2


@dataclass(frozen=True, slots=True)
class _Due:
    """A chat that waits for its description, since when, and for whom where that is known."""

    chat: Chat
    since: float
    owner_id: UserId | None = None


class Describing:
    """Describes chats whose turn ended here, and those that somebody left undescribed."""

    def __init__(
        self,
        pool: Pool,
        machine: Machine,
        histories: Histories,
        describer: Describer,
        pubsub: Pubsub,
        clock: Clock,
    ) -> None:
        self._pool = pool
        self._machine = machine
        self._histories = histories
        self._describer = describer
        self._pubsub = pubsub
        self._clock = clock
        self._due: dict[ChatId, _Due] = {}
        self._more = asyncio.Event()
        self._under_way = BackgroundTasks(_log)
        self._owners = Counter[UserId]()
        self._at_work = set[ChatId]()
        """Chats that run, as far as commits of this process say."""

    def committed(self, committed: Commit) -> None:
        """Take note of a turn that ended, and of one that began: its chat is described when it rests again."""
        told, chat = committed.inbox, committed.chat
        if chat.status is Status.RUNNING:
            self._at_work.add(chat.id)
        else:
            self._at_work.discard(chat.id)
        if InboxKind.FINISHED in told or InboxKind.NEEDS_YOU in told:
            self._note(chat)
        elif chat.status is not Status.WAITING:
            self._due.pop(chat.id, None)

    def forget(self) -> None:
        """Another server of the database answers, which may have lost what is described. A sweep finds the rest."""
        self._due.clear()
        self._under_way.cancel()

    def _note(self, chat: Chat, owner_id: UserId | None = None) -> None:
        if chat.status is Status.WAITING and len(self._due) < WAITING:
            self._due[chat.id] = _Due(chat, self._clock.monotonic(), owner_id)
            self._more.set()

    async def run(self) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._beginning())
                group.create_task(self._sweeping())
        finally:
            self._under_way.cancel()

    async def _beginning(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(DESCRIBING_HOLD.total_seconds() if self._due else None):
                    await self._more.wait()
            self._more.clear()
            # The runner is told of its commit after us: let it put the history where we find it.
            await asyncio.sleep(0)
            await self._find_owners()
            self._begin()

    async def _find_owners(self) -> None:
        for due in [due for due in self._due.values() if due.owner_id is None]:
            owner_id = await self._owner(due.chat)
            if owner_id is None:
                self._due.pop(due.chat.id, None)
            elif self._due.get(due.chat.id) is due:
                self._due[due.chat.id] = _Due(due.chat, due.since, owner_id)

    async def _owner(self, chat: Chat) -> UserId | None:
        history = self._histories.at_hand(chat)
        if history is not None:
            return history.card.owner_id
        try:
            return await cards.owner(self._pool, chat.id)
        except Unavailable as error:
            _log.info("a chat is left to a sweep: %s", error)
            return None

    def _begin(self) -> None:
        """Begin as many as there is room for, the longest waiting first."""
        now, busy = self._clock.monotonic(), bool(self._at_work)
        for due in list(self._due.values()):
            if len(self._under_way) >= AT_ONCE:
                return
            # Whoever goes on at once is described when it rests again; beside others' work that is worth a moment.
            if busy and now - due.since < DESCRIBING_HOLD.total_seconds():
                continue
            if due.owner_id is not None and self._owners[due.owner_id] < PER_PERSON:
                del self._due[due.chat.id]
                # Whoever waited so long is left to a sweep, which may be another replica's.
                if now - due.since < DESCRIPTION_PATIENCE.total_seconds():
                    self._owners[due.owner_id] += 1
                    task = self._under_way.start(self._patiently(due.chat), "describing a chat")
                    task.add_done_callback(partial(self._ended, due.owner_id))

    def _ended(self, owner_id: UserId, _: "asyncio.Task[None]") -> None:
        self._owners[owner_id] -= 1
        if not self._owners[owner_id]:
            del self._owners[owner_id]
        self._more.set()

    async def _sweeping(self) -> None:
        report = partial(_log.warning, "chats without a description are looked for later: %s")
        await every(DESCRIBING_SWEEP, self.sweep, self._clock, expected=(PerdureError,), report=report)

    async def sweep(self) -> None:
        """Take over what a replica that is gone was to describe."""
        # Those that other replicas drive now are not heard of again.
        self._at_work.clear()
        missed = await cards.take_undescribed(self._pool, DESCRIPTIONS_MISSED, DESCRIPTION_PATIENCE, TAKEN_AT_ONCE)
        for each in missed:
            try:
                self._note(await self._machine.load(each.chat_id), each.owner_id)
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
        """No model describes this turn: it is labelled by what was asked, and nobody tries again."""
        history = self._histories.at_hand(chat)
        if history is None:
            return
        try:
            await self._write(chat, history.card, Description(label=fallback_label(history.messages)))
        except Unavailable as error:
            _log.info("a chat without a description is tried again: %s", error)

    async def describe(self, chat: Chat) -> None:
        """Put a description on one chat's card, if it still needs one."""
        history = self._histories.at_hand(chat) or await self._histories.at(chat)
        card = history.card
        if card.parent_id is not None:
            # An agent's report says best what it was about.
            await self._write(chat, card, Description(summary=report_summary(history.messages)))
            return
        found = await self._describer.describe(chat, card, history.messages)
        description = found.description
        if card.turns > 1 and card.turns - card.summarised_turns < 3:
            description = Description(description.title, description.label)
        await self._write(chat, card, description, found)

    async def _write(
        self, chat: Chat, card: Card, description: Description, paid: PaidDescription | None = None
    ) -> None:
        described = Described(
            chat_id=card.id,
            turn=card.turns,
            title=description.title,
            label=description.label,
            summary=description.summary,
            by_model=paid is not None,
            cost=paid.cost if paid else None,
            history_version=chat.history_version,
        )
        version = await cards.describe(self._pool, described)
        if version is not None:
            self._pubsub.publish([Notice(Topic.CHAT, card.id, chat.snapshot_version, version)])
