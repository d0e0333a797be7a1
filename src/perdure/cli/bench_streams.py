"""What many subscribers of one chat get, how fast, and whether some that do not read slow the others."""

import asyncio
import socket
import tempfile
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

import aiohttp
import msgspec

from perdure.client.transcript import Transcript
from perdure.core.chat import Status
from perdure.core.events import AnyEvent, MessagePart
from perdure.core.message import Message
from perdure.store.pool import open_pool
from perdure.testing.fleet import Fleet, open_fleet
from perdure.testing.postgres import temporary_postgres

SLOWDOWN_BAR = 1.25
# Ten megabytes of text in two seconds: more than a socket's buffers hold, and sooner over than a stuck client is cut.
LARGE = "[[fault:gigantic 96kb]] [[pause:20ms]]" * 100
LINE_LIMIT = 64 * 1024 * 1024
PATIENCE = 120
_events = msgspec.json.Decoder(AnyEvent)


@dataclass(frozen=True, slots=True)
class StreamLoad:
    """How many follow, what the answer is like, and how many follow without ever reading."""

    name: str
    subscribers: int
    prompt: str
    stuck: int = 0


@dataclass(frozen=True, slots=True)
class StreamFigures:
    load: StreamLoad
    complete: int
    """Subscribers that assembled exactly what the database holds, part by part without a gap."""
    events: int
    seconds: float
    """From the question until the last subscriber had everything."""
    spread: float
    """Between the first subscriber that had everything and the 99th percentile."""
    cpu: float
    """Of the server, microseconds per event and subscriber."""
    blocked: bool
    """Whether the server had something for somebody who did not take it."""


async def measured(subscribers: int, followers: int, rounds: int) -> list[StreamFigures]:
    """A chat with many subscribers; then a large answer for a few followers, without and with some that do not read."""
    steady = "[[rate:400]] [[say:400 tokens]]"
    free = StreamLoad("large answer", followers, LARGE)
    stuck = StreamLoad("large answer, 5 stuck", followers, LARGE, stuck=5)
    async with one_replica() as fleet:
        rows = [
            await _row(fleet, StreamLoad(name, count, steady)) for name, count in (("one", 1), ("many", subscribers))
        ]
        # Turn by turn, so that whatever else the machine does meets both; the best of each counts.
        pairs = [(await _row(fleet, free), await _row(fleet, stuck)) for _ in range(rounds)]
        return [*rows, *(min(each, key=lambda row: row.seconds) for each in zip(*pairs, strict=True))]


def table(rows: list[StreamFigures]) -> str:
    head = f"{'':<24}{'subscribers':>12}{'complete':>10}{'events':>10}{'seconds':>9}{'spread ms':>11}{'µs/event':>10}"
    lines = [head]
    lines += [
        f"{row.load.name:<24}{row.load.subscribers:>12}{row.complete:>10}{row.events:>10}{row.seconds:>9.2f}"
        f"{row.spread * 1000:>11.1f}{row.cpu:>10.1f}"
        for row in rows
    ]
    stuck = rows[-1]
    lines.append(f"stuck: {'the server waited for them' if stuck.blocked else 'nobody was'}")
    return "\n".join(lines)


def missed(rows: list[StreamFigures]) -> list[str]:
    failures = [
        f"{row.load.name}: {row.load.subscribers - row.complete} subscribers lack something"
        for row in rows
        if row.complete < row.load.subscribers
    ]
    free, stuck = rows[-2:]
    if not stuck.blocked:
        failures.append("nobody was stuck: every byte fitted into buffers")
    if stuck.seconds / free.seconds > SLOWDOWN_BAR:
        failures.append(f"stuck subscribers slow the others by {stuck.seconds / free.seconds:.2f}")
    return failures


@contextmanager
def _folder() -> Generator[Path]:
    with tempfile.TemporaryDirectory(prefix="perdure-bench-", ignore_cleanup_errors=True) as name:
        # Root's Postgres runs as somebody else, who must be able to walk in.
        Path(name).chmod(0o755)
        yield Path(name)


@asynccontextmanager
async def one_replica() -> AsyncGenerator[Fleet]:
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(_folder())
        databases = stack.enter_context(temporary_postgres(folder / "postgres"))
        await databases.prepare()
        url = await stack.enter_async_context(databases.fresh())
        pool = await stack.enter_async_context(open_pool(url))
        yield await stack.enter_async_context(open_fleet(url, pool, folder, count=1))


