"""The connections that the server works with, set up for many small statements that must be durable."""

import asyncio
import logging
import weakref
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Any, TypeAlias

import asyncpg
from asyncpg import Record

from perdure.core.timing import CONNECT_PATIENCE, HOST_PATIENCE
from perdure.observe.measures.service import DatabaseMeasures
from perdure.store.connection import Connection, connect
from perdure.store.connections import Connections
from perdure.store.hosts import Hosts, ServerConnection
from perdure.store.primaries import Server, server_of

_log = logging.getLogger(__name__)

# Every statement is known and finds its rows by an index: planning it once is enough, and a sequential scan that the
# planner prefers while a table is small would stay in the plan when it is large.
DEFAULTS = {
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "jit": "off",
    "synchronous_commit": "on",
}

_KNOWN = """
SELECT unnest(setconfig) FROM pg_db_role_setting
WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND setrole = (SELECT oid FROM pg_roles WHERE rolname = current_user)
"""

# What the URL itself asks for is no sign of an old session.
_OLDER = """
SELECT EXISTS (
    SELECT FROM pg_settings s JOIN unnest($1::text[], $2::text[]) AS d (name, value) USING (name)
    WHERE s.setting <> d.value AND s.source NOT IN ('client', 'session')
)
"""

# Our own comes last: nothing is asked of it afterwards.
_END_OLDER = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE usename = current_user AND datname = current_database() AND backend_start < now()
ORDER BY pid = pg_backend_pid()
"""
_ENDED = (asyncpg.AdminShutdownError, asyncpg.PostgresConnectionError, asyncpg.InterfaceError, OSError)

_Connection: TypeAlias = "asyncpg.Connection[Record]"


async def has_defaults(connection: _Connection) -> bool:
    """Whether a session that was just opened has the defaults, or cannot have them. If not, another one will."""
    known = {row[0] for row in await connection.fetch(_KNOWN)}
    missing = [name for name, value in DEFAULTS.items() if f"{name}={value}" not in known]
    if missing:
        return not await _set(connection, missing)
    if not await connection.fetchval(_OLDER, list(DEFAULTS), list(DEFAULTS.values())):
        return True
    # It began before the defaults were set: a pooler keeps sessions, and hands them out for an hour.
    with suppress(*_ENDED):
        await connection.execute(_END_OLDER)
    return False


async def _set(connection: _Connection, missing: list[str]) -> bool:
    """Set defaults for the sessions that are opened from now on. Whether we may."""
    role, database = await _row(connection, "SELECT quote_ident(current_user), quote_ident(current_database())")
    try:
        for name in missing:
            await connection.execute(f"ALTER ROLE {role} IN DATABASE {database} SET {name} = {DEFAULTS[name]}")
    except (asyncpg.InsufficientPrivilegeError, asyncpg.ReadOnlySQLTransactionError) as error:
        _log.warning("the planner keeps its own defaults, so statements may be slower: %s", error)
        return False
    return True


async def _row(connection: _Connection, sql: str) -> Record:
    row = await connection.fetchrow(sql)
    assert row is not None
    return row


Pool: TypeAlias = "RenewingPool"

# One sets the defaults, one finds that a pooler kept an older session, one is new; and one more.
_LOOKS = 4
# How long a statement may wait for a connection.
PATIENCE = 30


class RenewingPool(asyncpg.Pool):
    """A pool that replaces all its connections when one of them finds that its server takes no writes.

    Those of the same age lead to the same server. Single statements share connections that are kept at hand, in the
    order in which they were asked for.
    """

    def __init__(self, url: str, *, size: int, name: str, prepare: bool = True) -> None:
        super().__init__(
            # A floor is kept up by a task of the driver's own, which logs a traceback for each time that it cannot be.
            min_size=0,
            init_size=min(2, size),
            max_size=size,
            max_queries=50_000,
            max_inactive_connection_lifetime=300,
            connect=self._connect_one,
            reset=_leave_as_it_is,
            loop=None,
            connection_class=ServerConnection,
            record_class=Record,
            server_settings={"application_name": name},
            statement_cache_size=500 if prepare else 0,
        )
        self._hosts = Hosts(url)
        self._waiting = dict[object, float]()
        self._followers = list[Callable[[], None]]()
        self._opened = weakref.WeakSet[ServerConnection]()
        self.refused: str | None = None
        """Why no connection is to be used, where two servers take writes."""
        self._line: int | None = None
        """The timeline of the server that was met last; 0 for one that follows another."""
        self._on_moved = list[Callable[[], None]]()
        self.renewals = 0
        """How often all connections were replaced. One that is older than the last time is not used again."""
        self.at_hand = Connections(self, size=size, timeout=PATIENCE)

    @property
    def longest_wait(self) -> float | None:
        """Since when, on the loop's clock, somebody waits for a connection."""
        return next(iter(self._waiting.values()), None)

    async def _acquire(self, timeout: float | None) -> Any:
        """What everybody goes through who takes a connection."""
        waiter = object()
        self._waiting[waiter] = asyncio.get_running_loop().time()
        if not self.get_idle_size() and self.get_size() == self.get_max_size():
            self.at_hand.make_room()
        try:
            return await self.lend(timeout)
        finally:
            del self._waiting[waiter]

    async def lend(self, timeout: float | None) -> Any:
        """A connection for those that are kept at hand: nobody hurries for it."""
        return await super()._acquire(timeout)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]

    async def close(self) -> None:
        self.at_hand.close()
        await super().close()

    # What the driver's pool does with a connection of its own for each.

    async def fetchrow(self, query: str, *args: object, timeout: float | None = None, **_: Any) -> Any:
        return await self.at_hand.ask("fetchrow", query, args, timeout)

    async def fetch(self, query: str, *args: object, timeout: float | None = None, **_: Any) -> Any:
        return await self.at_hand.ask("fetch", query, args, timeout)

    async def execute(self, query: str, *args: object, timeout: float | None = None) -> str:
        return await self.at_hand.ask("execute", query, args, timeout)

    def when_renewed(self, follower: Callable[[], None]) -> None:
        """Tell whoever keeps connections at hand to give them back."""
        self._followers.append(follower)

    def when_moved(self, follower: Callable[[], None]) -> Callable[[], None]:
        """Tell somebody, before anything is asked of it, that another server answers: it may have lost commits."""
        self._on_moved.append(follower)
        return lambda: self._on_moved.remove(follower)

    def renew(self, *, ending: bool = False) -> None:
        """Use no connection of now again; and break those in use, where nothing comes of waiting for them."""
        self.renewals += 1
        # What `expire_connections` does: a coroutine that awaits nothing, and could only run later.
        self._generation: int = self._generation + 1
        for follower in self._followers:
            follower()
        if ending:
            for connection in tuple(self._opened):
                connection.break_off()

    async def _connect_one(self, *_: Any, **options: Any) -> ServerConnection:
        if self.refused is not None:
            raise ConnectionError(self.refused)
        age = self.renewals
        connection = await self._hosts.connect(**options)
        try:
            self._met(await server_of(connection, timeout=HOST_PATIENCE.total_seconds()))
        except BaseException:
            connection.terminate()
            raise
        connection.age = age
        connection.when_read_only = self._found_read_only
        self._opened.add(connection)
        return connection

    def _met(self, server: Server) -> None:
        before, self._line = self._line, server.timeline
        if before not in (None, server.timeline):
            for follower in tuple(self._on_moved):
                follower()

    def _found_read_only(self, connection: ServerConnection) -> None:
        if connection.age == self.renewals:
            self.renew()


