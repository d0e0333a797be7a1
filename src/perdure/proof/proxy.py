"""A way to a Postgres that loses requests, answers and notices when it is told to."""

import asyncio
import re
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

_NAME = re.compile(rb"__asyncpg_stmt_[0-9a-f]+__")
_COMMIT = b"swap AS ("
_START = b"INSERT INTO journal"


class Fate(Enum):
    """What becomes of a request."""

    CARRY = "carry"
    LOSE_REQUEST = "lose request"
    """The connection breaks before the server reads it."""
    LOSE_ANSWER = "lose answer"
    """The server carries it out, and the connection breaks before anybody hears of it."""
    RACE = "race"
    """The connection breaks while the server carries it out: it may be done before or after the client looks again."""
    HANG = "hang"
    """The server carries it out, and nobody ever hears of it; the connection stays."""
    HOLD_REQUEST = "hold request"
    """The connection stalls before the server reads it, until the proxy lets go."""
    HOLD_ANSWER = "hold answer"
    """The server carries it out, and the connection stalls before the answer, until the proxy lets go."""


Decide = Callable[[bool], Fate]


@dataclass(slots=True, eq=False)
class Stall:
    """One connection that stands still at one request: before the server reads it, or before its answer is passed."""

    before_answer: bool
    over: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True)
