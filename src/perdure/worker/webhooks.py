"""Telling other programs what happened in chats: signed, in order per chat, and again until they have heard it."""

import asyncio
import base64
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlsplit

import aiohttp
import msgspec
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from perdure.access.keyring import Keyring
from perdure.access.webhook_signatures import key_of, mark_of
from perdure.config.webhooks import TEST_EVENT, WEBHOOK_PURPOSE
from perdure.core.addresses import inward
from perdure.core.commit import Commit
from perdure.core.errors import DatabaseFault, Unavailable
from perdure.core.notice import WEBHOOKS_CHANGED, Notice, Topic
from perdure.core.public import shown_text
from perdure.core.tasks import BackgroundTasks
from perdure.core.timing import WEBHOOK_KEPT, WEBHOOK_PATIENCE, WEBHOOK_PERIOD, WEBHOOK_RETRIES, WEBHOOK_TAKEN, Clock
from perdure.observe.measures.work import WebhookMeasures
from perdure.store.outbox import Outbox
from perdure.store.pool import Pool
from perdure.store.rows import parts_of
from perdure.store.tables import webhooks
from perdure.store.tables.webhooks import OutgoingState, TakenEvent
from perdure.tools.network import Network

AT_ONCE = 32
"""How many deliveries of one replica are under way at most: one that hangs holds up its own chat alone."""
_GONE = 410
_MOST_ANSWERED, _PIECE = 32 * 1024 * 1024, 64 * 1024
"""Bytes: a page of a hundred comments, each as long as it may be, is shorter."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What another server said; neither items nor fields where it said no JSON."""

    status: int
    items: list[Any] = field(default_factory=list[Any])
    fields: dict[str, Any] = field(default_factory=dict[str, Any])

    @classmethod
    def of(cls, status: int, body: bytes) -> "HttpAnswer":
        try:
            if body.lstrip().startswith(b"["):
                return cls(status, msgspec.json.decode(body, type=list[Any]))
            return cls(status, fields=msgspec.json.decode(body, type=dict[str, Any]))
        except (msgspec.DecodeError, UnicodeDecodeError):
            return cls(status)


Http = Callable[[str, str, Mapping[str, str], "Mapping[str, Any] | None"], Awaitable[HttpAnswer]]
"""Asks another server: method, URL, headers and a body."""


class EventSender(Protocol):
    """Sends events in its own protocol."""

    async def send(self, event: TakenEvent, credential: str, http: Http) -> tuple[int | None, str]: ...


@dataclass(frozen=True, slots=True)
class Ways:
    """How others are reached."""

    network: Network | None = None
    resolver: AbstractResolver | None = None
    channels: EventSender | None = None
    tasks: EventSender | None = None
    """For whoever gave a turn as a task."""


