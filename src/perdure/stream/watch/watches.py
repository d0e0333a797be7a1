"""Everybody's open watches on this replica: hints are collected for a moment, then read once for all of them."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import TypeVar

from perdure.core.errors import DatabaseFault, Unavailable
from perdure.core.ids import ChatId, UserId
from perdure.core.notice import Notice, Topic
from perdure.core.timing import WATCH_COLLECT, WATCH_MEMORY, WATCH_OVERLAP, WATCH_POLL, Clock, SystemClock
from perdure.store import watching
from perdure.store.pool import Pool
from perdure.store.pubsub import Pubsub
from perdure.stream.hub import RECONNECT
from perdure.stream.watch.feed import Feed, InboxFeed, WatchFeed

F = TypeVar("F", bound=Feed)
_log = logging.getLogger(__name__)


class Watches:
    """Tells viewers what changed in their lists and inboxes."""

    def __init__(self, pool: Pool, pubsub: Pubsub, clock: Clock | None = None) -> None:
        self._pool = pool
        self._pubsub = pubsub
        self._clock = clock or SystemClock()
        self._lists: defaultdict[UserId, set[WatchFeed]] = defaultdict(set)
        self._inboxes: defaultdict[UserId, set[InboxFeed]] = defaultdict(set)
        self._touched: dict[ChatId, None] = {}
        self._mail = False
        self._missed = False
        self._work = asyncio.Event()
        self._polled = self._clock.monotonic()

    def listen(self) -> Callable[[], None]:
        return self._pubsub.listen(self._noticed)

    @asynccontextmanager
    async def follow(self, viewer: UserId, position: datetime | None) -> AsyncGenerator[WatchFeed]:
        """A viewer's list from a position on. It starts with a reset where there is none, or none that can be true.

        One that is too old is not remembered; one that lies ahead is of a database that went back since.
        """
        now = await watching.now(self._pool)
        feed = WatchFeed(viewer, now)
        self._lists[viewer].add(feed)
        try:
            if position is None or not now - WATCH_MEMORY <= position <= now:
                feed.reset(now)
            else:
                await self._catch_up(feed, position)
            yield feed
        finally:
            _without(self._lists, feed)

    @asynccontextmanager
    async def follow_inbox(self, viewer: UserId, position: datetime | None) -> AsyncGenerator[InboxFeed]:
        """A viewer's inbox. It starts with how much is unread."""
        now = await watching.now(self._pool)
        feed = InboxFeed(viewer, now)
        self._inboxes[viewer].add(feed)
        try:
            mails = await watching.inbox(self._pool, {viewer: _overlapping(position or now)})
            feed.begin(mails[-1])
            for mail in mails if position is not None else ():
                feed.got(mail)
            yield feed
        finally:
            _without(self._inboxes, feed)

    async def run(self) -> None:
        stop = self.listen()
        try:
            while True:
                await self._some_hints()
                try:
                    await self.once()
                except (Unavailable, DatabaseFault) as error:
                    self._missed = True
                    _log.warning("watches wait for the database: %s", error)
        finally:
            stop()

    async def _some_hints(self) -> None:
        """Wait for hints, and a little for those that come with them: one query is enough for all."""
        now = self._clock.monotonic()
        try:
            async with asyncio.timeout(max(0, self._polled + WATCH_POLL.total_seconds() - now)):
                await self._work.wait()
                await self._clock.sleep(WATCH_COLLECT.total_seconds())
        except TimeoutError:
            self._polled, self._missed = self._clock.monotonic(), True

    async def once(self) -> None:
        """Read what hints are about, or everything since the last time where hints may have been lost."""
        self._work.clear()
        touched, self._touched = list(self._touched), {}
        mail, self._mail = self._mail or bool(touched), False
        missed, self._missed = self._missed, False
        if self._lists and (touched or missed):
            await self._look(touched, missed)
        if self._inboxes and (mail or missed):
            await self._look_into_inboxes()
        if missed:
            await watching.purge(self._pool, WATCH_MEMORY + timedelta(hours=1))

    def end(self) -> None:
        for feeds in (*self._lists.values(), *self._inboxes.values()):
            for feed in feeds:
                feed.end(RECONNECT)

    async def _look(self, touched: list[ChatId], missed: bool) -> None:
        since = {viewer: _overlapping(min(f.position for f in feeds)) for viewer, feeds in self._lists.items()}
        now = await watching.now(self._pool)
        if missed:
            seen = await watching.changed(self._pool, since)
        else:
            seen = await watching.touched(self._pool, list(since), touched)
        for each in seen:
            for feed in tuple(self._lists.get(each.viewer, ())):
                feed.saw(each)
        for departure in await watching.departed(self._pool, since):
            for feed in tuple(self._lists.get(departure.viewer, ())):
                feed.lost(departure)
        for feeds in self._lists.values():
            for feed in feeds:
                feed.position = max(feed.position, now) if missed else feed.position

    async def _look_into_inboxes(self) -> None:
        since = {viewer: _overlapping(min(f.position for f in feeds)) for viewer, feeds in self._inboxes.items()}
        for mail in await watching.inbox(self._pool, since):
            for feed in tuple(self._inboxes.get(mail.viewer, ())):
                feed.got(mail)
                feed.position = max(feed.position, mail.position)

    async def _catch_up(self, feed: WatchFeed, position: datetime) -> None:
        since = {feed.viewer: _overlapping(position)}
        for each in await watching.changed(self._pool, since):
            feed.saw(each)
        for departure in await watching.departed(self._pool, since):
            feed.lost(departure)

    def _noticed(self, notice: Notice) -> None:
        match notice.topic:
            case Topic.CHAT if notice.chat_id is not None:
                self._touched[notice.chat_id] = None
            case Topic.INBOX:
                self._mail = True
            case Topic.GAP:
                self._missed = True
            case _:
                return
        if self._lists or self._inboxes:
            self._work.set()
        else:
            self._touched.clear()


def _overlapping(position: datetime) -> datetime:
    """A change may show later than its own time says: reading starts a little earlier."""
    return position - WATCH_OVERLAP


def _without(feeds: defaultdict[UserId, set[F]], feed: F) -> None:
    feeds[feed.viewer].discard(feed)
    if not feeds[feed.viewer]:
        del feeds[feed.viewer]
