"""People in one chat at several replicas: how soon others see who types, and how soon one is out who may not look."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any

from perdure.cli.progress import progress
from perdure.cli.proof_setup import own_postgres, prepared_database, replica_users
from perdure.proof.fleet import Fleet, fleet
from perdure.proof.processes import SERVE
from perdure.proof.scale.bars import quantile
from perdure.testing.served_api import Person

SEEN_BAR, OUT_BAR = timedelta(milliseconds=300), timedelta(seconds=2)
REPLICAS = 3
BETWEEN_KILLS = 2.0
PATIENCE = 60


@dataclass(frozen=True, slots=True)
class PeopleFigures:
    """Seconds from what somebody does at one replica until somebody at another one knows."""

    typing: Sequence[float]
    out: Sequence[float]
    """From a share that is taken back until the stream of whoever had it has ended."""
    kills: int

    def table(self) -> str:
        rows = [
            ("seen to type", len(self.typing), quantile(self.typing, 0.5), quantile(self.typing, 0.99), SEEN_BAR),
            ("share taken back", len(self.out), quantile(self.out, 0.5), max(self.out), OUT_BAR),
        ]
        lines = [f"{'':<20}{'times':>6}{'p50 ms':>9}{'p99 ms':>9}{'bar ms':>9}"]
        lines += [
            f"{name:<20}{times:>6}{half * 1000:>9.0f}{most * 1000:>9.0f}{bar.total_seconds() * 1000:>9.0f}"
            for name, times, half, most, bar in rows
        ]
        return "\n".join(
            [*lines, f"of a share taken back the slowest; {self.kills} kills of a third replica meanwhile"]
        )

    def missed(self) -> list[str]:
        late = quantile(self.typing, 0.99) >= SEEN_BAR.total_seconds()
        left = max(self.out) >= OUT_BAR.total_seconds()
        return ["who types is seen late"] * late + ["a stream outlives its share"] * left


class Watcher:
    """Somebody who follows the chat at a replica."""

    def __init__(self, person: Person, replica: int) -> None:
        self.person = person
        self.replica = replica
        self.typing = set[str]()
        self.here = asyncio.Event()
        self.ended = asyncio.Event()
        self._changed = asyncio.Event()

    async def follow(self, chat: str) -> None:
        async with aclosing(self.person.events(f"/chats/{chat}/stream")) as events:
            async for event in events:
                self.here.set()
                if event["type"] == "presence":
                    self.typing = {each["id"] for each in event["people"] if each.get("typing")}
                    self._changed.set()
        self.ended.set()

    async def sees(self, user: str, *, typing: bool) -> float:
        """When it sees that."""
        async with asyncio.timeout(PATIENCE):
            while (user in self.typing) is not typing:
                self._changed.clear()
                await self._changed.wait()
        return time.monotonic()


async def measured(people: int, rounds: int) -> PeopleFigures:
    with progress() as shown, own_postgres() as postgres:
        async with prepared_database(postgres.url, people) as (_, tokens):
            await replica_users(postgres.url, REPLICAS)
            folder = postgres.folder / "replicas"
            async with fleet(postgres.url, folder, REPLICAS, SERVE) as replicas, _people(replicas, tokens) as persons:
                shown("measuring")
                return await _measured(replicas, persons, rounds)


@asynccontextmanager
async def _people(replicas: Fleet, tokens: Sequence[str]) -> AsyncGenerator[list[Person]]:
    """Everybody at one of the first two replicas: the third is killed again and again."""
    urls = replicas.urls()
    async with AsyncExitStack() as stack:
        persons = list[Person]()
        for number, token in enumerate(tokens):
            unknown: Any = None
            person = await stack.enter_async_context(Person(unknown, unknown, urls[number % 2], token))
            person.id = (await person.get("/me")).json["id"]
            persons.append(person)
        yield persons


async def _measured(replicas: Fleet, persons: Sequence[Person], rounds: int) -> PeopleFigures:
    owner, *guests = persons
    begun = await owner.post("/chats", {"content": [{"type": "text", "text": "[[say:1 tokens]] hello"}]})
    chat = begun.json["chat"]["id"]
    left = [person.id for person in guests]
    await _shared(owner, chat, left)
    watchers = [Watcher(person, number % 2) for number, person in enumerate(persons)]
    async with asyncio.TaskGroup() as group:
        following = [group.create_task(watcher.follow(chat)) for watcher in watchers]
        await asyncio.gather(*(watcher.here.wait() for watcher in watchers))
        kills = list[float]()
        killing = group.create_task(_killing(replicas, kills))
        typing = [each for _ in range(rounds) for each in await _typed(watchers, chat, Random(len(left)))]
        out = list[float]()
        for watcher in watchers[1:]:
            left.remove(watcher.person.id)
            began = time.monotonic()
            await _shared(owner, chat, left)
            async with asyncio.timeout(PATIENCE):
                await watcher.ended.wait()
            out.append(time.monotonic() - began)
        killing.cancel()
        for task in following:
            task.cancel()
    return PeopleFigures(typing, out, len(kills))


async def _shared(owner: Person, chat: str, users: Sequence[object]) -> None:
    body = {"users": users, "roles": {str(user): "write" for user in users}}
    assert (await owner.put(f"/chats/{chat}/acl", body)).status == 200


async def _typed(watchers: Sequence[Watcher], chat: str, dice: Random) -> list[float]:
    """Everybody begins to type and stops again, one after the other, while somebody at the other replica looks."""
    found = list[float]()
    for watcher in watchers:
        other = dice.choice([each for each in watchers if each.replica != watcher.replica])
        user = str(watcher.person.id)
        for typing in (True, False):
            began = time.monotonic()
            await watcher.person.post(f"/chats/{chat}/typing", {"typing": typing})
            found.append(await other.sees(user, typing=typing) - began)
    return found


async def _killing(replicas: Fleet, kills: list[float]) -> None:
    """Kill the third replica and have it back, for as long as somebody looks."""
    *_, third = replicas.members
    while True:
        await asyncio.sleep(BETWEEN_KILLS)
        await third.kill()
        kills.append(time.monotonic())
        await third.back()
