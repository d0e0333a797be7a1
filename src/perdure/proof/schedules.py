"""Thousands of schedules on replicas that die, by clocks that jump: each due time once, or noted as skipped."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Protocol

import aiohttp
import asyncpg

from perdure.core.timing import SCHEDULE_MISSED
from perdure.proof.evidence import sql
from perdure.proof.processes import Replica, started
from perdure.proof.scale.bars import quantile

HOUR = timedelta(hours=1)
BAR = timedelta(seconds=2)
BETWEEN_KILLS = 15.0
DOWN = 3.0
AT_ONCE = 16
PATIENCE = 600
MOST_OF_ONE = 1_000
_LOOK_AGAIN = 0.2
_SETTLED = timedelta(seconds=2)
"""After which every process has seen that its clock jumped."""
DATABASE = "database"
"""The machine that the database is on."""
# What happens when, as parts of the whole time: who jumps, and by how much.
_JUMPS = (
    (0.3, "everything", 1),
    (0.5, "replicas", 1),
    (0.55, "replicas", -1),
    (0.6, "everything", -1),
    (0.65, "everything", 1),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleReport:
    """What became of all due times."""

    schedules: int
    due: int
    """Due times that passed."""
    begun: int
    skipped: int
    kills: int
    jumps: int
    late: Sequence[float]
    """Seconds from each due time to its chat, of those that were not missed: on one clock, without a jump between."""
    faults: Sequence[str]

    @property
    def p99(self) -> float:
        return quantile(self.late, 0.99)

    @property
    def met(self) -> bool:
        return not self.faults and bool(self.late) and self.p99 < BAR.total_seconds()

    def table(self) -> str:
        rows = [
            ("schedules", f"{self.schedules}"),
            ("due times that passed", f"{self.due}"),
            ("begun", f"{self.begun}"),
            ("noted as skipped", f"{self.skipped}"),
            ("replicas killed", f"{self.kills}"),
            ("jumps of clocks", f"{self.jumps}"),
            ("late: p50", f"{quantile(self.late, 0.5):.2f} s"),
            ("late: p99", f"{self.p99:.2f} s of {len(self.late)} (bar: {BAR.total_seconds():.0f} s)"),
            ("lost, doubled or failed", f"{len(self.faults)}"),
        ]
        return "\n".join([*(f"{name:<24}{value}" for name, value in rows), *self.faults[:20]])


class Clocks(Protocol):
    """The clocks of several machines."""

    def environment(self, machine: str) -> Mapping[str, str]:
        """What a process of this machine is started with."""
        ...

    def jump(self, machine: str, hours: int) -> None: ...


class Run:
    """One run: schedules are made, clocks jump, replicas die, and what came of it is read."""

    def __init__(
        self, url: str, folder: Path, tokens: Sequence[str], clocks: Clocks, *, replicas: int, seed: int
    ) -> None:
        self._url = url
        self._folder = folder
        self._tokens = tokens
        self._clocks = clocks
        self._machines = [f"replica_{number}" for number in range(replicas)]
        self._replicas = dict[str, Replica]()
        self._dice = Random(seed)
        self._kills = 0
        self._landed = list[datetime]()
        """What the database's clock showed after each jump ahead."""

    async def measured(self, count: int, length: timedelta, shown: Callable[[str], None]) -> ScheduleReport:
        async with self._running():
            shown("making schedules")
            first = await self._made(count)
            shown("jumping and killing")
            await asyncio.gather(self._jumping(length), self._killing(length))
            shown("coming to rest")
            await self._at_rest()
        return await self._judged(first)

    @asynccontextmanager
    async def _running(self) -> AsyncGenerator[None]:
        try:
            await asyncio.gather(*(self._start(machine) for machine in self._machines))
            yield
        finally:
            await asyncio.gather(*(each.end() for each in self._replicas.values()))

    async def _start(self, machine: str) -> None:
        environment = self._clocks.environment(machine)
        self._replicas[machine] = await started(self._url, self._folder, name=machine, environment=environment)

    async def _made(self, count: int) -> dict[str, datetime]:
        """When each schedule is due first."""
        made, room = dict[str, datetime](), asyncio.Semaphore(AT_ONCE)
        urls = [replica.url for replica in self._replicas.values()]
        async with aiohttp.ClientSession() as http:

            async def make(number: int) -> None:
                token = self._tokens[number // MOST_OF_ONE]
                headers = {"authorization": f"Bearer {token}", "idempotency-key": f"schedule {number}"}
                async with room:
                    answer = await _posted(http, f"{urls[number % len(urls)]}/api/v1/schedules", _wish(number), headers)
                made[answer["id"]] = datetime.fromisoformat(answer["next_at"])

            await asyncio.gather(*(make(number) for number in range(count)))
        return made

    async def _jumping(self, length: timedelta) -> None:
        past, ahead = 0.0, 0
        for part, who, hours in _JUMPS:
            await asyncio.sleep((part - past) * length.total_seconds())
            past = part
            for machine in [*self._machines, *([DATABASE] if who == "everything" else [])]:
                self._clocks.jump(machine, hours)
            ahead += hours if who == "everything" else 0
            if who == "everything" and hours > 0:
                self._landed.append(datetime.now(UTC) + HOUR * ahead)
        await asyncio.sleep((1 - past) * length.total_seconds())

    async def _killing(self, length: timedelta) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + length.total_seconds()
        while loop.time() + BETWEEN_KILLS < end:
            await asyncio.sleep(BETWEEN_KILLS)
            machine = self._dice.choice(self._machines)
            await self._replicas[machine].end()
            self._kills += 1
            await asyncio.sleep(DOWN)
            await self._start(machine)

    async def _at_rest(self) -> None:
        """Until nothing is due that nobody has begun, and no chat works any more."""
        connection = await asyncpg.connect(self._url)
        try:
            async with asyncio.timeout(PATIENCE):
                while await connection.fetchval(sql("unscheduled")):  # noqa: ASYNC110
                    await asyncio.sleep(_LOOK_AGAIN)
        finally:
            await connection.close()

    async def _judged(self, first: Mapping[str, datetime]) -> ScheduleReport:
        connection = await asyncpg.connect(self._url)
        try:
            upcoming = {str(row["id"]): row["next_at"] for row in await connection.fetch(sql("scheduled"))}
            rows = await connection.fetch(sql("schedule_runs"))
            chats = await connection.fetchval(sql("scheduled_chats"))
        finally:
            await connection.close()
        noted, faults, late = {name: Counter[datetime]() for name in first}, list[str](), list[float]()
        begun = skipped = 0
        for row in rows:
            name, state = str(row["schedule_id"]), row["state"]
            times = [row["due_at"] + HOUR * place for place in range(row["times"])]
            noted[name].update(times)
            if times[-1] != row["last_due_at"]:
                faults.append(f"{name}: {row['times']} times from {row['due_at']} do not end at {row['last_due_at']}")
            if state == "skipped":
                skipped += len(times)
            elif state in ("begun", "finished"):
                begun += 1
                late += self._lateness(row["due_at"], row["begun_at"])
            else:
                faults.append(f"{name}: the run of {row['due_at']} is {state}: {row['detail']}")
        due = 0
        for name, moment in first.items():
            expected = _hours(moment, upcoming[name])
            due += len(expected)
            if noted[name] != Counter(expected):
                wrong = {
                    f"{each:%H:%M:%S}": (noted[name][each], expected.count(each)) for each in {*noted[name], *expected}
                }
                faults.append(f"{name}: noted and expected differ: {wrong}")
        distinct = {row["chat_id"] for row in rows if row["chat_id"] is not None}
        if not begun == len(distinct) == chats:
            faults.append(f"{begun} runs began {len(distinct)} chats, and there are {chats}")
        return ScheduleReport(
            schedules=len(first),
            due=due,
            begun=begun,
            skipped=skipped,
            kills=self._kills,
            jumps=len(_JUMPS),
            late=late,
            faults=faults,
        )

    def _lateness(self, due_at: datetime, begun_at: datetime) -> list[float]:
        """Seconds, unless it was missed or a jump of the clock is in between."""
        delay = begun_at - due_at
        jumped = any(due_at <= landed + _SETTLED and begun_at >= landed for landed in self._landed)
        return [delay.total_seconds()] if timedelta(0) <= delay < SCHEDULE_MISSED and not jumped else []


async def _posted(
    http: aiohttp.ClientSession, url: str, body: Mapping[str, Any], headers: Mapping[str, str]
) -> dict[str, Any]:
    """What was answered, once the server is not too busy."""
    async with asyncio.timeout(PATIENCE):
        while True:
            async with http.post(url, json=body, headers=headers) as said:
                answer: dict[str, Any] = await said.json()
                match said.status:
                    case 201:
                        return answer
                    case 503:
                        await asyncio.sleep(_LOOK_AGAIN)
                    case _:
                        raise RuntimeError(f"a schedule was refused: {answer}")


def _wish(number: int) -> dict[str, Any]:
    """Every hour, at a time of its own: half of them by cron lines, half by rules of a calendar."""
    minute, second = number * 7 % 60, number * 13 % 60
    rule = f"{minute} * * * *" if number % 2 else f"FREQ=HOURLY;BYMINUTE={minute};BYSECOND={second}"
    missed = {0: "once", 1: "all"}.get(number % 10, "skip")
    return {
        "name": f"Number {number}",
        "rule": rule,
        "prompt": "[[say:1 tokens]] go",
        "missed": missed,
        "overlap": "parallel" if number % 3 else "queue",
    }


def _hours(first: datetime, until: datetime) -> list[datetime]:
    return [first + HOUR * place for place in range(round((until - first) / HOUR))]
