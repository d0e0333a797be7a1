"""The stages of a scale test. Each takes a place, does one thing to it, and says what that came to."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import aiohttp
import msgspec

from perdure.proof.scale.floor import Task, measured
from perdure.proof.scale.gauges import COMMIT, CONFIGURATION, TURN, Statement, memory_mebibytes, since
from perdure.proof.scale.gauges import statements as read_statements
from perdure.proof.scale.load import Deployment, used
from perdure.proof.scale.load_chat import LoadChat

STREAMS, DELTAS, PACE = 50, 400, 100
MODEL_DELTAS, MODEL_PACE = 200, 50
EARLY, LATE, LONG_CHATS, LONG_ROUNDS, WINDOW = 10, 200, 16, 3, 10
WARM_CHATS, WARM_TURNS = 16, 12
STUCK_ROUNDS = 2
PACED, FLOOD = "[[rate:10]][[say:40 tokens]]", "[[rate:20000]][[say:100000 tokens]]"
LOOK, IDLE_SHARE, SETTLING = 0.2, 0.05, 30.0
"""How often a server is looked at until it is idle, what share of a core it may use then, how long that may take."""


@dataclass(frozen=True, slots=True)
class Warm:
    """Statements of one warm turn."""

    commits: float
    round_trips: float
    configuration: float
    statements: Sequence[Statement]


@dataclass(frozen=True, slots=True)
class Deltas:
    """Microseconds of CPU per streamed delta: the server with one subscriber, and the floor."""

    ours: float
    floor: float


@dataclass(frozen=True, slots=True)
class Floor:
    """What the floor came to."""

    turns: int
    seconds: float
    burned: Mapping[str, float]
    """Processor time, by who used it."""

    @property
    def rate(self) -> float:
        return self.turns / self.seconds

    def and_again(self, other: "Floor") -> "Floor":
        """Two runs as one."""
        burned = {name: spent + other.burned[name] for name, spent in self.burned.items()}
        return Floor(self.turns + other.turns, self.seconds + other.seconds, burned)


@dataclass(frozen=True, slots=True)
class Stuck:
    """Seconds of an answer and of server CPU, beside a chat whose subscriber reads, and beside one whose does not."""

    read: float
    held: float
    read_cpu: float
    held_cpu: float


@dataclass(frozen=True, slots=True)
class LongChat:
    """What a turn costs early and late in a chat: milliseconds of server CPU, rows read."""

    early_cpu: float
    late_cpu: float
    early_rows: float
    late_rows: float


def session() -> aiohttp.ClientSession:
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))


def _talks(http: aiohttp.ClientSession, place: Deployment, count: int) -> list[LoadChat]:
    return [place.talk(http, number) for number in range(count)]


async def settled(place: Deployment) -> float:
    """Wait until the server has nothing left to do for turns that are over; its processor time then."""
    spent = place.cpu()
    for _ in range(int(SETTLING / LOOK)):
        await asyncio.sleep(LOOK)
        before, spent = spent, place.cpu()
        if spent - before < IDLE_SHARE * LOOK:
            break
    return spent


async def warm(place: Deployment, text: str) -> Warm:
    """Turns of chats whose first ones are over: nothing is read for the first time."""
    async with session() as http:
        talks = _talks(http, place, WARM_CHATS)
        await asyncio.gather(*(talk.create(text) for talk in talks))
        await asyncio.gather(*(talk.send(text) for talk in talks))
        before = await read_statements(place.database_url)
        await asyncio.gather(*(_turns(talk, text, WARM_TURNS) for talk in talks))
        ran = since(before, await read_statements(place.database_url))
        await asyncio.gather(*(talk.close() for talk in talks))
    turns = WARM_CHATS * WARM_TURNS
    calls = {
        kind: sum(each.calls for each in ran if each.kind == kind) / turns for kind in (COMMIT, CONFIGURATION, TURN)
    }
    return Warm(calls[COMMIT], calls[COMMIT] + calls[TURN] + calls[CONFIGURATION], calls[CONFIGURATION], ran)


async def _turns(talk: LoadChat, text: str, count: int) -> None:
    for _ in range(count):
        await talk.send(text)


async def deltas(place: Deployment, simulator_url: str) -> Deltas:
    """Long answers less short ones, at the pace of a real model, beside a process that drains the same bytes.

    What follows a turn, such as its label, belongs to it: every measurement ends when the server is idle again.
    """
    ours = await _per_delta(place, STREAMS, DELTAS, PACE)
    floors = [await measured(Task(simulator_url, text, STREAMS, 1)) for text in _paced(PACE, 1, DELTAS)]
    return Deltas(ours, (floors[1].cpu - floors[0].cpu) / (STREAMS * (DELTAS - 1)) * 1e6)


async def paced_delta(place: Deployment, chats: int, *, sse: bool, deltas: int = MODEL_DELTAS) -> float:
    """Microseconds of the server for one delta, at the pace at which people are answered: tokens one by one."""
    return await _per_delta(place, chats, deltas, MODEL_PACE, sse=sse)


def _paced(rate: int, *tokens: int) -> list[str]:
    return [f"[[rate:{rate}]][[say:{count} tokens]]" for count in tokens]


async def _per_delta(place: Deployment, chats: int, deltas: int, rate: int, *, sse: bool = False) -> float:
    short, long = _paced(rate, 1, deltas)
    async with session() as http:
        talks = [place.talk(http, number, sse=sse) for number in range(chats)]
        await asyncio.gather(*(talk.create(short) for talk in talks))
        small = await _spent(place, talks, short)
        large = await _spent(place, talks, long)
        await asyncio.gather(*(talk.close() for talk in talks))
    return (large - small) / (chats * (deltas - 1)) * 1e6


async def _spent(place: Deployment, talks: Sequence[LoadChat], text: str) -> float:
    before = await settled(place)
    await asyncio.gather(*(talk.send(text) for talk in talks))
    return await settled(place) - before


async def long_chats(place: Deployment, text: str) -> LongChat:
    """Turns about the tenth of some chats beside turns about the two hundredth of others.

    By turns, because a machine is faster now and slower then; the best of each counts.
    """
    early: list[tuple[float, float]] = []
    late: list[tuple[float, float]] = []
    async with session() as http:
        old = await _grown(_talks(http, place, LONG_CHATS), text, LATE - WINDOW)
        for _ in range(LONG_ROUNDS):
            young = await _grown(_talks(http, place, LONG_CHATS), text, EARLY - WINDOW // 2)
            early.append(await _window(place, young, text))
            late.append(await _window(place, old, text))
            await asyncio.gather(*(talk.close() for talk in young))
        await asyncio.gather(*(talk.close() for talk in old))
    (early_cpu, early_rows), (late_cpu, late_rows) = (map(min, zip(*windows, strict=True)) for windows in (early, late))
    return LongChat(early_cpu, late_cpu, early_rows, late_rows)


async def _grown(talks: Sequence[LoadChat], text: str, turns: int) -> Sequence[LoadChat]:
    await asyncio.gather(*(talk.create(text) for talk in talks))
    await asyncio.gather(*(_turns(talk, text, turns - 1) for talk in talks))
    return talks


async def _window(place: Deployment, talks: Sequence[LoadChat], text: str) -> tuple[float, float]:
    cpu, before = await settled(place), await read_statements(place.database_url)
    await asyncio.gather(*(_turns(talk, text, WINDOW) for talk in talks))
    spent = await settled(place) - cpu
    ran = since(before, await read_statements(place.database_url))
    turns = len(talks) * WINDOW
    return spent / turns * 1e3, sum(each.rows for each in ran if each.kind == TURN) / turns


class _Request(msgspec.Struct, frozen=True):
    first_byte_at: float | None = None
    text: str | None = None


class _Requests(msgspec.Struct, frozen=True):
    requests: tuple[_Request, ...]


@dataclass(frozen=True, slots=True)
class FirstTokens:
    """Milliseconds until the first part is there, of each turn."""

    by_server: Sequence[float]
    """From the model's first byte on."""
    in_all: Sequence[float]
    """From sending the message on."""


