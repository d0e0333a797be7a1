"""One followed chat: reads once for all its subscribers, and puts rows and parts into one order for all of them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from perdure.core.commit import Commit
from perdure.core.cursor import Cursor, Position
from perdure.core.errors import ChatNotFound
from perdure.core.events import PresentPerson
from perdure.core.ids import ChatId
from perdure.core.tasks import Shared
from perdure.live.episodes import Episode, EpisodeKey
from perdure.store.following import Reading
from perdure.store.tables.chats import Versions
from perdure.stream.batches import Batch
from perdure.stream.log import Chain, End, Parts, Present, Synced
from perdure.stream.view import News, View, behind, moved_on, sync, view_of

Read = Callable[[Position | None], Awaitable[Reading | None]]
Lost = Callable[[ChatId, Cursor, int], Awaitable[None]]
"""Told of a chat, what was known of it, and the version of another past that the database has."""
GONE = "gone"
RECONNECT = "reconnect"
"""Why a stream ends: the chat is no more, or another connection will do better."""

_log = logging.getLogger(__name__)


class Hub:
    """Follows a chat's rows and its newest episode, and chains up what subscribers are to be told."""

    def __init__(
        self, chat_id: ChatId, read: Read, moved: Callable[["Hub"], None] = lambda _: None, lost: Lost | None = None
    ) -> None:
        self.chat_id = chat_id
        self.view: View | None = None
        self.seen = Cursor()
        self.chain = Chain()
        self.subscribers = 0
        self.people: tuple[PresentPerson, ...] = ()
        """Who follows the chat, where they are several."""
        self.episode: Episode | None = None
        self._read = read
        self._moved = moved
        self._lost = lost
        self._stale = False
        self._syncing: asyncio.Task[None] | None = None
        self._shared = Shared(read)

    async def read(self, since: Position | None) -> Reading:
        """The chat as it is now. What the read shows to be new here, is told to everyone else too."""
        reading = await self._shared(since)
        if reading is None:
            self.end(GONE)
            raise ChatNotFound
        if self.view is None:
            self._begin(view_of(reading))
        self.hinted(reading.chat.snapshot_version, reading.metadata_version)
        return reading

    def hinted(self, snapshot: int, metadata: int) -> None:
        """Somebody says that the chat is at these versions."""
        if self.view is None or behind(self.view, snapshot, metadata):
            self.stale()

    def polled(self, now: Versions, *, knew: int) -> None:
        """The database is at these versions. `knew` is the snapshot that was known before it was asked."""
        view = self.view
        if view is None:
            return
        newer = now.snapshot_version > view.chat.snapshot_version or now.metadata_version != view.metadata_version
        if newer or now.snapshot_version < knew or now.line != view.line:
            self.stale()

    def committed(self, commit: Commit) -> None:
        """This process changed the chat."""
        step = None if self.view is None else moved_on(self.view, commit)
        if step is None:
            self.hinted(commit.chat.snapshot_version, commit.metadata_version or 0)
        else:
            self._move(*step)

    def woken(self, episode: Episode) -> None:
        """An episode of the chat is new or has grown."""
        self.episode = episode
        if self.view is None:
            return
        name = _name(episode.key)
        if name == self.seen.episode:
            self._tell_parts(episode)
        elif name > self.seen.episode:
            # The parts are of a step that we have not heard of yet. They wait in their episode.
            self.stale()

    def stale(self) -> None:
        """Read soon, and tell what is new."""
        self._stale = True
        if self._syncing is None and self.view is not None:
            self._syncing = asyncio.ensure_future(self._sync())
            self._syncing.add_done_callback(self._synced)

    def present(self, people: tuple[PresentPerson, ...]) -> None:
        """Others follow the chat than before."""
        self.people = people
        self.chain.append(Present(people))

    def end(self, reason: str) -> None:
        self.chain.append(End(reason))

    def _begin(self, view: View) -> None:
        self.view = view
        self.seen = Cursor.of(view.chat, view.metadata_version, line=view.line)
        self._moved(self)
        if self._stale:
            self.stale()
        if self.episode is not None:
            self.woken(self.episode)

    async def _sync(self) -> None:
        while self._stale and self.view is not None:
            self._stale = False
            view, seen = self.view, self.seen
            reading = await self._read(seen.position)
            if reading is None:
                self.end(GONE)
            elif seen.lost(reading.chat, reading.line):
                await self._start_again(seen, reading)
            elif self.view is not view:
                # A commit of our own came in between: what was read may be older, or tell things twice.
                self.hinted(reading.chat.snapshot_version, reading.metadata_version)
            else:
                self._move(view_of(reading), News(reading.messages, reading.cut))

    async def _start_again(self, seen: Cursor, reading: Reading) -> None:
        """The database went back in time. Whoever comes again gets everything anew."""
        self.end(RECONNECT)
        if self._lost is not None:
            await self._lost(self.chat_id, seen, reading.chat.snapshot_version)

    def _synced(self, task: "asyncio.Task[None]") -> None:
        self._syncing = None
        if not task.cancelled() and (error := task.exception()) is not None:
            # The poll comes back to it.
            _log.warning("a followed chat could not be read: %s", error)

    def _move(self, view: View, news: News) -> None:
        before, seen = self.view, self.seen
        events, self.seen = sync(seen, news, view, before=before)
        self.view = view
        self.chain.append(Synced(seen, self.seen, Batch(events)))
        self._moved(self)
        if self.episode is not None:
            self.woken(self.episode)

    def _tell_parts(self, episode: Episode) -> None:
        pieces = episode.parts_since(self.seen.seq)
        if pieces:
            seen, self.seen = self.seen, replace(self.seen, seq=self.seen.seq + len(pieces))
            self.chain.append(Parts(seen, self.seen, episode.key, pieces))


def _name(key: EpisodeKey) -> tuple[int, int]:
    return key.history_version, key.attempt
