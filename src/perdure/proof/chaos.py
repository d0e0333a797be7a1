"""The chaos test: people, a nemesis and a checker around a fleet of replicas."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random

import asyncpg

from perdure.proof.balancer import Balancer
from perdure.proof.checker import ALWAYS, HEALED, violations
from perdure.proof.cluster import FollowingBar, Moves, followings
from perdure.proof.evidence import Evidence, gathered
from perdure.proof.fleet import Fleet
from perdure.proof.ledger import Ledger, Performed
from perdure.proof.nemesis import Nemesis, plan
from perdure.proof.observations import Observations, Rule
from perdure.proof.run_log import RunLog, Violation
from perdure.proof.scale.bars import quantile
from perdure.proof.standstill import FAILOVER_BAR, Standstill, standstills
from perdure.proof.users import Users, together

LOOK_PERIOD = 1.0
_MOVED = timedelta(minutes=1)
"""How long a database may take to come back from the last thing that was done to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChaosSetup:
    """What a run stands on: a database with tokens in it, a simulator, and how to start a replica."""

    database_url: str
    simulator_url: str
    tokens: Sequence[str]
    replicas: Callable[[str], AbstractAsyncContextManager[Fleet]]
    """The replicas, given where the ledger is."""
    shake_postgres: Callable[[bool], Awaitable[None]]
    """Have Postgres gone and back, or elsewhere: in good order, or as a crash."""
    supervised: bool = False
    """Whether replicas are supervisors with several processes."""
    moves: Moves | None = None
    """Where the database has several servers: then it is moved, and not restarted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChaosReport:
    """How a run went."""

    seed: int
    seconds: float
    log: RunLog
    evidence: Evidence
    effects: tuple[Performed, ...]
    wrong: tuple[Violation, ...]
    failovers: tuple[Standstill, ...]
    rested_after: float | None
    following_bar: FollowingBar | None = None
    storm: timedelta = timedelta(0)
    timeline: tuple[str, ...] = field(default=())

    @property
    def met(self) -> bool:
        kept = not self.wrong and self.rested_after is not None and self.moved_enough and self.followed_soon
        return kept and self.failover(0.99) < FAILOVER_BAR.total_seconds()

    @property
    def followings(self) -> list[float]:
        """Seconds from when a new server took a write to the next commit, while people act."""
        acting = self.log.calm_since or self.evidence.taken
        moves = [each for each in self.evidence.switchovers if each.at < acting]
        found = followings(moves, self.evidence.changes, self.log.unserved)
        return [each.seconds for each in found if each.seconds is not None]

    @property
    def fewest_moves(self) -> int:
        bar = self.following_bar
        return 0 if bar is None else int(bar.moves_per_minute * self.storm / timedelta(minutes=1))

    @property
    def moved_enough(self) -> bool:
        return len(self.evidence.switchovers) >= self.fewest_moves

    @property
    def followed_soon(self) -> bool:
        bar = self.following_bar
        if bar is None or bar.longest is None:
            return True
        return quantile(self.followings, 0.99) < bar.longest.total_seconds()

    def failover(self, share: float) -> float:
        ordered = sorted(each.seconds for each in self.failovers)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


class Chaos:
    """One run."""

    def __init__(self, setup: ChaosSetup, *, replicas: int, length: timedelta, seed: int) -> None:
        self._setup = setup
        self._replicas = replicas
        self._length = length
        self._seed = seed
        self.log = RunLog()
        self._ledger = Ledger(Random(f"{seed} ledger"))
        self._users = Users(setup.tokens, seed=seed, log=self.log)

    async def run(self, progress: Callable[[str], None], *, stop_at: AbstractSet[int] = frozenset()) -> ChaosReport:
        """Break things for as long as was asked, or until one of the rules in `stop_at` is seen broken."""
        begun = time.monotonic()
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._ledger.running())
            progress(f"starting {self._replicas} replicas")
            replicas = await stack.enter_async_context(self._setup.replicas(self._ledger.url))
            balancer = await stack.enter_async_context(
                Balancer(replicas.urls, Random(f"{self._seed} balancer")).running()
            )
            nemesis = self._nemesis(replicas, balancer)
            await stack.enter_async_context(self._users.at(balancer.url))
            rested, rules = await self._played(nemesis, progress, stop_at)
            evidence = await gathered(self._setup.database_url, patience=_MOVED)
        return ChaosReport(
            seed=self._seed,
            seconds=time.monotonic() - begun,
            log=self.log,
            evidence=evidence,
            effects=tuple(self._ledger.performed),
            wrong=tuple(dict.fromkeys((*self.log.wrong, *violations(self._case(evidence), rules)))),
            failovers=standstills(self.log, self._users.transcripts, evidence.changes),
            rested_after=rested,
            following_bar=self._setup.moves.bar if self._setup.moves else None,
            storm=self._length,
        )

    def _nemesis(self, replicas: Fleet, balancer: Balancer) -> Nemesis:
        return Nemesis(
            fleet=replicas,
            balancer=balancer,
            database_url=self._setup.database_url,
            simulator_url=self._setup.simulator_url,
            log=self.log,
            seed=self._seed,
            shake_postgres=self._setup.shake_postgres,
            users=self._users,
            under_way=self._ledger.under_way,
        )

    async def _played(
        self, nemesis: Nemesis, progress: Callable[[str], None], stop_at: AbstractSet[int]
    ) -> tuple[float | None, Sequence[Rule]]:
        """The storm and, unless that is cut short, the calm: seconds until all was at rest, and what must hold."""
        found = await self._storm(nemesis, progress, stop_at)
        self.log.calm_since = time.time()
        if self._setup.moves is not None:
            await self._setup.moves.settled()
        if found:
            return None, ALWAYS
        progress("healing")
        await nemesis.heal()
        rested = await self._users.rest(self._evidence)
        progress("checking")
        await self._users.caught_up(await self._evidence())
        return rested, HEALED

    async def _storm(self, nemesis: Nemesis, progress: Callable[[str], None], stop_at: AbstractSet[int]) -> bool:
        """People act and things break, for as long as was asked, or until something is found: whether it was."""
        until = time.monotonic() + self._length.total_seconds()
        setup = self._setup
        strikes = plan(
            self._seed, self._replicas, self._length, moving=setup.moves is not None, supervised=setup.supervised
        )
        async with self._users.acting(), together([nemesis.run(strikes)]):
            while (left := until - time.monotonic()) > 0:
                await asyncio.sleep(min(LOOK_PERIOD, left))
                if not any(member.up and not member.paused for member in nemesis.fleet.members):
                    self.log.unserved.append(time.time())
                progress(f"{left:.0f} s left, {len(self.log.operations)} operations, {len(self.log.faults)} faults")
                if stop_at and await self._found(stop_at):
                    return True
        return False

    async def _found(self, rules: AbstractSet[int]) -> bool:
        try:
            run = self._case(await self._evidence())
        except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError):
            return False
        self.log.wrong += violations(run, ALWAYS)
        return any(wrong.rule in rules for wrong in self.log.wrong)

    async def _evidence(self) -> Evidence:
        return await gathered(self._setup.database_url)

    def _case(self, evidence: Evidence) -> Observations:
        moves = self._setup.moves
        late, strays = (timedelta(0), ()) if moves is None else (moves.bar.late, moves.strays)
        return Observations(self.log, evidence, self._ledger.performed, self._users.transcripts, late, strays)
