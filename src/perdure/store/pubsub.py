"""How replicas hear of each other's commits: hints, batched, best effort."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import msgspec

from perdure.core.notice import Notice

Listener = Callable[[Notice], None]


class Pubsub(Protocol):
    """Carries notices to every listener of every replica. They may be lost, doubled or reordered."""

    def publish(self, notices: Iterable[Notice]) -> None:
        """Announce soon. Listeners of this process hear it at once, those of others a little later."""
        ...

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call the listener for every notice; the result stops that."""
        ...


class LocalBus:
    """Notices within one process: what every pubsub does first."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def publish(self, notices: Iterable[Notice]) -> None:
        for notice in notices:
            for listener in tuple(self._listeners):
                listener(notice)

    def listen(self, listener: Listener) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)


# Postgres refuses a payload of 8,000 bytes.
PAYLOAD_LIMIT = 7_900
CHANNEL = "perdure"

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(tuple[str, list[Notice]])
_log = logging.getLogger(__name__)


def payloads(sender: str, notices: Sequence[Notice]) -> list[str]:
    """The notices in as few payloads as fit, each naming its sender. A repeated notice travels once."""
    batches: list[list[bytes]] = [[]]
    size = room = PAYLOAD_LIMIT - len(sender) - 10
    for notice in dict.fromkeys(notices):
        encoded = _encoder.encode(notice)
        if len(encoded) + 1 > size:
            batches.append([])
            size = room
        batches[-1].append(encoded)
        size -= len(encoded) + 1
    return [f'["{sender}",[{b",".join(batch).decode()}]]' for batch in batches if batch]


def notices_of(payload: str) -> tuple[str, list[Notice]]:
    """Who sent a payload, and what it says."""
    return _decoder.decode(payload)


class Outbox:
    """Collects notices while a batch is on its way, so that many commits share one payload."""

    def __init__(self, send: Callable[[Sequence[Notice]], "asyncio.Future[None] | asyncio.Task[None]"]) -> None:
        self._send = send
        self._waiting: list[Notice] = []
        self._sending: asyncio.Future[None] | None = None

    def add(self, notices: Iterable[Notice]) -> None:
        self._waiting.extend(notices)
        if self._waiting and self._sending is None:
            self._flush()

    def _flush(self) -> None:
        batch, self._waiting = self._waiting, []
        self._sending = self._send(batch)
        self._sending.add_done_callback(self._sent)

    def _sent(self, sending: "asyncio.Future[None]") -> None:
        self._sending = None
        if not sending.cancelled() and (error := sending.exception()) is not None:
            _log.warning("notices were lost: %s", error)
        if self._waiting:
            self._flush()
