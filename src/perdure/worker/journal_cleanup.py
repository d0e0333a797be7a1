"""Cleaning up after calls whose results are committed: their lines in the journal, and their keys in the workspace."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from perdure.core.errors import PerdureError
from perdure.core.ids import ChatId
from perdure.core.tasks import every
from perdure.core.timing import FORGET_PERIOD, JOURNAL_KEPT, JOURNAL_SWEEP_PERIOD, Clock
from perdure.store.journal import CallRun, Journal
from perdure.tools.call import CallKey

_log = logging.getLogger(__name__)


class KeyHolder(Protocol):
    """Who keeps results by key until it is told that nobody asks for them any more."""

    async def forget_keys(self, home: ChatId, keys: Sequence[str]) -> None: ...


class NoKeys:
    async def forget_keys(self, home: ChatId, keys: Sequence[str]) -> None: ...


@dataclass(frozen=True, slots=True)
class Done:
    """A call whose result is in the history."""

    call: CallRun
    home: ChatId


class JournalCleanup:
    """Collects what is done and forgets it together: no turn waits for that."""

    def __init__(self, journal: Journal, holder: KeyHolder, clock: Clock) -> None:
        self._journal = journal
        self._holder = holder
        self._clock = clock
        self._done: list[Done] = []
        self._turn = asyncio.Lock()

    def committed(self, done: Sequence[Done]) -> None:
        self._done.extend(done)

    async def run(self) -> None:
        report = partial(_log.warning, "calls were not forgotten: %s")
        async with asyncio.TaskGroup() as group:
            for period, work in ((FORGET_PERIOD, self.once), (JOURNAL_SWEEP_PERIOD, self._sweep)):
                group.create_task(every(period, work, self._clock, expected=(PerdureError,), report=report))

    async def _sweep(self) -> None:
        await self._journal.sweep(JOURNAL_KEPT)

    async def once(self) -> None:
        """Forget all that is done: also what somebody else is about to."""
        async with self._turn:
            await self._forget()

    async def _forget(self) -> None:
        if not self._done:
            return
        done, self._done = self._done, []
        homes = {one.call: one.home for one in done}
        keys = defaultdict[ChatId, list[str]](list)
        for call in await self._journal.forget(list(homes)):
            keys[homes[call]].append(str(CallKey(call.chat_id, call.message, call.index, call.run)))
        for home, theirs in keys.items():
            await self._holder.forget_keys(home, theirs)