class _Server:
    """One host of a database: its address, or the folder with its socket."""

    host: str
    port: str

    async def reached(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self.host.startswith("/"):
            return await asyncio.open_unix_connection(Path(self.host) / f".s.PGSQL.{self.port}")
        return await asyncio.open_connection(self.host, int(self.port))


def _options(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


def _servers(url: str) -> list[_Server]:
    parts, options = urlsplit(url), _options(url)
    named = [host for host in parts.netloc.rpartition("@")[2].split(",") if host]
    if not named:
        return [_Server(options["host"], options.get("port", "5432"))]
    return [_Server(host.rpartition(":")[0], host.rpartition(":")[2]) for host in named]


class Proxy:
    """Stands between clients and a Postgres, with a unix socket for each of its hosts.

    `decide` is asked about every request. It is told whether the request is a commit of the machine, and `commits`
    counts those.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._directory = tempfile.TemporaryDirectory(prefix="perdure-proxy-")
        servers = _servers(url)
        self._doors = {Path(self._directory.name) / str(number): each for number, each in enumerate(servers)}
        options = {
            **_options(url),
            "host": ",".join(map(str, self._doors)),
            "port": ",".join(each.port for each in servers),
        }
        login, _, _ = parts.netloc.rpartition("@")
        netloc = f"{login}@" if login else ""
        self.url = urlunsplit(parts._replace(netloc=netloc, query=urlencode(options)))
        self._tasks = set[asyncio.Task[None]]()
        self._links = set[_Link]()
        self.decide: Decide = lambda _: Fate.CARRY
        self.requests = 0
        self.commits = 0
        self.stall: Callable[[bytes], Stall | None] = lambda _: None
        """Asked about every commit and every start of a call, with what is sent."""
        self.hear: Callable[[bytes], None] = lambda _: None
        """Told everything that is passed on to a client."""
        self.deaf = False
        """While set, notices of other sessions are not passed on."""
        self.holding = asyncio.Event()
        """Set once a request or an answer is held."""
        self.released = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["Proxy"]:
        async with AsyncExitStack() as doors:
            for folder, server in self._doors.items():
                folder.mkdir()
                path = folder / f".s.PGSQL.{server.port}"
                opened = await asyncio.start_unix_server(partial(self._serve, server), path)
                doors.callback(opened.close)
            try:
                yield self
            finally:
                await self._closed()
        self._directory.cleanup()

    async def _closed(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def freeze(self) -> None:
        """Carry nothing more on the connections of now, without closing them."""
        for link in self._links:
            link.silent = True

    def let_go(self) -> None:
        """Carry on with what is held."""
        self.holding.clear()
        self.released.set()
        self.released = asyncio.Event()

    def cut(self) -> int:
        """Break every connection of now. How many there were."""
        for link in self._links:
            link.abort()
        return len(self._links)

    async def _serve(self, server: _Server, client: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # A transport of uvloop that was aborted is a RuntimeError to write to.
        with suppress(OSError, RuntimeError, asyncio.CancelledError):
            try:
                await self._linked(server, client, back)
            finally:
                # Also where the server cannot be reached: then the client hears it at once.
                back.close()

    async def _linked(self, server: _Server, client: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        answers, forth = await server.reached()
        link = _Link(self, client, back, answers, forth)
        self._links.add(link)
        try:
            await link.run()
        finally:
            self._links.discard(link)
            forth.close()


class _Link:
    """One connection through the proxy."""

    def __init__(
        self,
        proxy: Proxy,
        client: asyncio.StreamReader,
        back: asyncio.StreamWriter,
        server: asyncio.StreamReader,
        forth: asyncio.StreamWriter,
    ) -> None:
        self._proxy = proxy
        self._client, self._back = client, back
        self._server, self._forth = server, forth
        self._commits = set[bytes]()
        self._starts = set[bytes]()
        self._stalled: Stall | None = None
        self._notices = _Notices()
        self._holds_answer = False
        self.silent = False

    def abort(self) -> None:
        self._back.transport.abort()
        self._forth.transport.abort()

    async def run(self) -> None:
        answers = asyncio.ensure_future(self._answer())
        try:
            while request := await self._client.read(1 << 20):
                commit = self._is_commit(request)
                fate = self._proxy.decide(commit)
                self._proxy.requests += 1
                if commit or self._is_start(request):
                    await self._stall(self._proxy.stall(request))
                if fate is Fate.LOSE_REQUEST:
                    return
                await self._held_or_silent(fate)
                self._forth.write(request)
                await self._forth.drain()
                if fate is Fate.LOSE_ANSWER:
                    await answers
                if fate in (Fate.LOSE_ANSWER, Fate.RACE):
                    return
        finally:
            answers.cancel()

    async def _held_or_silent(self, fate: Fate) -> None:
        match fate:
            case Fate.HOLD_REQUEST:
                await self._hold()
            case Fate.HOLD_ANSWER:
                self._holds_answer = True
            case _:
                self.silent = self.silent or fate is not Fate.CARRY

    async def _stall(self, stall: Stall | None) -> None:
        if stall is not None and stall.before_answer:
            self._stalled = stall
        elif stall is not None:
            await stall.over.wait()

    async def _hold(self) -> None:
        released = self._proxy.released
        self._proxy.holding.set()
        await released.wait()

    async def _answer(self) -> None:
        with suppress(OSError, RuntimeError):
            while answer := await self._server.read(1 << 20):
                if self._holds_answer:
                    await self._hold()
                    self._holds_answer = False
                if self._stalled is not None:
                    await self._stalled.over.wait()
                    self._stalled = None
                if self.silent:
                    return
                passed = self._notices.removed(answer) if self._proxy.deaf else self._notices.passed(answer)
                self._proxy.hear(passed)
                self._back.write(passed)
                await self._back.drain()
        self._back.close()

    def _is_commit(self, request: bytes) -> bool:
        names = set(_NAME.findall(request))
        if _COMMIT in request:
            self._commits |= names
            return False
        if self._commits & names:
            self._proxy.commits += 1
            return True
        return False

    def _is_start(self, request: bytes) -> bool:
        names = set(_NAME.findall(request))
        if _START in request:
            self._starts |= names
            return False
        return bool(self._starts & names)


class _Notices:
    """Finds notices in what a server sends: every message is a letter, its length and its body."""

    def __init__(self) -> None:
        self._rest = b""
        self._left = 0

    def passed(self, answer: bytes) -> bytes:
        """The same bytes, counted, so that it is known where messages begin."""
        whole, self._rest = self._rest + answer, b""
        at = self._left
        while at + 5 <= len(whole):
            at += 1 + int.from_bytes(whole[at + 1 : at + 5])
        if at < len(whole):
            # A header in two pieces waits for its other half.
            self._rest, whole, self._left = whole[at:], whole[:at], 0
        else:
            self._left = at - len(whole)
        return whole

    def removed(self, answer: bytes) -> bytes:
        """The bytes without whole notices. A message that has begun is passed on to its end."""
        whole, self._rest = self._rest + answer, b""
        at, kept = min(self._left, len(whole)), [whole[: self._left]]
        self._left -= at
        while at + 5 <= len(whole):
            end = at + 1 + int.from_bytes(whole[at + 1 : at + 5])
            if whole[at : at + 1] == b"A" and end <= len(whole):
                at = end
                continue
            kept.append(whole[at:end])
            self._left = max(0, end - len(whole))
            at = min(end, len(whole))
        self._rest = whole[at:]
        return b"".join(kept)