async def first_tokens(place: Deployment, simulator_url: str, turns: int) -> FirstTokens:
    """When a client has the first part of an answer, on a server with nothing else to do."""
    added: list[float] = []
    whole: list[float] = []
    async with session() as http:
        talk = _talks(http, place, 1)[0]
        await talk.create("[[say:20 tokens]] first")
        for number in range(turns):
            marker = f"turn-{number}-of-{talk.chat_id}"
            turn = await talk.send(f"{marker} [[say:20 tokens]]")
            async with http.get(f"{simulator_url}/sim/requests", params={"marker": marker}) as answer:
                found = msgspec.json.decode(await answer.read(), type=_Requests).requests
            at = next((each.first_byte_at for each in found if each.first_byte_at), None)
            if at is not None:
                added.append((turn.asked_on + turn.first_output - at) * 1e3)
                whole.append(turn.first_output * 1e3)
        await talk.close()
    return FirstTokens(added, whole)


async def resting_memory(place: Deployment, text: str, chats: int, *, at_once: int = 100) -> tuple[float, float]:
    """Resident mebibytes at rest: after a first hundreds of chats, and after so many more."""
    await _wave(place, text, 3 * at_once, at_once)
    before = sum(memory_mebibytes(pid) for pid in place.pids)
    await _wave(place, text, chats, at_once)
    return before, sum(memory_mebibytes(pid) for pid in place.pids)


