"""What is stored of episodes while they run, so that a crash loses little and another replica can show the same."""

import asyncio
import logging
from collections.abc import Iterable
from functools import partial

import msgspec

from perdure.core.errors import DatabaseFault, Unavailable
from perdure.core.tasks import every
from perdure.core.timing import CLOSED_EPISODE_KEPT, SEGMENT_PERIOD, SEGMENT_SWEEP_PERIOD, Clock, SystemClock
from perdure.live.episodes import Episode, EpisodeKey, Episodes, Piece
from perdure.store import segments as store
from perdure.store.pool import Pool
from perdure.store.rows import encoded
from perdure.store.segments import Segment

_pieces = msgspec.json.Decoder(list[Piece])
_log = logging.getLogger(__name__)


class Segments:
    """Stores what is new in all episodes of this replica, in one statement a round."""

    def __init__(self, pool: Pool, episodes: Episodes, clock: Clock | None = None) -> None:
        self._pool = pool
        self._episodes = episodes
        self._clock = clock or SystemClock()
        self._stored: dict[EpisodeKey, int] = {}

    async def run(self) -> None:
        report = partial(_log.warning, "segments wait for the database: %s")
        repeat = partial(every, clock=self._clock, expected=(Unavailable, DatabaseFault), report=report)
        async with asyncio.TaskGroup() as group:
            group.create_task(repeat(SEGMENT_PERIOD, self.once))
            group.create_task(repeat(SEGMENT_SWEEP_PERIOD, self.sweep))

    async def sweep(self) -> None:
        """Drop what replicas that are gone left behind."""
        await store.sweep(self._pool, CLOSED_EPISODE_KEPT)

    async def once(self) -> None:
        """Put new parts in, and take out those of episodes that are closed and committed."""
        episodes = self._episodes.all()
        await self._write([episode for episode in episodes if not episode.closed], self._over(episodes))

    async def flush(self) -> None:
        """Store everything now and drop nothing: whoever takes these chats over may need it."""
        await self._write(list(self._episodes.all()), [])

    async def load(self, key: EpisodeKey, after: int = 0) -> list[Piece]:
        """The stored parts from number `after` + 1 up to the first that is missing."""
        stored = await store.load(self._pool, _name(key), after=after)
        return prefix(stored, after)

    def _over(self, episodes: tuple[Episode, ...]) -> list[EpisodeKey]:
        """Episodes with stored parts that no step of this replica needs any more."""
        live = {episode.key for episode in episodes if not episode.closed}
        return [key for key in self._stored if key not in live]

    async def _write(self, episodes: list[Episode], over: list[EpisodeKey]) -> None:
        news = [episode for episode in episodes if episode.seq > self._stored.get(episode.key, 0)]
        reached = {episode.key: episode.seq for episode in news}
        if not news and not over:
            return
        segments = [_segment(episode, self._stored.get(episode.key, 0)) for episode in news]
        gone = await store.write(self._pool, segments, [_name(key) for key in over])
        self._stored.update(reached)
        kept = {episode.key for episode in self._episodes.all()}
        for key in over:
            # An episode may end before its step is committed: it is asked about again while it is kept.
            if _name(key) in gone or key not in kept:
                del self._stored[key]


def prefix(segments: Iterable[Segment], after: int) -> list[Piece]:
    """The parts from number `after` + 1 that these segments hold, up to the first that is missing."""
    pieces: list[Piece] = []
    for segment in segments:
        reached = after + len(pieces)
        if segment.seq_from > reached + 1:
            break
        pieces += _pieces.decode(segment.content)[reached + 1 - segment.seq_from :]
    return pieces


def _name(key: EpisodeKey) -> store.Name:
    return key.chat_id, key.history_version, key.attempt


def _segment(episode: Episode, stored: int) -> Segment:
    pieces = episode.parts_since(stored)
    return Segment(_name(episode.key), stored + 1, stored + len(pieces), encoded(pieces))
