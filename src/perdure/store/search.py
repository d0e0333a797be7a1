"""Keeping search up to date: outside of the chats' own commits, a moment behind them."""

import logging
from collections.abc import Mapping, Sequence

from perdure.core.errors import DatabaseFault, Unavailable
from perdure.core.ids import ChatId
from perdure.core.public import shown_text
from perdure.core.text import storable
from perdure.core.timing import SEARCH_CATCH_UP, SEARCH_PERIOD, Clock
from perdure.store.pool import Pool
from perdure.store.rows import parts_of
from perdure.store.tables import search

_log = logging.getLogger(__name__)

BATCH = 500
TEXT_LIMIT = 32 * 1024
"""What of a message's text is searched. A tsvector holds at most a megabyte."""


class SearchIndex:
    """Notes which chats moved, and puts their new words into the index every little while."""

    def __init__(self, pool: Pool, clock: Clock) -> None:
        self._pool = pool
        self._clock = clock
        self._moved: dict[ChatId, None] = {}
        self._until_catch_up = 0.0

    def moved(self, chat_id: ChatId) -> None:
        """A chat's history changed in this process."""
        self._moved[chat_id] = None

    async def run(self) -> None:
        while True:
            try:
                await self.once()
            except (Unavailable, DatabaseFault) as error:
                _log.warning("search waits for the database: %s", error)
            await self._clock.sleep(SEARCH_PERIOD.total_seconds())

    async def once(self) -> None:
        """Index what moved since the last time; now and then also what somebody else left undone."""
        if self._clock.monotonic() >= self._until_catch_up:
            for chat_id in await search.behind(self._pool, BATCH):
                self.moved(chat_id)
            self._until_catch_up = self._clock.monotonic() + SEARCH_CATCH_UP.total_seconds()
        moved, self._moved = tuple(self._moved), {}
        for start in range(0, len(moved), BATCH):
            await self._index(moved[start : start + BATCH])

    async def _index(self, chats: Sequence[ChatId]) -> None:
        after, owed = search.NOTHING_INDEXED, dict[ChatId, int]()
        while True:
            rows = await search.unindexed(self._pool, chats, after, BATCH)
            progress = owed | {row.chat_id: row.revision for row in rows}
            owed = {}
            if len(rows) == BATCH:
                # It may end in the middle of a revision, which an import fills with any number of messages: whether the
                # chat has come so far, the next batch says.
                last = rows[-1]
                after = search.LastIndexed(last.chat_id, last.revision, last.number)
                owed = {last.chat_id: last.revision}
                progress[last.chat_id] -= 1
            if progress:
                await self._put(rows, progress)
            if not owed:
                return

    async def _put(self, rows: Sequence[search.UnindexedMessage], progress: Mapping[ChatId, int]) -> None:
        await search.index(
            self._pool,
            [row.chat_id for row in rows],
            [row.number for row in rows],
            [_words(row.parts) if row.shown else "" for row in rows],
            list(progress),
            list(progress.values()),
        )


def _words(parts: str) -> str:
    return storable(shown_text(parts_of(parts)))[:TEXT_LIMIT]
