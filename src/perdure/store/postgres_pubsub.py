"""Notices between replicas over LISTEN and NOTIFY, or over nothing: then everybody looks again every few seconds."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from perdure.core.errors import DatabaseFault, Misconfigured, Unavailable
from perdure.core.timing import LISTEN_PING_PERIOD, NOTICE_POLL, Clock
from perdure.store.connection import connect
from perdure.store.errors import DRIVER_ERRORS
from perdure.store.fleet_pubsub import FleetPubsub
from perdure.store.pool import Pool
from perdure.store.tables import notices

CHANNEL = "perdure"
TRIAL = "perdure_trial"
"""Nobody but who tries the way listens to it."""


class PostgresPubsub(FleetPubsub):
    """Listens on a connection of its own, and sends itself a ping every few seconds."""

    failures = (*DRIVER_ERRORS, Unavailable, DatabaseFault, Misconfigured)
    unheard = (
        "what this replica says does not come back to it. "
        "Behind a pooler in transaction mode set PERDURE_LISTEN_URL to the database itself"
    )

    def __init__(self, url: str, pool: Pool, clock: Clock | None = None) -> None:
        super().__init__(clock)
        self._url = url
        self._pool = pool

    async def _follow(self) -> None:
        connection = await connect(self._url)
        closed = asyncio.Event()
        connection.add_termination_listener(lambda _: closed.set())
        try:
            await connection.add_listener(CHANNEL, self._hear)
            self._begun()
            while not closed.is_set():
                await self._ping()
                with suppress(TimeoutError):
                    async with asyncio.timeout(LISTEN_PING_PERIOD.total_seconds()):
                        await closed.wait()
            raise ConnectionError("the connection was closed")
        finally:
            connection.terminate()

    def _hear(self, _connection: object, _pid: object, _channel: object, payload: object) -> None:
        self._heard(str(payload))

    async def _deliver(self, batch: Sequence[str]) -> None:
        await notices.send(self._pool, CHANNEL, batch)


class PollingPubsub(FleetPubsub):
    """Listeners of this process hear at once. What other replicas do may have been missed, and is looked for."""

    failures = ()

    async def _follow(self) -> None:
        while True:
            self._begun()
            await self._clock.sleep(NOTICE_POLL.total_seconds())

    async def _deliver(self, batch: Sequence[str]) -> None:
        """There is nobody to hand it to."""


async def carries(url: str, *, patience: float) -> bool:
    """Whether what one session announces is heard by another: not behind a pooler in transaction mode."""
    listening, heard = await connect(url), asyncio.Event()
    try:
        await listening.add_listener(TRIAL, lambda _connection, _pid, _channel, _payload: heard.set())
        announcing = await connect(url)
        try:
            await notices.send(announcing, TRIAL, [""])
            async with asyncio.timeout(patience):
                await heard.wait()
        finally:
            announcing.terminate()
    except TimeoutError:
        return False
    finally:
        listening.terminate()
    return True