@asynccontextmanager
async def open_pool(
    url: str, *, size: int = 10, name: str = "perdure", patience: timedelta = CONNECT_PATIENCE, prepare: bool = True
) -> AsyncGenerator[RenewingPool]:
    """A pool of connections, once the server is there and new enough."""
    await _have_defaults(url, patience)
    async with RenewingPool(url, size=size, name=name, prepare=prepare) as pool:
        yield pool


async def _have_defaults(url: str, patience: timedelta) -> None:
    """See to it that the sessions of the pool begin with our defaults."""
    for _ in range(_LOOKS):
        probe = await connect(url, patience=patience, writable=True)
        try:
            if await has_defaults(probe):
                return
        finally:
            probe.terminate()
    _log.warning("a pooler keeps sessions without our defaults, so statements may be slower")


def renew(pool: Pool, *, ending: bool = False) -> None:
    """Replace all connections of a pool; and break those that are in use, if nothing comes of waiting for them."""
    pool.renew(ending=ending)


def when_moved(pool: Pool, follower: Callable[[], None]) -> Callable[[], None]:
    """Tell somebody whenever another server of the database answers than before. Call the result to stop."""
    return pool.when_moved(follower)


def refuse(pool: Pool, why: str | None) -> None:
    """Use no connection of a pool until the reason is gone."""
    if pool.refused != why:
        pool.refused = why
        pool.renew(ending=why is not None)


def measure(pool: Pool, measures: DatabaseMeasures) -> None:
    """Show how many connections there are."""
    measures.limit.read = pool.get_max_size
    measures.connections.read = lambda: {
        "idle": pool.get_idle_size(),
        "used": pool.get_size() - pool.get_idle_size(),
    }


async def _leave_as_it_is(connection: Connection) -> None:
    """Nobody changes the session, and an open transaction is rolled back without being asked."""
