"""Brings the parts of chats that other replicas drive: over the relay, or from stored segments when it fails."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from perdure.core.chat import Chat, Status
from perdure.core.errors import DatabaseFault, Unavailable
from perdure.core.ids import ChatId, ReplicaId
from perdure.core.tasks import every
from perdure.core.timing import LEASE, RELAY_PATIENCE, SEGMENT_PERIOD, Clock, SystemClock
from perdure.live.episodes import Episode, EpisodeKey, Piece
from perdure.live.segments import prefix
from perdure.store import segments as store
from perdure.store.pool import Pool
from perdure.store.tables.replicas import address
from perdure.stream.hub import Hub
from perdure.stream.relay.peer import Near, Peer, nobody_near
from perdure.stream.relay.wire import Follow, Grown

_BUSY = frozenset({Status.RUNNING, Status.INTERRUPTING})
_log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class Mirror:
    """A copy of the episode that another replica writes."""

    hub: Hub
    episode: Episode
    owner: ReplicaId | None
    since: float
    """When it began to wait for its owner."""

    def wish(self) -> Follow:
        key = self.episode.key
        return Follow(key.chat_id, key.history_version, key.attempt, self.episode.seq)


class Relay:
    """Keeps one copy for every followed chat that is driven elsewhere, and one connection to every driver."""

    def __init__(
        self,
        pool: Pool,
        secret: str,
        own: Callable[[], ReplicaId],
        clock: Clock | None = None,
        *,
        near: Near = nobody_near,
    ) -> None:
        self._near = near
        self._pool = pool
        self._secret = secret
        self._own = own
        self._clock = clock or SystemClock()
        self._mirrors: dict[ChatId, Mirror] = {}
        self._peers: dict[ReplicaId, tuple[Peer, asyncio.Task[None]]] = {}
        self.parts = 0
        """How many parts came from other replicas."""

    def __len__(self) -> int:
        return len(self._mirrors)

    def peers(self) -> dict[str, int]:
        """How many other replicas parts come from, and how many of these cannot be reached."""
        connected = sum(peer.connected for peer, _ in self._peers.values())
        return {"connected": connected, "away": len(self._peers) - connected}

    async def run(self) -> None:
        try:
            report = partial(_log.warning, "stored segments wait for the database: %s")
            await every(SEGMENT_PERIOD, self.once, self._clock, expected=(Unavailable, DatabaseFault), report=report)
        finally:
            await self._close()

    async def once(self) -> None:
        """Bring from the stored segments what no replica sends, and let go of connections that nobody needs."""
        waiting = [mirror for mirror in self._mirrors.values() if self._abandoned(mirror)]
        if waiting:
            await self._load(waiting)
        for replica_id, (peer, task) in tuple(self._peers.items()):
            if task.done() or not peer.wanted:
                task.cancel()
                del self._peers[replica_id]

    def moved(self, hub: Hub) -> None:
        """A followed chat has a new row."""
        assert hub.view is not None
        chat = hub.view.chat
        mirror = self._mirrors.get(hub.chat_id)
        if chat.status not in _BUSY or chat.worker_id == self._own():
            self.left(hub)
        elif mirror is None or mirror.hub is not hub or mirror.owner != chat.worker_id:
            self._mirror(hub, chat)
        elif _key(chat) > mirror.episode.key:
            mirror.episode = Episode(_key(chat), [hub.woken])

    def left(self, hub: Hub) -> None:
        """Its parts come from here, or nobody follows it any more."""
        mirror = self._mirrors.get(hub.chat_id)
        if mirror is not None and mirror.hub is hub:
            del self._mirrors[hub.chat_id]
            if (peer := self._sender(mirror)) is not None:
                peer.drop(hub.chat_id)

    def _mirror(self, hub: Hub, chat: Chat) -> None:
        self.left(hub)
        mirror = Mirror(hub, Episode(_key(chat), [hub.woken]), chat.worker_id, self._clock.monotonic())
        self._mirrors[chat.id] = mirror
        if chat.worker_id is not None and self._secret:
            self._peer(chat.worker_id).follow(chat.id, lambda: self._mirrors.get(chat.id, mirror).wish())

    def _peer(self, replica_id: ReplicaId) -> Peer:
        found = self._peers.get(replica_id)
        if found is not None and not found[1].done():
            return found[0]
        peer = Peer(replica_id, self._address, self._secret, self._clock, near=self._near)
        task = asyncio.ensure_future(peer.run(self._heard))
        task.add_done_callback(_report)
        self._peers[replica_id] = peer, task
        return peer

    def _sender(self, mirror: Mirror) -> Peer | None:
        found = self._peers.get(mirror.owner) if mirror.owner is not None else None
        return None if found is None or found[1].done() else found[0]

    async def _address(self, replica_id: ReplicaId) -> str | None:
        try:
            return await address(self._pool, replica_id, LEASE)
        except (Unavailable, DatabaseFault) as error:
            raise ConnectionError(f"the database is away: {error}") from error

    def _heard(self, grown: Grown) -> None:
        mirror = self._mirrors.get(grown.chat_id)
        if mirror is None:
            return
        key = EpisodeKey(grown.chat_id, grown.history_version, grown.attempt)
        if key > mirror.episode.key:
            mirror.episode = Episode(key, [mirror.hub.woken])
        if key == mirror.episode.key:
            pieces = [Piece(role, delta) for role, delta in grown.pieces]
            self.parts += len(pieces)
            peer = self._sender(mirror)
            if not mirror.episode.add_after(grown.after, pieces) and peer is not None:
                peer.follow(grown.chat_id, mirror.wish)

    def _abandoned(self, mirror: Mirror) -> bool:
        """Whether no replica sends its parts, for long enough that we look elsewhere."""
        peer, now = self._sender(mirror), self._clock.monotonic()
        if peer is not None and peer.connected:
            mirror.since = now
            return False
        overdue = peer is None or now - mirror.since >= RELAY_PATIENCE.total_seconds()
        return overdue and mirror.episode.key.attempt > 0

    async def _load(self, mirrors: list[Mirror]) -> None:
        episodes = {_name(mirror.episode.key): mirror.episode for mirror in mirrors}
        found = await store.load_many(self._pool, [(name, episode.seq) for name, episode in episodes.items()])
        for name, episode in episodes.items():
            after = episode.seq
            pieces = prefix([segment for segment in found if segment.episode == name], after)
            if pieces:
                episode.add_after(after, pieces)

    async def _close(self) -> None:
        tasks = [task for _, task in self._peers.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _key(chat: Chat) -> EpisodeKey:
    return EpisodeKey(chat.id, chat.history_version, chat.generation_attempt)


def _name(key: EpisodeKey) -> store.Name:
    return key.chat_id, key.history_version, key.attempt


def _report(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.warning("the relay to a replica stopped: %s", error)
