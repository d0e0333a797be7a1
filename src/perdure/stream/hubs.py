"""The followed chats of this replica: hints and commits reach their hubs, and a slow poll finds what was missed."""

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Protocol

from perdure.core.commit import Commit
from perdure.core.cursor import Cursor, Position
from perdure.core.errors import DatabaseFault, Unavailable
from perdure.core.events import PresentPerson
from perdure.core.ids import ChatId
from perdure.core.notice import Notice, Topic
from perdure.core.tasks import every
from perdure.core.timing import STREAM_POLL, Clock, SystemClock
from perdure.live.episodes import Episodes
from perdure.machine.announcer import Announcer
from perdure.store import following
from perdure.store.following import Reading
from perdure.store.losses import Losses
from perdure.store.pool import Pool
from perdure.store.pubsub import Pubsub
from perdure.stream.hub import GONE, RECONNECT, Hub
from perdure.stream.subscription import Subscription

_log = logging.getLogger(__name__)


class Remote(Protocol):
    """Brings the parts of chats that other replicas drive."""

    def moved(self, hub: Hub) -> None:
        """A followed chat has a new row: its parts may come from elsewhere now."""
        ...

    def left(self, hub: Hub) -> None:
        """Nobody follows it here any more."""
        ...


class Hubs:
    """One hub for every chat that somebody follows here. A chat that nobody follows costs nothing."""

    def __init__(
        self,
        pool: Pool,
        episodes: Episodes,
        clock: Clock | None = None,
        *,
        remote: Remote | None = None,
        losses: Losses | None = None,
    ) -> None:
        self._pool = pool
        self._episodes = episodes
        self._clock = clock or SystemClock()
        self._hubs: dict[ChatId, tuple[Hub, Callable[[], None]]] = {}
        self._remote = remote
        self._losses = losses or Losses(pool)
        self.reads = 0
        self.ended = False

    def __len__(self) -> int:
        return len(self._hubs)

    def listen(self, announcer: Announcer, pubsub: Pubsub) -> Callable[[], None]:
        """Hear of commits, here and elsewhere; the result stops that."""
        stops = (announcer.follow(self._committed), pubsub.listen(self._noticed))

        def stop() -> None:
            for each in stops:
                each()

        return stop

    @asynccontextmanager
    async def follow(self, chat_id: ChatId, cursor: Cursor | None) -> AsyncGenerator[Subscription]:
        """Subscribe to a chat from a cursor on, or from its newest messages."""
        hub = self._hub(chat_id)
        hub.subscribers += 1
        try:
            yield Subscription(hub, cursor)
        finally:
            hub.subscribers -= 1
            if not hub.subscribers:
                self._drop(hub)

    async def run(self) -> None:
        report = partial(_log.warning, "followed chats wait for the database: %s")
        await every(STREAM_POLL, self.once, self._clock, expected=(Unavailable, DatabaseFault), report=report)

    async def once(self) -> None:
        """Compare every followed chat with its row, in one query."""
        known = {chat_id: hub.seen.snapshot for chat_id, (hub, _) in self._hubs.items() if hub.view is not None}
        if not known:
            return
        versions = await following.versions(self._pool, list(known))
        for chat_id, knew in known.items():
            hub = self._hubs.get(chat_id, (None,))[0]
            if hub is None:
                continue
            if chat_id in versions:
                hub.polled(versions[chat_id], knew=knew)
            else:
                hub.end(GONE)

    def present(self, chat_id: ChatId, people: tuple[PresentPerson, ...]) -> None:
        """Others follow a chat than before."""
        if (found := self._hubs.get(chat_id)) is not None:
            found[0].present(people)

    def end(self) -> None:
        """Ask every subscriber to come again elsewhere."""
        self.ended = True
        for hub, _ in tuple(self._hubs.values()):
            hub.end(RECONNECT)

    def _hub(self, chat_id: ChatId) -> Hub:
        found = self._hubs.get(chat_id)
        if found is not None:
            if not found[0].chain.over:
                return found[0]
            found[1]()
        hub = Hub(chat_id, partial(self._read, chat_id), self._moved, self._lost)
        self._hubs[chat_id] = hub, self._episodes.follow(chat_id, hub.woken)
        hub.episode = self._episodes.of(chat_id)
        if self.ended:
            hub.end(RECONNECT)
        return hub

    def _drop(self, hub: Hub) -> None:
        found = self._hubs.get(hub.chat_id)
        if found is not None and found[0] is hub:
            del self._hubs[hub.chat_id]
            found[1]()
            # Nobody looks here any more, and what was shown may get lost all the same.
            self._losses.remember(hub.chat_id, hub.seen.snapshot, hub.seen.line)
        if self._remote is not None:
            self._remote.left(hub)

    def _moved(self, hub: Hub) -> None:
        if self._remote is not None:
            self._remote.moved(hub)

    async def _lost(self, chat_id: ChatId, remembered: Cursor, found: int) -> None:
        # Another answer may come under the name of one that is gone.
        self._episodes.drop(chat_id)
        await self._losses.say(chat_id, remembered=remembered.snapshot, on=remembered.line, found=found)

    async def _read(self, chat_id: ChatId, since: Position | None) -> Reading | None:
        self.reads += 1
        return await following.read(self._pool, chat_id, since)

    def _committed(self, committed: Commit) -> None:
        if (found := self._hubs.get(committed.chat.id)) is not None:
            found[0].committed(committed)

    def _noticed(self, notice: Notice) -> None:
        if notice.topic is Topic.GAP:
            for hub, _ in self._hubs.values():
                hub.stale()
        if notice.topic is Topic.CHAT and notice.chat_id is not None:
            found = self._hubs.get(notice.chat_id)
            if found is not None:
                found[0].hinted(notice.snapshot_version, notice.metadata_version)