class WebhookSender:
    """Delivers what the outbox holds. Whoever dies with a delivery leaves it to the others, under the same name."""

    def __init__(
        self,
        pool: Pool,
        outbox: Outbox,
        keyring: Keyring,
        clock: Clock,
        measures: WebhookMeasures,
        *,
        ways: Ways | None = None,
    ) -> None:
        ways = ways or Ways()
        self._pool = pool
        self._outbox = outbox
        # Until it has looked, somebody may want to hear of what this replica commits.
        outbox.wanted = True
        self._keyring = keyring
        self._clock = clock
        self._measures = measures
        self._network = ways.network or Network()
        self._resolver = ways.resolver
        self._channels = ways.channels
        self._tasks = ways.tasks
        self._http: aiohttp.ClientSession | None = None
        self._some = asyncio.Event()
        self._under_way = BackgroundTasks(_log)
        self._purged_at = clock.monotonic()

    def committed(self, committed: Commit) -> None:
        """Take note of a change that may tell somebody something."""
        if self._outbox.wanted and (committed.inbox or committed.appended or committed.promoted):
            self._some.set()

    def heard(self, notice: Notice) -> None:
        if notice.topic is Topic.CONFIG and notice.name == WEBHOOKS_CHANGED:
            self._some.set()

    async def run(self) -> None:
        try:
            while True:
                try:
                    await self.once()
                except (Unavailable, DatabaseFault) as error:
                    _log.warning("webhooks wait for the database: %s", error)
                await self._until_some()
        finally:
            await self.close()

    async def once(self) -> int:
        """Take what is due, as far as there is room. How many deliveries are on their way now."""
        self._some.clear()
        telling = await webhooks.outlook(self._pool)
        self._outbox.wanted = telling.wanted
        room = AT_ONCE - len(self._under_way)
        if telling.due and room > 0:
            for event in await webhooks.take(self._pool, WEBHOOK_TAKEN, room):
                self._under_way.start(self._delivered(event), "delivering to a webhook")
        if self._clock.monotonic() - self._purged_at > WEBHOOK_TAKEN.total_seconds():
            self._purged_at = self._clock.monotonic()
            await webhooks.purge(self._pool, WEBHOOK_KEPT)
        return len(self._under_way)

    async def settled(self) -> None:
        """Once nothing is on its way any more."""
        await self._under_way.settled()

    async def close(self) -> None:
        self._under_way.cancel()
        await self._under_way.settled()
        if self._http is not None:
            await self._http.close()

    async def _until_some(self) -> None:
        try:
            async with asyncio.timeout(WEBHOOK_PERIOD.total_seconds()):
                await self._some.wait()
        except TimeoutError:
            pass

    async def _delivered(self, event: TakenEvent) -> None:
        status, detail = await self._answer(event)
        try:
            await self._noted(event, status, detail)
        except (Unavailable, DatabaseFault) as error:
            # Whoever takes it next delivers it again, under the same name.
            _log.warning("a delivery could not be noted: %s", error)
        # What comes after it in its chat may be due.
        self._some.set()

    async def _noted(self, event: TakenEvent, status: int | None, detail: str) -> None:
        if status is not None and 200 <= status < 300:
            self._measures.delivered("delivered")
            await webhooks.settle(self._pool, event.id, OutgoingState.DELIVERED, status, "")
            return
        if status == _GONE:
            await webhooks.gone(self._pool, event.webhook_id)
        if event.attempts > len(WEBHOOK_RETRIES) or status == _GONE or event.event == TEST_EVENT:
            self._measures.delivered("dead")
            await webhooks.settle(self._pool, event.id, OutgoingState.DEAD, status, detail)
            return
        self._measures.delivered("failed")
        await webhooks.put_off(self._pool, event.id, WEBHOOK_RETRIES[event.attempts - 1], status, detail)

    async def _answer(self, event: TakenEvent) -> tuple[int | None, str]:
        """What the receiver said, or why it said nothing."""
        secret = self._keyring.open(event.secret, WEBHOOK_PURPOSE)
        try:
            if event.trigger_id is not None:
                assert self._channels is not None, "a channel is told where channels are"
                return await self._channels.send(event, secret, self._asked)
            if event.turn is not None:
                assert self._tasks is not None, "a task is told of where protocols are"
                return await self._tasks.send(event, secret, self._asked)
            body = content_of(event)
            headers = signed(secret, event, body, self._clock.now().timestamp())
            async with self._request("POST", event.url, headers, body) as answer:
                return answer.status, "" if answer.status < 300 else f"It answered with HTTP {answer.status}."
        except TimeoutError:
            return None, f"It did not answer within {WEBHOOK_PATIENCE.seconds} s."
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return None, f"It could not be reached: {type(error).__name__}."
        except Exception as error:  # noqa: BLE001 - the edge of one of many: it is tried again, then given up
            _log.exception("a delivery could not be sent")
            return None, f"It could not be sent: {type(error).__name__}."

    async def _asked(
        self, method: str, url: str, headers: Mapping[str, str], body: Mapping[str, Any] | None
    ) -> HttpAnswer:
        content = None if body is None else msgspec.json.encode(body)
        sent = {**headers, "user-agent": "perdure", "content-type": "application/json; charset=utf-8"}
        async with self._request(method, url, sent, content) as answer:
            return HttpAnswer.of(answer.status, await _bounded(answer.content))

    def _request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        if self._resolver is None and inward(urlsplit(url).hostname or ""):
            raise OSError("the address leads into the server's own machine")
        return self._session().request(
            method,
            url,
            data=body,
            headers=headers,
            proxy=self._network.proxy(url),
            ssl=self._network.trusted or True,
            allow_redirects=False,
        )

    def _session(self) -> aiohttp.ClientSession:
        if self._http is None:
            # What a server says once too often would be taken for the answer to the next delivery on its connection.
            resolver = self._resolver or OutwardResolver()
            connector = aiohttp.TCPConnector(resolver=resolver, limit=AT_ONCE, force_close=True)
            timeout = aiohttp.ClientTimeout(WEBHOOK_PATIENCE.total_seconds())
            self._http = aiohttp.ClientSession(connector=connector, timeout=timeout)
        return self._http


async def _bounded(stream: aiohttp.StreamReader) -> bytes:
    """A body, unless it is longer than any that somebody means."""
    body = b""
    async for piece in stream.iter_chunked(_PIECE):
        body += piece
        if len(body) > _MOST_ANSWERED:
            raise OSError("the answer is too long")
    return body


class OutwardResolver(ThreadedResolver):
    """Finds no host of our own machine, and none that tells a cloud's secrets: anybody may name an address here."""

    async def resolve(self, host: str, *args: object, **options: object) -> list[ResolveResult]:
        found = await super().resolve(host, *args, **options)  # pyright: ignore[reportArgumentType]
        outward = [each for each in found if not inward(each["host"])]
        if not outward:
            raise OSError(f"{host} leads into the server's own machine")
        return outward


def content_of(event: TakenEvent) -> bytes:
    """The body, made of the rows as they are."""
    data: dict[str, object] = {}
    if event.chat_id is not None:
        data |= {"chat_id": event.chat_id, "title": event.title, "status": event.status}
    if event.number is not None:
        data["number"] = event.number
    if event.role is not None and event.parts is not None:
        data |= {"role": event.role, "text": shown_text(parts_of(event.parts))}
    return msgspec.json.encode({"type": event.event, "timestamp": event.created_at, "data": data})


def signed(secret: str, event: TakenEvent, body: bytes, now: float) -> dict[str, str]:
    """The headers of Standard Webhooks."""
    name, moment = f"msg_{event.name.hex}", str(int(now))
    mark = mark_of(key_of(secret), name.encode(), b".", moment.encode(), b".", body)
    return {
        "content-type": "application/json",
        "webhook-id": name,
        "webhook-timestamp": moment,
        "webhook-signature": f"v1,{base64.b64encode(mark).decode()}",
    }
