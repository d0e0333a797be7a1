"""What goes wrong, when and where: a plan drawn from a seed, and the hand that carries it out."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from uuid import UUID

import aiohttp
import asyncpg
import msgspec

from perdure.core.timing import LEASE
from perdure.proof.balancer import Balancer
from perdure.proof.cluster import FAIL_OVER, SWITCH_OVER
from perdure.proof.evidence import sql
from perdure.proof.fleet import Fleet, Member
from perdure.proof.proxy import Fate
from perdure.proof.run_log import ASLEEP, QUIET, RunLog
from perdure.proof.stalls import Stalls
from perdure.proof.users import Users
from perdure.sim.faults import RandomFaults

WATCHED = "kill and watch"
CHOOSING = (WATCHED, "kill in a call", "sleep", "stall")
"""Strikes that hit whoever is busiest, or busy with a call, or many connections one by one."""
STORM = RandomFaults(
    faults={
        "overloaded": 0.03,
        "server_error": 0.03,
        "rate_limit": 0.02,
        "cut": 0.04,
        "silence": 0.02,
        "malformed": 0.02,
        "no_terminal": 0.02,
        "stream_overloaded": 0.02,
        "slow": 0.03,
    }
)
CALM = RandomFaults()
TAKEN_LOOK, TAKING = 0.1, 0.4
"""How often it is looked whether chats were taken over; what is left of them then follows within a second."""
SETTLED = LEASE + timedelta(seconds=1)
"""A replica that missed a renewal takes nothing over for one lease: what is watched begins after that."""
FATES = (Fate.LOSE_REQUEST, Fate.LOSE_ANSWER, Fate.RACE)
CHANNEL = "perdure"
CALL_LOOKS = 200
STALLING = 12.0
CALL_LEFT = 0.5
"""Seconds that a call must still take, so that a kill meets it."""


@dataclass(frozen=True, slots=True)
class Strike:
    """One thing that goes wrong."""

    kind: str
    member: int
    pause: float
    """Seconds before it."""


WEIGHTS = {
    "kill": 2,
    "kill in a call": 3,
    "kill and watch": 2,
    "sleep": 4,
    "terminate": 3,
    "cut database": 3,
    "lose commits": 4,
    "stall": 3,
    "restart postgres": 1,
    "crash postgres": 1,
    "deafen": 2,
    "double notices": 2,
    "cut clients": 3,
}
OPENING = (
    "stall",
    "sleep",
    "kill in a call",
    "kill and watch",
    "stall",
    "lose commits",
    "cut clients",
    "terminate",
    "kill in a call",
    "sleep",
    "stall",
    "kill and watch",
    "kill",
    "crash postgres",
    "deafen",
    "cut database",
    "double notices",
    "restart postgres",
)
"""Every kind happens early in every run."""


MOVED = {"restart postgres": SWITCH_OVER, "crash postgres": FAIL_OVER}
MOVING_WEIGHTS = {**{kind: WEIGHTS[kind] for kind in WEIGHTS if kind not in MOVED}, SWITCH_OVER: 11, FAIL_OVER: 8}
MOVING_OPENING = tuple(
    MOVED.get(kind, kind)
    for place in range(0, len(OPENING), 4)
    for kind in (FAIL_OVER if place % 8 else SWITCH_OVER, *OPENING[place : place + 4])
)
"""What becomes of the plan where the database has a server to move to: it moves from the first minute on."""


KILL_ONE = "kill a process"
KILL_ONE_WEIGHT = 6
"""Where replicas are supervisors with several processes."""


def plan(
    seed: int, replicas: int, length: timedelta, *, moving: bool = False, supervised: bool = False
) -> list[Strike]:
    """What will happen: the same for the same seed."""
    dice = Random(f"{seed} nemesis")
    opening, weights = (MOVING_OPENING, MOVING_WEIGHTS) if moving else (OPENING, WEIGHTS)
    if supervised:
        opening, weights = (KILL_ONE, *opening), {**weights, KILL_ONE: KILL_ONE_WEIGHT}
    more = dice.choices(list(weights), list(weights.values()), k=int(length.total_seconds()))
    return [Strike(kind, dice.randrange(replicas), dice.uniform(0.3, 2.5)) for kind in (*opening, *more)]


@dataclass(slots=True)
class Nemesis:
    """Carries the plan out, one strike after the other."""

    fleet: Fleet
    balancer: Balancer
    database_url: str
    simulator_url: str
    log: RunLog
    seed: int
    shake_postgres: Callable[[bool], Awaitable[None]]
    """Have Postgres gone and back, or elsewhere: in good order, or as a crash."""
    users: Users
    under_way: Mapping[str, float]
    """The calls whose effects are being performed, and until when, which the ledger keeps up to date."""
    _striking: set["asyncio.Task[None]"] = field(default_factory=set["asyncio.Task[None]"])

    async def run(self, strikes: Sequence[Strike]) -> None:
        """Strike after strike, each in its own time; those that are watched have the stage to themselves."""
        await self.set_model_faults(STORM)
        try:
            for strike in strikes:
                await asyncio.sleep(strike.pause)
                if strike.kind == WATCHED:
                    await self._all_over()
                    await asyncio.sleep(SETTLED.total_seconds())
                    await self._strike(strike)
                else:
                    self._striking.add(asyncio.create_task(self._strike(strike)))
        finally:
            for task in self._striking:
                task.cancel()
            await asyncio.gather(*self._striking, return_exceptions=True)

    async def _all_over(self) -> None:
        for task in tuple(self._striking):
            await task
        self._striking.clear()

    async def heal(self) -> None:
        """Nothing goes wrong any more."""
        await self.set_model_faults(CALM)
        for member in self.fleet.members:
            member.proxy.decide = lambda _: Fate.CARRY
            member.proxy.stall = lambda _: None
        await self.fleet.heal()

    async def set_model_faults(self, faults: RandomFaults) -> None:
        told = msgspec.json.encode(msgspec.structs.replace(faults, seed=self.seed))
        async with (
            aiohttp.ClientSession() as http,
            http.put(f"{self.simulator_url}/sim/random-faults", data=told) as answer,
        ):
            answer.raise_for_status()

    async def _strike(self, strike: Strike) -> None:
        member = self.fleet.members[strike.member]
        target = "" if strike.kind.endswith(("postgres", "notices", "clients")) else member.name
        if strike.kind not in CHOOSING:
            self.log.struck(strike.kind, target)
        hands: dict[str, Callable[[], Awaitable[None]]] = {
            "kill": lambda: self._kill(member),
            KILL_ONE: lambda: self._kill_one(member),
            "kill in a call": self._kill_in_a_call,
            "kill and watch": self._kill_and_watch,
            "sleep": self._sleep,
            "terminate": lambda: self._terminate(member),
            "cut database": lambda: self._cut_database(member),
            "lose commits": lambda: self._lose_commits(member),
            "stall": self._stall,
            "restart postgres": lambda: self.shake_postgres(False),
            "crash postgres": lambda: self.shake_postgres(True),
            SWITCH_OVER: lambda: self.shake_postgres(False),
            FAIL_OVER: lambda: self.shake_postgres(True),
            "deafen": lambda: self._deafen(member),
            "double notices": self._double_notices,
            "cut clients": self._cut_clients,
        }
        # A strike that needs the database may meet it while another has it restarted.
        with suppress(asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError):
            await hands[strike.kind]()

    async def _cut_database(self, member: Member) -> None:
        member.proxy.cut()

    async def _cut_clients(self) -> None:
        self.balancer.cut(0.5)

    async def _kill(self, member: Member) -> None:
        async with member.lock:
            await member.kill()
            await asyncio.sleep(1)
            await member.back()

    async def _kill_one(self, member: Member) -> None:
        if not member.lock.locked():
            member.kill_one(Random(f"{self.seed} {member.name} {len(self.log.faults)}"))

    async def _kill_in_a_call(self) -> None:
        """Kill whoever drives a chat while one of its calls has its effect. Its owner waits and sees."""
        for _ in range(CALL_LOOKS):
            long = [call for call, until in self.under_way.items() if until - time.monotonic() > CALL_LEFT]
            for chat_id in {UUID(call.partition("/")[0]) for call in long}:
                member = await self._driver(chat_id)
                if member is not None and member.up and not member.paused and not member.lock.locked():
                    self.log.struck("kill", member.name)
                    self.users.spare(chat_id, QUIET.total_seconds())
                    await self._kill(member)
                    return
            await asyncio.sleep(0.05)

    async def _terminate(self, member: Member) -> None:
        async with member.lock:
            await member.leave()
            await member.back()

    async def _kill_and_watch(self) -> None:
        """Kill whoever drives most, stop half of its chats at once, and leave everything else alone."""
        await self.set_model_faults(CALM)
        driven, member = await self._busiest()
        async with member.lock:
            self.log.struck("kill", member.name)
            at = time.time()
            await member.kill()
            self.log.watched += [(chat_id, at) for chat_id in driven]
            await asyncio.gather(*(self.users.stop(chat_id) for chat_id in driven[::2]))
            await asyncio.sleep(QUIET.total_seconds())
            await member.back()
        await self.set_model_faults(STORM)

    async def _sleep(self) -> None:
        """Stop the busiest process past its lease. It wakes up when others drive its chats, and knows nothing of it.

        The owners of half of these chats wait and see.
        """
        driven, member = await self._busiest()
        async with member.lock:
            self.log.struck("sleep", member.name)
            for chat_id in driven[::2]:
                self.users.spare(chat_id, QUIET.total_seconds())
            member.pause()
            await asyncio.sleep(LEASE.total_seconds())
            await self._taken(driven, member)
            await asyncio.sleep(TAKING)
            member.resume()

    async def _taken(self, chats: Sequence[UUID], sleeper: Member) -> None:
        """Wait until somebody else drives one of these chats, for as long as a sleep lasts at most."""
        for _ in range(int((ASLEEP - LEASE).total_seconds() / TAKEN_LOOK)):
            await asyncio.sleep(TAKEN_LOOK)
            with suppress(asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError):
                others = [await self._driven_by(member) for member in self.fleet.members if member is not sleeper]
                if any(chat_id in driven for chat_id in chats for driven in others):
                    return

    async def _lose_commits(self, member: Member) -> None:
        dice = Random(f"{self.seed} {member.name} {len(self.log.faults)}")
        member.proxy.decide = lambda commit: dice.choice(FATES) if commit and dice.random() < 0.3 else Fate.CARRY
        await asyncio.sleep(2)
        member.proxy.decide = lambda _: Fate.CARRY

    async def _stall(self) -> None:
        """For a while, connections of every replica stand still at commits, and people stop and edit meanwhile."""
        seed = f"{self.seed} stalls {len(self.log.faults)}"
        stalls = [
            Stalls(self.fleet, member, self.users, self.simulator_url, log=self.log, seed=seed)
            for member in self.fleet.members
        ]
        await self.users.begun()
        await asyncio.gather(*(each.run(STALLING) for each in stalls))

    async def _deafen(self, member: Member) -> None:
        member.proxy.deaf = True
        await asyncio.sleep(3)
        member.proxy.deaf = False

    async def _double_notices(self) -> None:
        """Say again what was said, in another order."""
        heard: list[str] = []

        def hear(_connection: object, _pid: object, _channel: object, payload: object) -> None:
            heard.append(str(payload))

        connection = await asyncpg.connect(self.database_url)
        try:
            await connection.add_listener(CHANNEL, hear)
            await asyncio.sleep(2)
            for payload in reversed(heard):
                await connection.execute(sql("notify"), CHANNEL, payload)
        except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError):
            return
        finally:
            connection.terminate()

    async def _busiest(self) -> tuple[list[UUID], Member]:
        """Who drives most, and what."""
        counted = [(await self._driven_by(member), member) for member in self.fleet.members]
        return max(counted, key=lambda each: len(each[0]))

    async def _driver(self, chat_id: UUID) -> Member | None:
        connection = await asyncpg.connect(self.database_url)
        try:
            name = await connection.fetchval(sql("driver"), chat_id)
        finally:
            await connection.close()
        return next((member for member in self.fleet.members if member.name == name), None)

    async def _driven_by(self, member: Member) -> list[UUID]:
        connection = await asyncpg.connect(self.database_url)
        try:
            return [row["id"] for row in await connection.fetch(sql("driven"), member.name)]
        finally:
            await connection.close()
