"""What the simulator was asked and what became of it: a bounded ring that tests read, with no key in it."""

import asyncio
import hashlib
from collections import deque
from collections.abc import Callable, Mapping

import msgspec

SECRET_HEADERS = frozenset({"authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie", "proxy-authorization"})
SECRET_QUERY = frozenset({"key", "access_token"})
RING = 20_000
RING_BYTES = 256 * 1024 * 1024


class Recorded(msgspec.Struct, omit_defaults=True):
    """One request, and what became of it. Times are seconds since the epoch."""

    id: int
    at: float
    wire: str
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: msgspec.Raw
    key: str | None = None
    model: str | None = None
    chat: str | None = None
    text: str | None = None
    step: int | None = None
    status: int | None = None
    problem: str | None = None
    first_byte_at: float | None = None
    finished_at: float | None = None
    client_closed_at: float | None = None

    @property
    def json(self) -> object:
        """The body as parsed JSON."""
        return msgspec.json.decode(self.body)


class Filter(msgspec.Struct, frozen=True):
    """Which recorded requests a test asks for; nothing said means any."""

    wire: str | None = None
    model: str | None = None
    marker: str | None = None
    chat: str | None = None
    after: int = 0
    closed: bool = False

    def __call__(self, entry: Recorded) -> bool:
        return (
            entry.id > self.after
            and (self.wire is None or entry.wire == self.wire)
            and (self.model is None or entry.model == self.model)
            and (self.chat is None or entry.chat == self.chat)
            and (self.marker is None or (entry.text is not None and self.marker in entry.text))
            and (not self.closed or entry.client_closed_at is not None)
        )


ANY = Filter()


class Recording:
    """The newest requests, at most so many and so many bytes of them."""

    def __init__(self, now: Callable[[], float], *, entries: int = RING, size: int = RING_BYTES) -> None:
        self._now = now
        self._ring: deque[Recorded] = deque()
        self._entries = entries
        self._limit = size
        self._bytes = 0
        self._count = 0
        self._changed = asyncio.Event()

    def add(self, entry: Recorded) -> Recorded:
        """Keep a request; the oldest ones make room."""
        self._ring.append(entry)
        self._bytes += len(entry.body)
        while self._ring and (len(self._ring) > self._entries or self._bytes > self._limit):
            self._bytes -= len(self._ring.popleft().body)
        self.changed()
        return entry

    def next_id(self) -> int:
        """Numbers go up by one and survive a reset."""
        self._count += 1
        return self._count

    def client_closed(self, entry: Recorded) -> None:
        """The client went away before the answer was complete."""
        entry.client_closed_at = self._now()
        self.changed()

    def changed(self) -> None:
        """Wake whoever waits for something to happen."""
        self._changed.set()
        self._changed = asyncio.Event()

    def find(self, wanted: Callable[[Recorded], bool] = ANY) -> list[Recorded]:
        """The requests that fit, oldest first."""
        return [entry for entry in self._ring if wanted(entry)]

    async def until(self, count: int, wanted: Callable[[Recorded], bool] = ANY) -> list[Recorded]:
        """Wait until so many fit."""
        while len(found := self.find(wanted)) < count:
            await self._changed.wait()
        return found

    def clear(self) -> None:
        """Forget everything but the numbering."""
        self._ring.clear()
        self._bytes = 0


def readable(entry: Recorded) -> Recorded:
    """The same with a body that is JSON: where it was none, it is told as a text."""
    try:
        msgspec.json.decode(entry.body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        text = bytes(entry.body).decode("utf-8", "replace")
        return msgspec.structs.replace(entry, body=msgspec.Raw(msgspec.json.encode(text)))
    return entry


def without_secrets(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers, with every key replaced."""
    return {name: "[redacted]" if name in SECRET_HEADERS else value for name, value in headers.items()}


def query_without_secrets(query: Mapping[str, str]) -> dict[str, str]:
    """The query, with every key replaced."""
    return {name: "[redacted]" if name in SECRET_QUERY else value for name, value in query.items()}


def fingerprint(key: str) -> str:
    """Tells two keys apart without keeping either."""
    return hashlib.blake2b(key.encode(), digest_size=6, person=b"perdure sim").hexdigest()