async def _wave(place: Deployment, text: str, chats: int, at_once: int) -> None:
    async with session() as http:
        left = iter(range(chats))

        async def visitor() -> None:
            for number in left:
                talk = place.talk(http, number)
                await talk.create(text)
                await talk.close()

        await asyncio.gather(*(visitor() for _ in range(at_once)))
    # Closed episodes are kept for a while for those who come late.
    await asyncio.sleep(20)


async def stuck_subscriber(place: Deployment, streams: int) -> Stuck:
    """A paced answer in many chats, beside one with a flood, whose subscriber reads or does not: the best of each."""
    async with session() as http:
        talks = _talks(http, place, streams)
        await asyncio.gather(*(talk.create("[[say:1 tokens]]") for talk in talks))
        rounds = [
            await _beside_a_flood(place, http, talks, stuck=number % 2 == 1) for number in range(2 * STUCK_ROUNDS)
        ]
        await asyncio.gather(*(talk.close() for talk in talks))
    read, held = rounds[::2], rounds[1::2]
    return Stuck(
        min(seconds for seconds, _ in read),
        min(seconds for seconds, _ in held),
        min(cpu for _, cpu in read),
        min(cpu for _, cpu in held),
    )


async def _beside_a_flood(
    place: Deployment, http: aiohttp.ClientSession, talks: Sequence[LoadChat], *, stuck: bool
) -> tuple[float, float]:
    """Median seconds of the answers, and what the server spent until it was idle again."""
    flooded = place.talk(http, 0)
    await flooded.create("[[say:1 tokens]]")
    before = await settled(place)
    if stuck:
        await flooded.hang()
    await flooded.post(FLOOD)
    turns = await asyncio.gather(*(talk.send(PACED) for talk in talks))
    spent = await settled(place) - before
    await flooded.close()
    return median(turn.rested for turn in turns), spent


async def floor_turns(place: Deployment, simulator_url: str, text: str, *, chats: int, turns: int) -> Floor:
    """The same turns without a server: drained from the same simulator, committed to the same database."""
    before = place.burned()
    done = await measured(Task(simulator_url, text, chats, turns, place.database_url))
    burned = used(before, place.burned())
    return Floor(done.turns, done.seconds, {"floor": done.cpu, **{name: burned[name] for name in place.beside}})
