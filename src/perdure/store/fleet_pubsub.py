"""Notices between replicas, whatever server passes them on: batches out, gaps announced, one loop that retries."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from uuid import uuid4

import msgspec

from perdure.core.notice import Notice, Topic
from perdure.core.tasks import Backoff
from perdure.core.timing import DATABASE_RETRY_FIRST, DATABASE_RETRY_LONGEST, LISTEN_PING_PATIENCE, Clock, SystemClock
from perdure.observe.measures.service import DatabaseMeasures
from perdure.store.pubsub import Listener, LocalBus

# Postgres refuses a payload of 8,000 bytes.
PAYLOAD_LIMIT = 7_900

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(tuple[str, list[Notice]])
_log = logging.getLogger(__name__)


def payloads(sender: str, notices: Iterable[Notice]) -> list[str]:
    """The notices in as few payloads as fit, each naming its sender. Of several about one thing the newest travels."""
    newest = {(notice.topic, notice.chat_id, notice.name): notice for notice in notices}
    batches: list[list[bytes]] = [[]]
    size = room = PAYLOAD_LIMIT - len(sender) - 10
    for notice in newest.values():
        encoded = _encoder.encode(notice)
        if len(encoded) + 1 > size:
            batches.append([])
            size = room
        batches[-1].append(encoded)
        size -= len(encoded) + 1
    return [f'["{sender}",[{b",".join(batch).decode()}]]' for batch in batches if batch]


class FleetPubsub(ABC):
    """Listeners of this process hear at once; those of other replicas when the server has passed it on.

    When `run` loses the connection, every listener here is told that it hears nothing; whenever it begins to listen,
    that there was a gap.
    """

    failures: tuple[type[Exception], ...]
    """What it means that the server is away."""
    unheard = "what this replica says does not come back to it"
    """What it means that it takes words and passes none on."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._bus = LocalBus()
        self._name = uuid4().hex
        self._waiting: list[Notice] = []
        self._sending: asyncio.Task[None] | None = None
        self._heard_ping = asyncio.Event()
        self.listening = asyncio.Event()
        self.alone = False
        """Set while no other replica lives: then nothing is sent."""
        self.notices = {"sent": 0, "heard": 0, "lost": 0}
        self.gaps = 0

    @abstractmethod
    async def _follow(self) -> None:
        """Listen on one connection until it ends. Calls `_begun` once it listens."""

    @abstractmethod
    async def _deliver(self, batch: Sequence[str]) -> None:
        """Hand payloads to the server."""

    def publish(self, notices: Iterable[Notice]) -> None:
        batch = tuple(notices)
        self._bus.publish(batch)
        if batch and not self.alone:
            self._waiting += batch
            if self._sending is None:
                self._send()

    def count(self, replicas: int) -> None:
        """Take note of how many replicas live, this one included."""
        self.alone = replicas < 2

    def listen(self, listener: Listener) -> Callable[[], None]:
        return self._bus.listen(listener)

    def measure(self, measures: DatabaseMeasures) -> None:
        """Show what is said and heard."""
        measures.notices.read = lambda: self.notices
        measures.listening.read = self.listening.is_set
        measures.gaps.read = lambda: self.gaps

    async def run(self) -> None:
        """Listen until cancelled, on one connection after the other."""
        backoff = Backoff(DATABASE_RETRY_FIRST, DATABASE_RETRY_LONGEST)
        while True:
            try:
                await self._follow()
            except self.failures as error:
                if self.listening.is_set():
                    self.gaps += 1
                    backoff.reset()
                    self._bus.publish([Notice(Topic.DEAF)])
                _log.warning("notices of other replicas are not heard for now: %s", str(error) or type(error).__name__)
            finally:
                self.listening.clear()
            await backoff.wait(self._clock)

    async def flush(self) -> None:
        """Wait until what was published is on its way."""
        while self._sending is not None:
            await asyncio.wait({self._sending})

    def _begun(self) -> None:
        self.listening.set()
        self._bus.publish([Notice(Topic.GAP)])

    async def _ping(self) -> None:
        """Hear our own voice, or raise: only then is it certain that we hear others."""
        self._heard_ping.clear()
        await self._deliver([f'["{self._name}",[]]'])
        try:
            async with asyncio.timeout(LISTEN_PING_PATIENCE.total_seconds()):
                await self._heard_ping.wait()
        except TimeoutError:
            raise TimeoutError(self.unheard) from None

    def _heard(self, payload: str | bytes) -> None:
        """Pass on what others said."""
        with suppress(msgspec.DecodeError):
            # Another version of this program may say what this one does not understand.
            sender, notices = _decoder.decode(payload)
            if sender != self._name:
                self.notices["heard"] += len(notices)
                self._bus.publish(notices)
            elif not notices:
                self._heard_ping.set()

    def _send(self) -> None:
        """Send what waits; what comes meanwhile goes together the next time."""
        batch, self._waiting = self._waiting, []
        self.notices["sent"] += len(batch)
        self._sending = asyncio.ensure_future(self._delivered(payloads(self._name, batch), len(batch)))
        self._sending.add_done_callback(self._sent)

    async def _delivered(self, batch: Sequence[str], notices: int) -> None:
        try:
            await self._deliver(batch)
        except self.failures as error:
            self.notices["lost"] += notices
            _log.warning("notices were lost: %s", str(error) or type(error).__name__)

    def _sent(self, _: "asyncio.Task[None]") -> None:
        self._sending = None
        if self._waiting:
            self._send()
