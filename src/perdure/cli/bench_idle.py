"""What it costs to do nothing: the start of a replica, its memory, open streams that rest, and chats that do."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

import aiohttp

from perdure.cli.progress import progress
from perdure.cli.proof_setup import own_postgres, prepared_database
from perdure.proof.processes import replica
from perdure.proof.scale.bars import Bar
from perdure.proof.scale.filling import copied
from perdure.proof.scale.gauges import cpu_seconds, resident_mebibytes
from perdure.proof.scale.load import Deployment
from perdure.proof.scale.load_chat import LoadChat
from perdure.proof.scale.stages import session, settled

PEOPLE = 20
STARTS = 5
OPENING_AT_ONCE = 50
KIBIBYTES = 1024


async def measured(streams: int, chats: int, seconds: float) -> list[Bar]:
    """So many open streams, each of a chat of its own, then so many chats that nobody follows."""
    with progress() as shown, own_postgres() as postgres:
        async with prepared_database(postgres.url, PEOPLE) as (_, tokens):
            shown("starting a replica again and again")
            folder = postgres.folder / "replicas"
            starts = [await _start(postgres.url, folder) for _ in range(STARTS)]
            async with replica(postgres.url, folder) as one:
                place = Deployment(urls=(one.url,), tokens=tokens, pids=(one.process.pid,), database_url=postgres.url)
                await settled(place)
                resting = resident_mebibytes(one.process.pid)
                shown(f"opening {streams:,} streams")
                bars = await _streams(place, streams, seconds)
                shown(f"adding {chats:,} chats")
                bars += await _chats(place, chats, seconds)
    begun = Bar("a replica's start, p50", median(starts), 1.0, "s")
    return [begun, Bar("memory of a server at rest", resting, 80.0, "MB"), *bars]


async def _start(url: str, folder: Path) -> float:
    """Seconds from starting the command until it takes requests, on a database that is up to date."""
    begun = time.perf_counter()
    async with replica(url, folder) as one, aiohttp.ClientSession() as http, http.get(f"{one.url}/healthz") as answer:
        answer.raise_for_status()
        return time.perf_counter() - begun


async def _streams(place: Deployment, count: int, seconds: float) -> list[Bar]:
    (pid,) = place.pids
    async with session() as http:
        talks = await _rested(place, http, count)
        async with _opened(talks[: count // 10]):
            """Once, so that nothing is made for the first time when it counts."""
        before = resident_mebibytes(pid)
        async with _opened(talks):
            spent = await _spent(place, seconds)
            each = (resident_mebibytes(pid) - before) * KIBIBYTES / count
    return [
        Bar(f"memory of an open stream at rest, of {count:,}", each, 3.0, "kB"),
        Bar(f"share of a core while {count:,} streams rest", spent * 100, 1.0, "%"),
    ]


async def _chats(place: Deployment, count: int, seconds: float) -> list[Bar]:
    """What a replica uses beside so many chats that nobody follows, less what it uses anyway."""
    (pid,) = place.pids
    async with session() as http:
        before, alone = resident_mebibytes(pid), await _spent(place, seconds)
        await _rested(place, http, count)
        after, beside = resident_mebibytes(pid), await _spent(place, seconds)
    return [
        Bar(f"memory that {count:,} chats at rest add", max(0.0, after - before), 1.0, "MB"),
        Bar(f"share of a core that {count:,} chats at rest add", max(0.0, beside - alone) * 100, 0.2, "%"),
    ]


async def _rested(place: Deployment, http: aiohttp.ClientSession, count: int) -> Sequence[LoadChat]:
    """So many chats that had a turn and rest, dealt out to everybody."""
    found: list[LoadChat] = []
    for number in range(len(place.tokens)):
        talk = place.talk(http, number)
        await talk.create("[[say:20 tokens]]")
        await talk.close()
        copies = await copied(place.database_url, talk.chat_id, count // len(place.tokens))
        found += [LoadChat(http, talk.url, talk.token, chat_id=chat_id) for chat_id in copies]
    return found


@asynccontextmanager
async def _opened(talks: Sequence[LoadChat]) -> AsyncGenerator[None]:
    """All their streams are open for the length of the block."""
    waiting = iter(talks)

    async def opener() -> None:
        for talk in waiting:
            await talk.follow()

    await asyncio.gather(*(opener() for _ in range(OPENING_AT_ONCE)))
    yield
    for talk in talks:
        await talk.close()


async def _spent(place: Deployment, seconds: float) -> float:
    """The share of a core that the server uses while nobody does anything."""
    (pid,) = place.pids
    await settled(place)
    before, begun = cpu_seconds(pid), time.perf_counter()
    await asyncio.sleep(seconds)
    return (cpu_seconds(pid) - before) / (time.perf_counter() - begun)
