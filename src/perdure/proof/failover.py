"""How long an answer stands still when the replica that gives it is killed: from the kill to the first new part."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from perdure.client import Client, EventStream
from perdure.core.events import MessagePart
from perdure.core.timing import SEVERED_LEASE
from perdure.proof.fleet import Fleet, Member, fleet
from perdure.proof.processes import SERVE
from perdure.proof.scale.bars import quantile

ASKED = "[[rate:20]] [[say:4000 tokens]]"
PATIENCE = 60
BAR = SEVERED_LEASE + timedelta(milliseconds=500)


@dataclass(frozen=True, slots=True)
class Takeovers:
    """Seconds from each kill to the first part by somebody else, as a client of a replica that lives saw it."""

    seconds: tuple[float, ...]

    @property
    def p99(self) -> float:
        return quantile(self.seconds, 0.99)

    @property
    def met(self) -> bool:
        return bool(self.seconds) and self.p99 < BAR.total_seconds()

    def table(self) -> str:
        rows = [
            ("kills", str(len(self.seconds))),
            ("p50", f"{quantile(self.seconds, 0.5):.2f} s"),
            ("p99", f"{self.p99:.2f} s"),
            ("worst", f"{max(self.seconds):.2f} s"),
            ("bar", f"p99 < {BAR.total_seconds():.1f} s"),
        ]
        return "\n".join(f"{name:<6} {value}" for name, value in rows)


class Trial:
    """One replica lives and is watched; the others give answers, are killed together, and come back."""

    def __init__(self, members: Fleet, token: str) -> None:
        self._survivor, *self._victims = members.members
        self._token = token

    async def round(self) -> list[float]:
        """One kill of every replica but the one that lives."""
        await asyncio.gather(*(victim.back() for victim in self._victims))
        async with asyncio.timeout(PATIENCE):
            return await asyncio.gather(*(self._taken_over(victim) for victim in self._victims))

    async def _taken_over(self, victim: Member) -> float:
        async with self._client(victim) as theirs, self._client(self._survivor) as ours:
            chat = await ours.chats.get((await theirs.chats.create(ASKED)).id)
            stream = chat.stream()
            attempt = await _part(stream, after=0)
            await victim.kill()
            killed = time.monotonic()
            await _part(stream, after=attempt)
            taken = time.monotonic() - killed
            await chat.interrupt()
            return taken

    def _client(self, member: Member) -> Client:
        assert member.replica is not None
        return Client(member.replica.url, token=self._token)


async def _part(stream: EventStream, *, after: int) -> int:
    """Follow until a part of a later attempt comes. Which attempt it is of."""
    events = aiter(stream)
    async with aclosing(events):
        async for event in events:
            if isinstance(event, MessagePart) and event.attempt > after:
                return event.attempt
    raise AssertionError("a stream of events does not end")


async def measured(
    database_url: str, token: str, folder: Path, *, replicas: int, kills: int, shown: Callable[[str], None]
) -> Takeovers:
    seconds: Sequence[float] = []
    async with fleet(database_url, folder, replicas, SERVE) as members:
        trial = Trial(members, token)
        while len(seconds) < kills:
            seconds = [*seconds, *await trial.round()]
            shown(f"{len(seconds)} of {kills} kills, worst so far {max(seconds):.2f} s")
    return Takeovers(tuple(seconds))
