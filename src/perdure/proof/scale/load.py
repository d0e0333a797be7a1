"""Many chats at once, each with its stream, each sending the next message when its turn ends."""

import asyncio
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import aiohttp

from perdure.proof.scale.gauges import Statement, cpu_seconds, family_seconds, memory_mebibytes, since, statements
from perdure.proof.scale.load_chat import Failed, LoadChat, Turn

SAMPLING = 0.5
SERVER, LOAD = "server", "load"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """A deployment: where it is, who may use it, and which processes and database belong to it, where known."""

    urls: Sequence[str]
    tokens: Sequence[str]
    pids: Sequence[int] = ()
    database_url: str = ""
    beside: Mapping[str, int] = field(default_factory=dict[str, int])
    """Other processes that share its processors, by name."""

    def cpu(self) -> float:
        """Processor time of the server so far."""
        return sum(cpu_seconds(pid) for pid in self.pids)

    def burned(self) -> dict[str, float]:
        """Processor time so far, by who used it. What clients use is ours."""
        others = {name: family_seconds(pid) for name, pid in self.beside.items()}
        return {SERVER: self.cpu(), **others, LOAD: time.process_time()}

    def talk(self, http: aiohttp.ClientSession, number: int, *, sse: bool = False) -> LoadChat:
        """A client for the so-manieth chat: people and replicas take turns."""
        url, token = self.urls[number % len(self.urls)], self.tokens[number % len(self.tokens)]
        return LoadChat(http, url, token, sse)


@dataclass(frozen=True, slots=True)
class Moment:
    """How things stood at a time."""

    at: float
    turns: int
    cpu: float
    memory: float


@dataclass(slots=True)
class Loaded:
    """What a load came to."""

    chats: int
    seconds: float = 0.0
    turns: list[Turn] = field(default_factory=list[Turn])
    failures: Counter[str] = field(default_factory=Counter[str])
    reasons: list[str] = field(default_factory=list[str])
    retries: int = 0
    events: int = 0
    received: int = 0
    burned: dict[str, float] = field(default_factory=dict[str, float])
    """Processor time, by who used it."""
    statements: list[Statement] = field(default_factory=list[Statement])
    moments: list[Moment] = field(default_factory=list[Moment])

    @property
    def rate(self) -> float:
        return len(self.turns) / self.seconds if self.seconds else 0.0

    def calls(self, kind: str) -> float:
        """Statements of a kind per turn."""
        return sum(each.calls for each in self.statements if each.kind == kind) / max(1, len(self.turns))


def used(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    """What was used between two looks."""
    return {name: after[name] - before[name] for name in after}


def shares(burned: Mapping[str, float], turns: int, seconds: float) -> str:
    """Processor time per turn, by who used it, and how busy the machine's cores were with all of it."""
    cores = len(os.sched_getaffinity(0))
    each = ", ".join(f"{name} {spent / max(1, turns) * 1e3:.2f}" for name, spent in burned.items())
    return f"{each} ms; {sum(burned.values()) / max(seconds, 1e-9):.2f} of {cores} cores busy"


class Load:
    """One load on one place."""

    def __init__(self, place: Deployment, *, chats: int, turns: int, text: str, subscribers: int = 1) -> None:
        self._place = place
        self._chats = chats
        self._turns = turns
        self._text = text
        self._subscribers = subscribers
        self._talks: list[LoadChat] = []
        self.result = Loaded(chats)

    async def run(self, progress: Callable[[int, int], None]) -> Loaded:
        """All chats from their first to their last turn."""
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as http:
            self._talks = [self._place.talk(http, number) for number in range(self._chats)]
            before = await self._statements()
            burned, begun = self._place.burned(), time.perf_counter()
            sampling = asyncio.create_task(self._sample(begun, progress))
            await asyncio.gather(*(self._chat(talk) for talk in self._talks))
            self.result.seconds = time.perf_counter() - begun
            self.result.burned = used(burned, self._place.burned())
            sampling.cancel()
            after = await self._statements()
            self.result.statements = since(before, after)
            await asyncio.gather(*(talk.close() for talk in self._talks))
        self.result.retries = sum(talk.retries for talk in self._talks)
        self.result.events = sum(talk.events for talk in self._talks)
        self.result.received = sum(talk.received for talk in self._talks)
        return self.result

    async def _chat(self, talk: LoadChat) -> None:
        try:
            self.result.turns.append(await talk.create(self._text))
            for _ in range(self._subscribers - 1):
                await talk.join()
            for _ in range(self._turns - 1):
                self.result.turns.append(await talk.send(self._text))
        except Failed as failure:
            self.result.failures[failure.stage] += 1
            self.result.reasons.append(str(failure))

    async def _statements(self) -> dict[str, Statement]:
        return await statements(self._place.database_url) if self._place.database_url else {}

    async def _sample(self, begun: float, progress: Callable[[int, int], None]) -> None:
        while True:
            await asyncio.sleep(SAMPLING)
            memory = sum(memory_mebibytes(pid) for pid in self._place.pids)
            done = len(self.result.turns)
            self.result.moments.append(Moment(time.perf_counter() - begun, done, self._place.cpu(), memory))
            progress(done, self._chats * self._turns)
