"""Notices between replicas over NATS, for fleets that are too large for LISTEN and NOTIFY."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import NoServersError

from perdure.core.timing import CONNECT_PATIENCE, LISTEN_PING_PATIENCE, LISTEN_PING_PERIOD, Clock
from perdure.store.fleet_pubsub import FleetPubsub

_log = logging.getLogger(__name__)
_PATIENCE = round(LISTEN_PING_PATIENCE.total_seconds())
_PERIOD = round(LISTEN_PING_PERIOD.total_seconds())


FAILURES = (NatsError, OSError, TimeoutError)
"""What it means that the server is away."""


class NatsPubsub(FleetPubsub):
    """Keeps one connection, which is checked by pings. `deployment` keeps those apart that share a server."""

    failures = FAILURES

    def __init__(self, url: str, deployment: str, clock: Clock | None = None) -> None:
        super().__init__(clock)
        self._url = url
        self._subject = f"perdure.{deployment}"
        self._client: Client | None = None

    async def _follow(self) -> None:
        closed = asyncio.Event()
        client = await _connected(self._url, closed, _PATIENCE)
        try:
            await client.subscribe(self._subject, cb=self._hear)  # pyright: ignore[reportUnknownMemberType]
            self._client = client
            # The client's flush may be answered before the subscription is on its way.
            await self._ping()
            self._begun()
            await closed.wait()
            raise ConnectionError("the connection to NATS was closed")
        finally:
            self._client = None
            with suppress(*self.failures):
                await client.close()

    async def _hear(self, message: Msg) -> None:
        self._heard(message.data)

    async def _deliver(self, batch: Sequence[str]) -> None:
        client = self._client
        if client is None:
            raise ConnectionError("NATS is away")
        for payload in batch:
            await client.publish(self._subject, payload.encode())
        await client.flush(_PATIENCE)


async def reach(url: str, patience: timedelta = CONNECT_PATIENCE) -> None:
    """Go there and back once."""
    seconds = max(1, round(patience.total_seconds()))
    async with asyncio.timeout(patience.total_seconds()):
        client = await _connected(url, asyncio.Event(), seconds)
    try:
        await client.flush(seconds)
    finally:
        await client.close()


async def _connected(url: str, closed: asyncio.Event, patience: int) -> Client:
    """A connection that ends for good when it breaks: whoever listens must hear that there was a gap."""
    failures: list[Exception] = []

    async def ended() -> None:
        closed.set()

    async def failed(error: Exception) -> None:
        failures.append(error)
        _log.info("NATS says: %s", str(error) or type(error).__name__)

    client = Client()
    try:
        await client.connect(
            url,
            name="perdure",
            allow_reconnect=False,
            # Without these it tries an address that refuses for two minutes; how long to wait is ours to say.
            max_reconnect_attempts=1,
            reconnect_time_wait=0,
            connect_timeout=patience,
            ping_interval=_PERIOD,
            max_outstanding_pings=1,
            closed_cb=ended,
            error_cb=failed,
        )
    except BaseException as error:
        # A client that gives up leaves its socket open, and there is one for every try.
        with suppress(*FAILURES):
            await client.close()
        if isinstance(error, NoServersError) and failures:
            raise failures[-1] from None
        raise
    return client
