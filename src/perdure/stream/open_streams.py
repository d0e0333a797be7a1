"""The open streams of this replica: one that is stuck is cut, one whose reader may no longer read is ended."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

from perdure.core.errors import DatabaseFault, Unavailable
from perdure.core.notice import ACTORS_CHANGED, SHARES_CHANGED, Notice, Topic
from perdure.core.timing import SLOW_SUBSCRIBER, STREAM_LOOK, STREAM_PING, STREAM_RECHECK, Clock, SystemClock
from perdure.stream.access import AccessControl, Admission

_log = logging.getLogger(__name__)


class OpenStream:
    """One open stream: who it is for, and since when it waits to be sent something."""

    def __init__(self, admission: Admission, now: float) -> None:
        self.admission = admission
        self.sending_since: float | None = None
        self.sent_at = now
        self.reason = ""
        self.ping: Callable[[], Coroutine[Any, Any, None]] | None = None
        self._writer: asyncio.Task[None] | None = None

    def writes(self, writer: "asyncio.Task[None]") -> None:
        self._writer = writer

    def end(self, reason: str) -> None:
        """End the stream. Its writer says why, if it still can."""
        self.reason = reason
        if self._writer is not None:
            self._writer.cancel()


SLOW = "slow"
DENIED = "denied"
LEFT = "left"


class OpenStreams:
    """Looks after every open stream once a second, and asks once for all whether they may stay."""

    def __init__(self, access: AccessControl, clock: Clock | None = None) -> None:
        self._access = access
        self._clock = clock or SystemClock()
        self._streams = set[OpenStream]()
        self.ended = Counter[str]()
        """How many streams ended, by reason."""
        self._pings = set[asyncio.Task[None]]()
        self._asked = False
        """Whether somebody may read less than when that was looked up last."""
        self._checking: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._streams)

    def now(self) -> float:
        return self._clock.monotonic()

    def lag(self) -> float:
        """How long the slowest has not taken what it was sent, in seconds."""
        now = self.now()
        return max((now - each.sending_since for each in self._streams if each.sending_since is not None), default=0.0)

    def add(self, stream: OpenStream) -> None:
        self._streams.add(stream)

    def discard(self, stream: OpenStream) -> None:
        if stream in self._streams:
            self._streams.discard(stream)
            self.ended[stream.reason or LEFT] += 1

    def heard(self, notice: Notice) -> None:
        """Ask again at once where somebody's rights changed, or where that may have been missed."""
        if notice.topic is Topic.GAP or notice.name in (SHARES_CHANGED, ACTORS_CHANGED):
            self._asked = True
            if self._streams and self._checking is None:
                self._checking = asyncio.ensure_future(self._check_when_asked())

    async def _check_when_asked(self) -> None:
        try:
            while self._asked:
                self._asked = False
                await self._check_patiently()
        finally:
            self._checking = None

    async def run(self) -> None:
        checked = self.now()
        while True:
            await self._clock.sleep(STREAM_LOOK.total_seconds())
            self.look()
            if self.now() - checked >= STREAM_RECHECK.total_seconds():
                checked = self.now()
                await self._check_patiently()

    def look(self) -> None:
        """End streams that have not taken anything for too long; ping the others."""
        now = self.now()
        for stream in tuple(self._streams):
            if stream.sending_since is not None:
                if now - stream.sending_since > SLOW_SUBSCRIBER.total_seconds():
                    stream.end(SLOW)
            elif stream.ping is not None and now - stream.sent_at > STREAM_PING.total_seconds():
                stream.sent_at = now
                self._send_ping(stream.ping())

    async def check(self) -> None:
        """Ask whether everyone may still read what they follow."""
        admissions = list({stream.admission for stream in self._streams})
        denied = set(await self._access.denied(admissions)) if admissions else set[Admission]()
        for stream in tuple(self._streams):
            if stream.admission in denied:
                stream.end(DENIED)

    async def _check_patiently(self) -> None:
        try:
            await self.check()
        except (Unavailable, DatabaseFault) as error:
            _log.warning("who may read is not known while the database is away: %s", error)

    def _send_ping(self, ping: Coroutine[Any, Any, None]) -> None:
        # In a task: one that is stuck must not hold up the others.
        task = asyncio.ensure_future(ping)
        self._pings.add(task)
        task.add_done_callback(self._pings.discard)
