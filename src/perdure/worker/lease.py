"""A replica's right to its chats while it is renewed, from a thread of its own: a busy loop must not lose it."""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeAlias
from uuid import uuid4

from perdure.core.errors import DatabaseFault, Misconfigured, Unavailable
from perdure.core.ids import ReplicaId
from perdure.core.timing import (
    LEASE,
    LEASE_MARGIN,
    LISTING_PERIOD,
    LOOP_STALL,
    READY_AFTER,
    RENEWAL_PERIOD,
    RENEWAL_RETRY,
    RENEWAL_TIMEOUT,
    SEVERED_LEASE,
    UNSERVED,
    Clock,
)
from perdure.store.errors import translated
from perdure.store.hosts import ServerConnection
from perdure.store.primaries import Server, server_of
from perdure.store.replicas import Renewal, leave, register, renew

_log = logging.getLogger(__name__)
Connect: TypeAlias = Callable[[], Awaitable[ServerConnection]]
_AWAY = (OSError, TimeoutError, Unavailable, DatabaseFault, Misconfigured)


class Lease:
    """Held while renewals succeed. It counts from when a renewal was sent, so the database never sees it end first."""

    def __init__(
        self, connect: Connect, clock: Clock, *, address: str | None = None, version: str = "", capacity: int = 0
    ) -> None:
        self.id = ReplicaId(uuid4())
        self.alive = 1
        self.capacity = capacity
        """That of all replicas that live."""
        """How many replicas live, this one included."""
        self.renewals = {"ok": 0, "failed": 0, "lost": 0}
        self._connect = connect
        self._clock = clock
        self._facts = (address, version, capacity)
        self._until = 0.0
        """When it ends for this replica, which cannot know whether its session is still there."""
        self._lasts = 0.0
        """When it ends for everybody, as long as the session is there."""
        self._listed = 0.0
        """When a renewal listed what this replica owns."""
        self._registered_at = clock.monotonic()
        self._resumed = 0.0
        """When it was last held again after it had run out."""
        self._late = clock.monotonic()
        """When it was last renewed too late for this replica to be sure of it."""
        self._ticked = clock.monotonic()
        self._hindered: float | None = None
        """Since when what it gives a right to cannot be written."""
        self.server: Server | None = None
        """Where it is renewed; None while that is looked for."""
        self._reconnect = False
        self._held = asyncio.Event()
        self._stopping = threading.Event()
        self._waiting: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None
        """What its thread waits for, and where."""
        self._thread: threading.Thread | None = None
        self._newest: Renewal | None = None
        self._on_renewal: Callable[[Renewal, float], None] = lambda _renewal, _asked: None
        self._on_new_id: Callable[[], None] = lambda: None

    @property
    def joining(self) -> bool:
        """Whether replicas live that may not have counted this one yet, and so do not tell it what they do."""
        return self.alive > 1 and self._clock.monotonic() < self._registered_at + READY_AFTER.total_seconds()

    @property
    def valid(self) -> bool:
        """Whether this replica may still start effects and commit."""
        return self._clock.monotonic() < self._until

    @property
    def lost(self) -> bool:
        """Whether it has run out, and not only been renewed late."""
        return self._clock.monotonic() >= self._lasts

    @property
    def steady(self) -> bool:
        """Whether it was held without a gap for as long as it lasts."""
        return self._clock.monotonic() - self._resumed > LEASE.total_seconds()

    @property
    def undisturbed(self) -> bool:
        """Whether every renewal of that time was in time. Else others may be late for the same reason."""
        return self.steady and self._clock.monotonic() - self._late > LEASE.total_seconds()

    async def held(self) -> None:
        """Wait until it is valid."""
        while not self.valid:
            self._held.clear()
            await self._held.wait()

    def when_renewed(self, on_renewal: Callable[[Renewal, float], None], on_new_id: Callable[[], None]) -> None:
        """Whom to tell, on the event loop: of a renewal and when it was asked for, and that there is a new id."""
        self._on_renewal, self._on_new_id = on_renewal, on_new_id

    async def start(self) -> None:
        """Register, and renew from now on."""
        loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._renew_forever, args=(loop,), name="lease", daemon=True)
        self._thread.start()
        await self.held()

    def tick(self) -> None:
        """The event loop lives."""
        self._ticked = self._clock.monotonic()

    def hinder(self, *, hindered: bool) -> None:
        """Whether something keeps this replica from writing what it owns."""
        if not hindered and self._hindered is not None:
            self._hindered = None
            self._wake()
        elif not hindered:
            return
        elif self._hindered is None:
            self._hindered = self._clock.monotonic()

    def reconnect(self) -> None:
        """Look for the server again, now."""
        self._reconnect = True
        self._wake()

    async def stop(self) -> None:
        """Give the lease back."""
        self._stopping.set()
        self._wake()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, 2 * RENEWAL_TIMEOUT.total_seconds())

    def _wake(self) -> None:
        """Have its thread go on at once, unless that has ended."""
        if self._waiting is not None:
            loop, woken = self._waiting
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(woken.set)

    def _renew_forever(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.run(self._renewing(loop))

    async def _renewing(self, loop: asyncio.AbstractEventLoop) -> None:
        connection: ServerConnection | None = None
        registered = False
        woken = asyncio.Event()
        self._waiting = asyncio.get_running_loop(), woken
        while not self._stopping.is_set():
            woken.clear()
            try:
                if self._reconnect or connection is None or connection.is_closed():
                    connection = await self._connected(connection)
                    connection.add_termination_listener(lambda _: woken.set())
                if not registered:
                    await self._register(connection)
                    registered = True
                registered = await self._renew(connection, loop)
            except _AWAY as error:
                self.renewals["failed"] += 1
                _log.warning("the lease could not be renewed: %s", str(error) or type(error).__name__)
                connection = self._dropped(connection)
                await asyncio.sleep(RENEWAL_RETRY.total_seconds())
                continue
            if registered:
                with suppress(TimeoutError):
                    await asyncio.wait_for(woken.wait(), RENEWAL_PERIOD.total_seconds())
        if connection is not None and not connection.is_closed():
            await self._leave(connection)

    async def _connected(self, old: ServerConnection | None) -> ServerConnection:
        self._reconnect = False
        self._dropped(old)
        connection = await asyncio.wait_for(self._connect(), RENEWAL_TIMEOUT.total_seconds())
        try:
            with translated():
                self.server = await server_of(connection, timeout=RENEWAL_TIMEOUT.total_seconds())
        except _AWAY:
            connection.terminate()
            raise
        return connection

    async def _leave(self, connection: ServerConnection) -> None:
        """Say that this replica is gone. Where that fails, its lease runs out."""
        try:
            await leave(connection, self.id)
            with translated():
                await connection.close()
        except _AWAY as error:
            _log.info("the lease could not be given back: %s", str(error) or type(error).__name__)
            connection.terminate()

    def _dropped(self, connection: ServerConnection | None) -> None:
        self.server = None
        if connection is not None:
            connection.terminate()

    async def _register(self, connection: ServerConnection) -> None:
        address, version, capacity = self._facts
        await register(connection, self.id, address=address, version=version, capacity=capacity)
        self._registered_at = self._clock.monotonic()

    async def _renew(self, connection: ServerConnection, loop: asyncio.AbstractEventLoop) -> bool:
        """One renewal. False: this id is dead, and the next try registers another."""
        if self._clock.monotonic() - self._ticked > LOOP_STALL.total_seconds():
            # A replica whose loop hangs must lose its chats: nobody would answer for them.
            _log.error("the event loop hangs; the lease is not renewed")
            return True
        hindered = self._hindered
        if hindered is not None and self._clock.monotonic() - hindered > UNSERVED.total_seconds():
            # Whoever reaches the database better may have its chats.
            _log.warning("the chats of this replica cannot be written; the lease is not renewed")
            return True
        sent = self._clock.monotonic()
        listing = sent - self._listed >= LISTING_PERIOD.total_seconds()
        renewal = await renew(connection, self.id, listing=listing, timeout=RENEWAL_TIMEOUT.total_seconds())
        if self._stopping.is_set():
            # Whoever stopped it may not have waited for this answer, and its event loop may be gone.
            return True
        if renewal is None:
            self.renewals["lost"] += 1
            _log.warning("the lease of replica %s ran out", self.id)
            self.id = ReplicaId(uuid4())
            loop.call_soon_threadsafe(self._on_new_id)
            return False
        self.renewals["ok"] += 1
        self.alive, self.capacity = renewal.alive, renewal.capacity
        if 0.0 < self._lasts < sent:
            self._resumed = sent
        if 0.0 < self._until < sent:
            self._late = sent
        self._until = sent + (SEVERED_LEASE - LEASE_MARGIN).total_seconds()
        self._lasts = sent + (LEASE - LEASE_MARGIN).total_seconds()
        if listing:
            self._listed = sent
            self._newest = renewal
        loop.call_soon_threadsafe(self._renewed, renewal, sent)
        return True

    def _renewed(self, renewal: Renewal, sent: float) -> None:
        self.tick()
        self._held.set()
        if renewal is self._newest or renewal.owned is None:
            # A busy loop hears of several at once: only the last one says how things stand.
            self._on_renewal(renewal, sent)
