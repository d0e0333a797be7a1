"""Telling browsers that a turn finished, failed or needs somebody. It follows from rows: a crash only delays it."""

import asyncio
import logging
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address
from ssl import SSLContext
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import aiohttp
import msgspec
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from perdure.access.vapid import VapidKeys
from perdure.core.commit import Commit
from perdure.core.errors import DatabaseFault, Unavailable
from perdure.core.extras import installed
from perdure.core.timing import PUSH_COLLECT, PUSH_FRESH, PUSH_KEPT, PUSH_PATIENCE, PUSH_PERIOD, PUSH_TAKEN, Clock
from perdure.store.pool import Pool
from perdure.store.tables import push
from perdure.store.tables.push import DuePush

BATCH = 100
_GONE = (404, 410)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Delivery:
    """One entry for one browser."""

    entry: int
    created_at: datetime
    subscription: UUID
    endpoint: str
    keys: dict[str, str]
    content: bytes

    @classmethod
    def of(cls, row: DuePush) -> "Delivery":
        told: dict[str, object] = {name: getattr(row, name) for name in ("id", "kind", "title", "text", "created_at")}
        told |= {"chat_id": row.chat_id, "url": f"/chats/{row.chat_id}"} if row.chat_id else {"url": "/"}
        keys = msgspec.json.decode(row.keys, type=dict[str, str])
        content = msgspec.json.encode(told)
        return cls(row.id, row.created_at, row.subscription, row.endpoint, keys, content)


class Push:
    """Delivers what inboxes hold to browsers that asked for it."""

    def __init__(
        self,
        pool: Pool,
        keys: VapidKeys,
        clock: Clock,
        *,
        contact: str,
        resolver: AbstractResolver | None = None,
        trust: SSLContext | None = None,
    ) -> None:
        self._pool = pool
        self._keys = keys
        self._clock = clock
        self._contact = contact
        self._resolver = resolver
        self._trust = trust
        self._some = asyncio.Event()

    def committed(self, committed: Commit) -> None:
        """Take note of a change that tells somebody something."""
        if committed.inbox or committed.mentions:
            self._some.set()

    async def run(self) -> None:
        while True:
            await self._until_some()
            try:
                while await self.once() == BATCH:
                    pass
            except (Unavailable, DatabaseFault) as error:
                _log.warning("pushing waits for the database: %s", error)

    async def _until_some(self) -> None:
        try:
            async with asyncio.timeout(PUSH_PERIOD.total_seconds()):
                await self._some.wait()
            await self._clock.sleep(PUSH_COLLECT.total_seconds())
        except TimeoutError:
            pass
        self._some.clear()

    async def once(self) -> int:
        """Deliver what is due. How many deliveries there were. Without what seals them, none."""
        if not installed("push"):
            return 0
        rows = await push.take(self._pool, PUSH_FRESH, PUSH_TAKEN, BATCH)
        if not rows:
            return 0
        deliveries = [Delivery.of(row) for row in rows]
        resolver = self._resolver or PublicResolver()
        connector = aiohttp.TCPConnector(resolver=resolver, ssl=self._trust or True)
        timeout = aiohttp.ClientTimeout(PUSH_PATIENCE.total_seconds())
        async with aiohttp.ClientSession(connector=connector, timeout=timeout) as http:
            settled = await asyncio.gather(*(self._deliver(http, each) for each in deliveries))
        done = [each for each, settled in zip(deliveries, settled, strict=True) if settled]
        await push.delivered(self._pool, [each.entry for each in done], [each.created_at for each in done])
        return len(deliveries)

    async def _deliver(self, http: aiohttp.ClientSession, delivery: Delivery) -> bool:
        """Whether there is nothing more to do about it."""
        try:
            headers, body = await self._sealed(delivery)
            async with http.post(delivery.endpoint, data=body, headers=headers, allow_redirects=False) as answer:
                status = answer.status
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            _log.info("a push service did not answer: %s", type(error).__name__)
            return False
        except ValueError:
            status = _GONE[0]
        if status in _GONE:
            await push.gone(self._pool, delivery.subscription)
        elif status >= 400:
            _log.info("a push service said %s", status)
        return status < 429 or status in _GONE

    async def _sealed(self, delivery: Delivery) -> tuple[dict[str, str], bytes]:
        """What only this browser can read, signed by this deployment."""
        # A library that is slow to load, for those who have a browser that subscribed.
        from pywebpush import WebPusher  # noqa: PLC0415

        subscription: dict[str, Any] = {"endpoint": delivery.endpoint, "keys": delivery.keys}
        encoded: Any = WebPusher(subscription).encode(delivery.content)
        where = urlsplit(delivery.endpoint)
        until = self._clock.now() + PUSH_KEPT
        headers = {
            "authorization": await self._keys.signature(f"{where.scheme}://{where.netloc}", self._contact, until),
            "ttl": str(int(PUSH_KEPT.total_seconds())),
            "content-encoding": "aes128gcm",
            "urgency": "normal",
        }
        return headers, bytes(encoded["body"])


class PublicResolver(ThreadedResolver):
    """Finds only hosts of the open internet: an address that a browser gave must not lead into our own network."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found: Sequence[ResolveResult] = await super().resolve(host, port, family)
        public = [each for each in found if ip_address(each["host"]).is_global]
        if not public:
            raise OSError(f"{host} is not on the open internet")
        return public
