"""Notices between replicas over LISTEN and NOTIFY: no other server needed."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from uuid import uuid4

import asyncpg
import msgspec
from asyncpg import Pool, Record

from perdure.core.clock import Clock, SystemClock
from perdure.core.errors import Misconfigured
from perdure.core.notice import Notice, Topic
from perdure.core.timing import (
    DATABASE_RETRY_FIRST,
    DATABASE_RETRY_LONGEST,
    LISTEN_PING_PATIENCE,
    LISTEN_PING_PERIOD,
)
from perdure.observe.measures.database import DatabaseMeasures
from perdure.store.away import AWAY
from perdure.store.connection import connect
from perdure.store.pubsub import Listener, LocalBus
from perdure.store.queries import query

CHANNEL = "perdure"
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


class PostgresPubsub:
    """Listeners of this process hear at once; those of other replicas when Postgres has passed it on.

    `run` listens on a connection of its own and sends itself a ping every few seconds. Whenever it begins to listen,
    also after it lost the connection, every listener here gets a notice of a gap.
    """

    def __init__(self, url: str, pool: "Pool[Record]", clock: Clock | None = None) -> None:
        self._url = url
        self._pool = pool
        self._clock = clock or SystemClock()
        self._bus = LocalBus()
        self._name = uuid4().hex
        self._waiting: list[Notice] = []
        self._sending: asyncio.Task[None] | None = None
        self._heard_ping = asyncio.Event()
        self.listening = asyncio.Event()
        self.notices = {"sent": 0, "heard": 0, "lost": 0}
        self.gaps = 0
        self.alone = False
        """Set while no other replica lives: then nothing is sent."""

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
        delay = DATABASE_RETRY_FIRST
        while True:
            try:
                await self._follow()
            except (*AWAY, asyncpg.PostgresError, Misconfigured) as error:
                if self.listening.is_set():
                    delay = DATABASE_RETRY_FIRST
                self.gaps += 1
                _log.warning("notices of other replicas are not heard for now: %s", error)
            finally:
                self.listening.clear()
            await self._clock.sleep(delay.total_seconds())
            delay = min(2 * delay, DATABASE_RETRY_LONGEST)

    async def flush(self) -> None:
        """Wait until what was published is on its way."""
        while self._sending is not None:
            await asyncio.wait({self._sending})

    async def _follow(self) -> None:
        connection = await connect(self._url)
        closed = asyncio.Event()
        connection.add_termination_listener(lambda _: closed.set())
        try:
            await connection.add_listener(CHANNEL, self._hear)
            self.listening.set()
            self._bus.publish([Notice(Topic.GAP)])
            while not closed.is_set():
                await self._ping()
                with suppress(TimeoutError):
                    async with asyncio.timeout(LISTEN_PING_PERIOD.total_seconds()):
                        await closed.wait()
            raise ConnectionError("the connection was closed")
        finally:
            connection.terminate()

    async def _ping(self) -> None:
        """Hear our own voice, or raise: a connection can be dead without anybody saying so."""
        self._heard_ping.clear()
        await self._pool.execute(query("notices/send"), CHANNEL, [f'["{self._name}",[]]'])
        async with asyncio.timeout(LISTEN_PING_PATIENCE.total_seconds()):
            await self._heard_ping.wait()

    def _hear(self, _connection: object, _pid: object, _channel: object, payload: object) -> None:
        with suppress(msgspec.DecodeError):
            # Another version of this program may say what this one does not understand.
            sender, notices = _decoder.decode(str(payload))
            if sender != self._name:
                self.notices["heard"] += len(notices)
                self._bus.publish(notices)
            elif not notices:
                self._heard_ping.set()

    def _send(self) -> None:
        """Send what waits; what comes meanwhile goes together in the next statement."""
        batch, self._waiting = self._waiting, []
        self.notices["sent"] += len(batch)
        self._sending = asyncio.ensure_future(self._deliver(payloads(self._name, batch), len(batch)))
        self._sending.add_done_callback(self._sent)

    async def _deliver(self, batch: Sequence[str], notices: int) -> None:
        try:
            await self._pool.execute(query("notices/send"), CHANNEL, batch)
        except (*AWAY, asyncpg.PostgresError) as error:
            self.notices["lost"] += notices
            _log.warning("notices were lost: %s", error)

    def _sent(self, _: "asyncio.Task[None]") -> None:
        self._sending = None
        if self._waiting:
            self._send()
