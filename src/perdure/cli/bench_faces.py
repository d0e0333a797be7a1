"""What a face costs beside our own stream: how much later the first words come, and CPU for each piece of an answer."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from uuid import UUID

from perdure.cli.bench_streams import one_replica, server_cpu
from perdure.core.ids import ChatId
from perdure.faces.asked import TurnId
from perdure.faces.openai.ids import response_id
from perdure.testing.fleet import Fleet

LATER_BAR = 0.001
CPU_BAR = 1.3
PATIENCE = 120
_SETTLING = 0.1
OWN = "own stream"
_QUESTION = 1
"""The number of the message that a chat begins with, and so the name of the turn that answers it."""


@dataclass(frozen=True, slots=True)
class FaceLoad:
    """How much is measured."""

    turns: int
    """For the first words: turns that are followed by both."""
    chats: int
    """For CPU: chats that answer at once, each followed by one client."""
    tokens: int
    rounds: int


@dataclass(frozen=True, slots=True)
class FaceFigures:
    name: str
    later: float
    """Seconds between the first words in our own stream and in this one, of the same turn; the median."""
    cpu: float
    """Of the server, microseconds for a token: to ask the model, keep the answer and send it to one client."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a client follows a turn that is being answered, and how it knows the first words and the end."""

    name: str
    request: Callable[[ChatId], tuple[str, str, bytes]]
    words: bytes
    end: bytes


def _own(chat_id: ChatId) -> tuple[str, str, bytes]:
    return "GET", f"/api/v1/chats/{chat_id}/stream", b""


def _response(chat_id: ChatId) -> tuple[str, str, bytes]:
    return "GET", f"/v1/responses/{response_id(TurnId(chat_id, _QUESTION))}?stream=true", b""


def _page(chat_id: ChatId) -> tuple[str, str, bytes]:
    return "GET", f"/ai/chat/{chat_id}/stream", b""


def _run(chat_id: ChatId) -> tuple[str, str, bytes]:
    return "POST", "/ag-ui/demo", b'{"threadId":"%b","runId":"r"}' % str(chat_id).encode()


OURS = Way(OWN, _own, b'"message_part"', b'"status":"waiting"')
FACES = (
    Way("responses", _response, b"response.output_text.delta", b'"response.completed"'),
    Way("AI SDK", _page, b'"text-delta"', b'"finish"'),
    Way("AG-UI", _run, b'"TEXT_MESSAGE_CONTENT"', b'"RUN_FINISHED"'),
)


class TurnFollower:
    """A client of one turn, which notes when the first words came."""

    def __init__(self, fleet: Fleet, way: Way, chat_id: ChatId) -> None:
        self._fleet = fleet
        self._way = way
        self._chat_id = chat_id
        self.words_at = 0.0
        self._ready = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None

    async def connects(self) -> None:
        """Until the server has begun to answer."""
        self._reading = asyncio.ensure_future(self._read())
        await asyncio.wait_for(self._ready.wait(), PATIENCE)

    async def ends(self) -> None:
        assert self._reading is not None
        await asyncio.wait_for(self._reading, PATIENCE)

    async def _read(self) -> None:
        host, port = self._fleet.replicas[0].url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(self._request())
        read = b""
        try:
            while piece := await reader.read(1 << 16):
                now, read = time.monotonic(), read[-64:] + piece
                if b"data: " in piece:
                    self._ready.set()
                if not self.words_at and self._way.words in read:
                    self.words_at = now
                if self.words_at and self._way.end in read:
                    return
        finally:
            writer.close()
        raise ConnectionError(f"{self._way.name}: the stream ended before the turn did")

    def _request(self) -> bytes:
        method, path, body = self._way.request(self._chat_id)
        lines = (
            f"{method} {path} HTTP/1.1",
            "Host: bench",
            f"Authorization: Bearer {self._fleet.person.token}",
            f"Content-Length: {len(body)}",
        )
        return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


async def measured(load: FaceLoad) -> list[FaceFigures]:
    """Our own stream first."""
    async with one_replica() as fleet:
        later = {way: await _later(fleet, way, load.turns) for way in FACES}
        # In turns, so that whatever else the machine does meets all; the best of each counts.
        rounds = [[await _cpu(fleet, way, load) for way in (OURS, *FACES)] for _ in range(load.rounds)]
    costs = [min(each) for each in zip(*rounds, strict=True)]
    return [FaceFigures(way.name, later.get(way, 0.0), cpu) for way, cpu in zip((OURS, *FACES), costs, strict=True)]


async def _later(fleet: Fleet, way: Way, turns: int) -> float:
    """How much later the first words come than in our own stream of the same turn."""
    gate = fleet.sim.gates["words"]
    later: list[float] = []
    for turn in range(turns):
        await gate.set(open=False)
        chat_id = ChatId(UUID(await fleet.asks(0, "[[gate:words]] [[say:Good morning to all of you.]]")))
        ours, theirs = TurnFollower(fleet, OURS, chat_id), TurnFollower(fleet, way, chat_id)
        # Who came first is served first: in turns.
        for follower in (ours, theirs) if turn % 2 else (theirs, ours):
            await follower.connects()
        await gate.reached()
        # What a client hears first does not say that the server follows the chat for it.
        await asyncio.sleep(_SETTLING)
        await gate.set(open=True)
        await asyncio.gather(ours.ends(), theirs.ends())
        later.append(theirs.words_at - ours.words_at)
    return median(later)


async def _cpu(fleet: Fleet, way: Way, load: FaceLoad) -> float:
    """The server's work for a token, of several answers at once. Until then all stand at a gate."""
    gate = fleet.sim.gates["answers"]
    await gate.set(open=False)
    said = f"[[gate:answers]] [[rate:200]] [[say:{load.tokens} tokens]]"
    chats = [ChatId(UUID(await fleet.asks(0, said))) for _ in range(load.chats)]
    followers = [TurnFollower(fleet, way, chat_id) for chat_id in chats]
    await asyncio.gather(*(follower.connects() for follower in followers))
    await gate.reached(load.chats)
    # A face speaks before it follows the chat: what it costs to begin is not what a token costs.
    await asyncio.sleep(_SETTLING)
    before = server_cpu(fleet)
    await gate.set(open=True)
    await asyncio.gather(*(follower.ends() for follower in followers))
    return (server_cpu(fleet) - before) * 1_000_000 / (load.chats * load.tokens)


def table(rows: list[FaceFigures]) -> str:
    own = rows[0].cpu
    lines = [f"{'':<14}{'first words, ms later':>23}{'CPU µs/token':>14}{'of our own':>12}"]
    lines += [f"{row.name:<14}{row.later * 1000:>23.2f}{row.cpu:>14.1f}{row.cpu / own:>12.2f}" for row in rows]
    return "\n".join(lines)


def missed(rows: list[FaceFigures]) -> list[str]:
    own = rows[0].cpu
    late = [f"{row.name}: first words {row.later * 1000:.2f} ms later" for row in rows if row.later > LATER_BAR]
    return late + [f"{row.name}: {row.cpu / own:.2f} times the CPU" for row in rows if row.cpu > CPU_BAR * own]
