"""The follower's side of the relay: one connection to one other replica, kept up while it lives."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

import aiohttp
import msgspec

from perdure.core.ids import ChatId, ReplicaId
from perdure.core.tasks import Backoff
from perdure.core.timing import RELAY_RETRY_FIRST, RELAY_RETRY_LONGEST, Clock
from perdure.stream.relay.wire import HEADER, PATH, Drop, Follow, Grown, credentials, encoder, growths

Find = Callable[[ReplicaId], Awaitable[str | None]]
"""The address of a living replica."""
Near = Callable[[str], Path | None]
"""The Unix socket of a replica on this machine, by its address; of most there is none."""


def nobody_near(_: str) -> Path | None:
    return None


_REFUSED = (401, 403)
_log = logging.getLogger(__name__)


class Peer:
    """Asks another replica for the parts of its chats. While it is not connected, somebody else must bring them."""

    def __init__(
        self, replica_id: ReplicaId, find: Find, secret: str, clock: Clock, *, near: Near = nobody_near
    ) -> None:
        self.replica_id = replica_id
        self.connected = False
        self._find = find
        self._near = near
        self._secret = secret
        self._clock = clock
        self._wishes: dict[ChatId, Callable[[], Follow]] = {}
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._unsent: list[Follow | Drop] = []
        self._told = asyncio.Event()

    @property
    def wanted(self) -> bool:
        return bool(self._wishes)

    def follow(self, chat_id: ChatId, wish: Callable[[], Follow]) -> None:
        """Wish for a chat; `wish` says from where on, whenever that is asked for anew."""
        self._wishes[chat_id] = wish
        self._tell(wish())

    def drop(self, chat_id: ChatId) -> None:
        if self._wishes.pop(chat_id, None) is not None:
            self._tell(Drop(chat_id))

    async def run(self, heard: Callable[[Grown], None]) -> None:
        """Stay connected until the replica is gone for good, or refuses us: asking again would not change its mind."""
        backoff = Backoff(RELAY_RETRY_FIRST, RELAY_RETRY_LONGEST)
        while True:
            try:
                address = await self._find(self.replica_id)
                if address is None:
                    return
                async with self._session(address) as session, self._connection(session, address) as socket:
                    backoff.reset()
                    await self._converse(socket, heard)
            except aiohttp.WSServerHandshakeError as refusal:
                if refusal.status in _REFUSED:
                    _log.warning(
                        "replica %s has another secret than we: its parts come by the database", self.replica_id
                    )
                    return
                _log.info("replica %s cannot be reached: %s", self.replica_id, refusal)
            except (aiohttp.ClientError, OSError, TimeoutError) as error:
                _log.info("replica %s cannot be reached: %s", self.replica_id, error)
            finally:
                self.connected = False
            await backoff.wait(self._clock)

    def _session(self, address: str) -> aiohttp.ClientSession:
        path = self._near(address)
        return aiohttp.ClientSession(connector=None if path is None else aiohttp.UnixConnector(str(path)))

    def _connection(
        self, session: aiohttp.ClientSession, address: str
    ) -> contextlib.AbstractAsyncContextManager[aiohttp.ClientWebSocketResponse]:
        base = address if "://" in address else f"http://{address}"
        return session.ws_connect(
            f"{base}{PATH}", headers={HEADER: credentials(self._secret)}, heartbeat=5, max_msg_size=0
        )

    async def _converse(self, socket: aiohttp.ClientWebSocketResponse, heard: Callable[[Grown], None]) -> None:
        self._unsent = [wish() for wish in self._wishes.values()]
        self._told.set()
        self.connected = True
        speaker = asyncio.ensure_future(self._speak(socket))
        try:
            async for message in socket:
                if message.type is aiohttp.WSMsgType.TEXT:
                    with contextlib.suppress(msgspec.DecodeError):
                        heard(growths.decode(message.data))
        finally:
            speaker.cancel()
            with contextlib.suppress(asyncio.CancelledError, aiohttp.ClientError, OSError):
                await speaker

    async def _speak(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        while True:
            await self._told.wait()
            self._told.clear()
            unsent, self._unsent = self._unsent, []
            for message in unsent:
                await socket.send_str(encoder.encode(message).decode())

    def _tell(self, message: Follow | Drop) -> None:
        if self.connected:
            self._unsent.append(message)
            self._told.set()
