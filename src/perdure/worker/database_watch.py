"""Whether the database can be written to, and whether everything of this replica talks to the same server."""

import asyncio
import logging

from perdure.core.errors import DatabaseFault, Misconfigured, Unavailable
from perdure.core.tasks import every
from perdure.core.timing import HANGING, HOSTS_PERIOD, SERVER_PATIENCE, SERVER_PERIOD, SERVER_RETRY, Clock
from perdure.store.away import AWAY, reason
from perdure.store.connection import connect
from perdure.store.hosts import ServerConnection
from perdure.store.losses import Losses
from perdure.store.pool import Pool, refuse, renew
from perdure.store.primaries import Outdated, Server, outdated, server_of, split_now
from perdure.worker.lease import Lease

_log = logging.getLogger(__name__)


class DatabaseWatch:
    """Asks twice a second, or more often while something is wrong, on a connection as old as those of the pool.

    When the database moves, the lease may find the new server while the pool stays with the old one: then the replica
    keeps its chats and can do nothing about them. So either the pool is renewed, or the lease is not.
    """

    def __init__(self, url: str, pool: Pool, lease: Lease, clock: Clock, losses: Losses) -> None:
        self._url = url
        self._pool = pool
        self._lease = lease
        self._clock = clock
        self._losses = losses
        self._split: str | None = None
        self._connection: ServerConnection | None = None
        self.obstacle: str | None = None
        """Why writes cannot succeed at the moment."""

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(every(HOSTS_PERIOD, self.compare_hosts, self._clock))
            try:
                while True:
                    await self.once()
                    period = SERVER_PERIOD if self.obstacle is None else SERVER_RETRY
                    await self._clock.sleep(period.total_seconds())
            finally:
                self._drop()

    async def once(self) -> None:
        """One look, and what follows from it."""
        try:
            server = await self._seen()
        except (*AWAY, Misconfigured) as error:
            self._drop()
            self._tell(str(error) if isinstance(error, Misconfigured) else reason(error))
            return
        judged = self._judge(server)
        self._tell(self._split or judged)
        if self.obstacle is None:
            await self._look_for_losses(server)

    async def _seen(self) -> Server:
        """The server at the end of our connection, or of a new one where that is broken."""
        if self._connection is None or self._connection.is_closed():
            return await self._found_again()
        asking = asyncio.ensure_future(server_of(self._connection, timeout=HANGING.total_seconds()))
        asking.add_done_callback(_ended)
        try:
            await asyncio.wait({asking}, timeout=SERVER_PATIENCE.total_seconds())
            if not asking.done():
                return await self._beside(asking)
            return asking.result()
        except AWAY:
            return await self._found_again()
        finally:
            asking.cancel()

    async def _beside(self, asking: "asyncio.Future[Server]") -> Server:
        """What a new connection says while ours is silent. A server that is only slow answers both."""
        new = await self._opened()
        try:
            server = await server_of(new, timeout=SERVER_PATIENCE.total_seconds())
        except AWAY:
            new.terminate()
            raise
        if not asking.done():
            # Ours leads nowhere: so do those of the same age.
            renew(self._pool, ending=True)
        self._drop()
        self._connection = new
        return server

    async def _found_again(self) -> Server:
        self._drop()
        self._connection = await self._opened()
        return await server_of(self._connection, timeout=SERVER_PATIENCE.total_seconds())

    async def _opened(self) -> ServerConnection:
        return await asyncio.wait_for(connect(self._url), HANGING.total_seconds())

    def _judge(self, server: Server) -> str | None:
        stale = outdated(server, self._lease.server)
        if stale is None:
            return None
        if stale is Outdated.LEASE:
            self._lease.reconnect()
            return "the lease is renewed at a server that takes no writes, or that was replaced"
        self._drop()
        if server.writable:
            renew(self._pool, ending=True)
            return "its connections lead to another server than the lease's"
        # It can still be read. Whoever tries to write has the pool renewed again.
        return "it takes no writes: it is being switched over, or it is a standby"

    async def compare_hosts(self) -> None:
        """See whether two of the hosts take writes: then none is used until one of them is stopped."""
        found = await split_now(self._url)
        # While the database moves, a look may meet the old server before and the new one after it.
        self._split = found and await split_now(self._url)
        refuse(self._pool, self._split)

    async def _look_for_losses(self, server: Server) -> None:
        try:
            # Whether the database can be used is asked every second, whatever else there is to do.
            async with asyncio.timeout(SERVER_PATIENCE.total_seconds()):
                await self._losses.look(server.timeline)
                await self._losses.said_again(server.timeline, self._lease.id)
        except (Unavailable, DatabaseFault, TimeoutError) as error:
            _log.warning("what a failover may have lost is looked for again: %s", str(error) or type(error).__name__)

    def _tell(self, obstacle: str | None) -> None:
        if obstacle != self.obstacle:
            if obstacle is None:
                _log.warning("the database takes writes again")
            else:
                _log.warning("the database cannot be used: %s", obstacle)
            # What was opened before may lead to another server than what is opened now.
            renew(self._pool)
        self.obstacle = obstacle
        self._lease.hinder(hindered=obstacle is not None)

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.terminate()


def _ended(asking: "asyncio.Future[Server]") -> None:
    """Nobody may wait for it any more."""
    if not asking.cancelled():
        asking.exception()