async def _row(fleet: Fleet, load: StreamLoad) -> StreamFigures:
    chat_id = await fleet.asks(0, "[[say:ready]]")
    await fleet.comes_to_rest(0, chat_id)
    deaf = [_deaf(fleet, chat_id) for _ in range(load.stuck)]
    followers = [Follower(fleet, chat_id) for _ in range(load.subscribers)]
    await asyncio.gather(*(follower.connect() for follower in followers))
    before, started = server_cpu(fleet), time.monotonic()
    sent = await fleet.person.post(f"/chats/{chat_id}/messages", {"content": [{"type": "text", "text": load.prompt}]})
    assert sent.status == 202, sent.body
    ends = [end - started for end in await asyncio.gather(*(follower.ends() for follower in followers))]
    cpu, blocked = server_cpu(fleet) - before, await _blocked(fleet)
    for client in deaf:
        client.close()
    page = (await fleet.person.get(f"/chats/{chat_id}/messages?after=0")).json["items"]
    expected = msgspec.convert(page, list[Message])
    events = sum(follower.events for follower in followers)
    last = quantiles(ends, n=100)[98] if len(ends) > 1 else ends[0]
    return StreamFigures(
        load=load,
        complete=sum(follower.transcript.messages == expected and follower.parts > 0 for follower in followers),
        events=events,
        seconds=max(ends),
        spread=last - min(ends),
        cpu=cpu * 1_000_000 / events,
        blocked=blocked,
    )


async def _blocked(fleet: Fleet) -> bool:
    """Whether the server says that a client has not taken what it was sent, or that it cut such a one."""
    async with aiohttp.ClientSession() as http, http.get(f"{fleet.replicas[0].url}/metrics") as answer:
        lines = (await answer.text()).splitlines()
    values = {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[:1] != "#")}
    return values["perdure_stream_lag_seconds"] > 0 or values.get('perdure_streams_ended_total{reason="slow"}', 0) > 0


class Follower:
    """A client that reads as fast as it can."""

    def __init__(self, fleet: Fleet, chat_id: str) -> None:
        self._fleet = fleet
        self._chat_id = chat_id
        self.transcript = Transcript()
        self.events = self.parts = 0
        self._reading: asyncio.Task[float] | None = None
        self._ready = asyncio.Event()

    async def connect(self) -> None:
        """Follow, and hear what there is so far."""
        self._reading = asyncio.ensure_future(self._read())
        await asyncio.wait_for(self._ready.wait(), PATIENCE)

    async def ends(self) -> float:
        """When the turn was over for this client."""
        assert self._reading is not None
        return await asyncio.wait_for(self._reading, PATIENCE)

    async def _read(self) -> float:
        host, port = self._fleet.replicas[0].url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port), limit=LINE_LIMIT)
        writer.write(_request(self._fleet, self._chat_id))
        try:
            while line := await reader.readline():
                if line.startswith(b"data: ") and self._over(_events.decode(line[6:])):
                    return time.monotonic()
        finally:
            writer.close()
        raise ConnectionError("the stream ended before the turn did")

    def _over(self, event: AnyEvent) -> bool:
        self.events += 1
        self.parts += isinstance(event, MessagePart)
        self.transcript.add(event)
        if self.transcript.card is not None:
            self._ready.set()
        return self.transcript.status is Status.WAITING and len(self.transcript.messages) > 3


def _request(fleet: Fleet, chat_id: str) -> bytes:
    lines = (
        f"GET /api/v1/chats/{chat_id}/stream HTTP/1.1",
        "Host: bench",
        "Accept: text/event-stream",
        f"Authorization: Bearer {fleet.person.token}",
    )
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _deaf(fleet: Fleet, chat_id: str) -> socket.socket:
    """A client that asks for a stream and never reads."""
    host, port = fleet.replicas[0].url.removeprefix("http://").split(":")
    client = socket.create_connection((host, int(port)))
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.sendall(_request(fleet, chat_id))
    return client


def server_cpu(fleet: Fleet) -> float:
    """Seconds that the server's process has used."""
    # Its own clock, as clock_getcpuclockid(3) names it. /proc counts in hundredths of a second, too coarse for a round.
    return time.clock_gettime(~fleet.replicas[0].process.pid << 3 | 2)
