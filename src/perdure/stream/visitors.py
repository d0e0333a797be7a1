"""The open streams of this replica: whoever is stuck is cut, whoever may no longer read is shown out."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

from perdure.core.clock import Clock, SystemClock
from perdure.core.timing import SLOW_SUBSCRIBER, STREAM_LOOK, STREAM_PING, STREAM_RECHECK
from perdure.store.away import AWAY
from perdure.stream.door import Door, Pass

_log = logging.getLogger(__name__)


class Visitor:
    """One open stream: who it is for, and since when it waits to be sent something."""

    def __init__(self, admission: Pass, now: float) -> None:
        self.admission = admission
        self.sending_since: float | None = None
        self.sent_at = now
        self.reason = ""
        self.ping: Callable[[], Coroutine[Any, Any, None]] | None = None
        self._writer: asyncio.Task[None] | None = None

    def writes(self, writer: "asyncio.Task[None]") -> None:
        self._writer = writer

    def show_out(self, reason: str) -> None:
        """End the stream. Its writer says why, if it still can."""
        self.reason = reason
        if self._writer is not None:
            self._writer.cancel()


SLOW = "slow"
DENIED = "denied"
LEFT = "left"


class Visitors:
    """Looks after every open stream once a second, and asks once for all whether they may stay."""

    def __init__(self, door: Door, clock: Clock | None = None) -> None:
        self._door = door
        self._clock = clock or SystemClock()
        self._visitors = set[Visitor]()
        self.ended = Counter[str]()
        """How many streams ended, by reason."""
        self._pings = set[asyncio.Task[None]]()

    def __len__(self) -> int:
        return len(self._visitors)

    def now(self) -> float:
        return self._clock.monotonic()

    def lag(self) -> float:
        """How long the slowest has not taken what it was sent, in seconds."""
        now = self.now()
        return max((now - each.sending_since for each in self._visitors if each.sending_since is not None), default=0.0)

    def add(self, visitor: Visitor) -> None:
        self._visitors.add(visitor)

    def discard(self, visitor: Visitor) -> None:
        if visitor in self._visitors:
            self._visitors.discard(visitor)
            self.ended[visitor.reason or LEFT] += 1

    async def run(self) -> None:
        checked = self.now()
        while True:
            await self._clock.sleep(STREAM_LOOK.total_seconds())
            self.look()
            if self.now() - checked >= STREAM_RECHECK.total_seconds():
                checked = self.now()
                await self._check_patiently()

    def look(self) -> None:
        """Cut who has not taken anything for too long; show the rest that we are alive."""
        now = self.now()
        for visitor in tuple(self._visitors):
            if visitor.sending_since is not None:
                if now - visitor.sending_since > SLOW_SUBSCRIBER.total_seconds():
                    visitor.show_out(SLOW)
            elif visitor.ping is not None and now - visitor.sent_at > STREAM_PING.total_seconds():
                visitor.sent_at = now
                self._send_ping(visitor.ping())

    async def check(self) -> None:
        """Ask whether everyone may still read what they read."""
        passes = list({visitor.admission for visitor in self._visitors})
        denied = set(await self._door.denied(passes)) if passes else set[Pass]()
        for visitor in tuple(self._visitors):
            if visitor.admission in denied:
                visitor.show_out(DENIED)

    async def _check_patiently(self) -> None:
        try:
            await self.check()
        except AWAY as error:
            _log.warning("who may read is not known while the database is away: %s", error)

    def _send_ping(self, ping: Coroutine[Any, Any, None]) -> None:
        # In a task: one that is stuck must not hold up the others.
        task = asyncio.ensure_future(ping)
        self._pings.add(task)
        task.add_done_callback(self._pings.discard)
