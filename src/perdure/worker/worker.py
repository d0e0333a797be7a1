"""The service that drives chats: lease, sweep and runners together."""

import asyncio
import logging
from collections.abc import Callable

from perdure.core.errors import DatabaseFault, Unavailable
from perdure.core.tasks import BackgroundTasks
from perdure.core.timing import LOOP_TICK
from perdure.machine.announcer import Announcer
from perdure.observe.measures.service import ReplicaMeasures
from perdure.observe.upkeep import kept_up
from perdure.store.pool import Pool, when_moved
from perdure.store.pubsub import Pubsub
from perdure.store.replicas import Renewal
from perdure.worker.acquirer import Acquirer
from perdure.worker.capacity import Capacity
from perdure.worker.draining import Limits
from perdure.worker.lease import Lease
from perdure.worker.runners import Runners
from perdure.worker.services import RunnerServices

_log = logging.getLogger(__name__)


class Worker:
    """Drives chats until it is told to drain."""

    def __init__(
        self,
        services: RunnerServices,
        lease: Lease,
        pool: Pool,
        announcer: Announcer,
        pubsub: Pubsub,
        *,
        capacity: Capacity | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.runners = Runners(services, lease, capacity or Capacity(), limits or Limits())
        self.acquirer = Acquirer(pool, services, self.runners, lease)
        self._services = services
        self._lease = lease
        self._pool = pool
        self._announcer = announcer
        self._pubsub = pubsub
        self._moving = BackgroundTasks(_log)
        self.loop_lag = 0.0
        """How late the event loop came back when it was last looked at, in seconds."""
        self._read(services.measures.replica)

    def _read(self, measures: ReplicaMeasures) -> None:
        """Where the numbers are that somebody keeps anyway."""
        runners, lease = self.runners, self._lease
        measures.running.read = lambda: len(runners)
        measures.capacity.read = lambda: runners.capacity
        measures.waiting.read = lambda: self.acquirer.waiting
        measures.load.read = self._load
        measures.lease.read = lambda: not lease.lost
        measures.alive.read = lambda: lease.alive
        measures.renewals.read = lambda: lease.renewals
        measures.loop_lag.read = lambda: self.loop_lag

    def _load(self) -> float:
        """Its mean over replicas is what all of them are asked for, for each chat that they may drive."""
        if not self.runners.capacity:
            return 0.0
        return len(self.runners) / self.runners.capacity + self.acquirer.waiting / max(1, self._lease.capacity)

    async def run(self) -> None:
        """Take and drive chats until cancelled."""
        self._lease.when_renewed(self.renewed, self._moved)
        stops: list[Callable[[], None]] = [
            self._announcer.follow(self.runners.committed),
            self._pubsub.listen(self.runners.heard),
            self._pubsub.listen(self.acquirer.heard),
            when_moved(self._pool, self._database_moved),
        ]
        try:
            async with asyncio.TaskGroup() as group:
                for service in (
                    self._ticking,
                    self._services.segments.run,
                    self._services.budgets.run,
                    self._services.journal_cleanup.run,
                    self.acquirer.run,
                ):
                    group.create_task(kept_up(service, self._services.clock))
        finally:
            for stop in stops:
                stop()

    def _database_moved(self) -> None:
        self._services.histories.clear()
        self.runners.database_moved()

    async def drain(self) -> None:
        """Hand everything over, then give the lease back."""
        await self.runners.drain()
        await self._services.machine.settled()
        await self._settle()
        await self._lease.stop()

    async def _settle(self) -> None:
        try:
            await self._services.budgets.flush(everything=True)
        except (Unavailable, DatabaseFault) as error:
            _log.warning("what was spent last is not counted: %s", error)

    async def _ticking(self) -> None:
        period, clock = LOOP_TICK.total_seconds(), self._services.clock
        while True:
            self._lease.tick()
            self._services.histories.tidy()
            since = clock.monotonic()
            await clock.sleep(period)
            self.loop_lag = max(0.0, clock.monotonic() - since - period)

    def renewed(self, renewal: Renewal, asked: float) -> None:
        """Follow what the database said, when it was asked then, about this replica and the others."""
        self._pubsub.count(renewal.alive)
        self.acquirer.expect(renewal.ends)
        self.runners.renewed(renewal, asked)

    def _moved(self) -> None:
        self._moving.cancel()
        self._moving.start(self.runners.reacquire(), "taking chats again under a new id")
