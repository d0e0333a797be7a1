"""The hosts of a database: which of them takes writes is found again for every connection."""

import asyncio
from collections.abc import Callable
from typing import Any

import asyncpg

from perdure.core.timing import HOST_PATIENCE, NEXT_HOST_AFTER
from perdure.store.address import hosts
from perdure.store.away import AWAY, GONE, NO_WRITES


class ServerConnection(asyncpg.Connection):
    """Says so when its server takes no writes: whoever keeps it can look for the one that does.

    It closes itself when its server says goodbye, so that nobody is given it again before the network says so too.
    """

    __slots__ = ("age", "when_read_only")
    age: int
    when_read_only: "Callable[[ServerConnection], None]"

    @property
    def read_only(self) -> bool:
        """Whether the server said, of itself, that it takes no writes. A pooler may not pass that on."""
        settings = self.get_settings()
        said = (getattr(settings, name, "off") for name in ("in_hot_standby", "default_transaction_read_only"))
        return "on" in said

    def break_off(self) -> None:
        """End it under whoever uses it, who hears that it was lost.

        `terminate` would leave the driver without what it is in the middle of using.
        """
        transport: asyncio.Transport | None = getattr(self, "_transport", None)
        if transport is not None:
            transport.abort()

    def _heed(self, error: Exception) -> None:
        if isinstance(error, NO_WRITES):
            self.when_read_only(self)
        elif isinstance(error, GONE):
            self.terminate()

    # Everything but a statement without values goes through these two, which the driver's types do not name.

    async def _execute(self, *args: Any, **options: Any) -> Any:
        try:
            return await super()._execute(*args, **options)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        except AWAY as error:
            self._heed(error)
            raise

    async def _executemany(self, *args: Any, **options: Any) -> Any:
        try:
            return await super()._executemany(*args, **options)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        except AWAY as error:
            self._heed(error)
            raise

    async def execute(self, query: str, *args: object, timeout: float | None = None) -> str:
        try:
            return await super().execute(query, *args, timeout=timeout)
        except AWAY as error:
            self._heed(error)
            raise


class Hosts:
    """Connects to the host that takes writes; where none does, to one that can be read."""

    def __init__(self, url: str) -> None:
        self._hosts = list(hosts(url))
        self._late: set[asyncio.Task[ServerConnection]] = set()

    async def connect(self, **options: Any) -> ServerConnection:
        if len(self._hosts) == 1:
            return await _open(self._hosts[0], options)
        search = _Search(self._hosts, options, self._late)
        connection, host = await search.run()
        # The next one begins where writes were taken last.
        self._hosts.remove(host)
        self._hosts.insert(0, host)
        return connection


class _Search:
    """Asks one host after the other, without waiting long for one that does not answer."""

    def __init__(self, urls: list[str], options: dict[str, Any], late: "set[asyncio.Task[ServerConnection]]") -> None:
        self._left = list(urls)
        self._options = options
        self._late = late
        self._asking: dict[asyncio.Task[ServerConnection], str] = {}
        self._readable: tuple[ServerConnection, str] | None = None
        self._error: Exception | None = None

    async def run(self) -> tuple[ServerConnection, str]:
        try:
            while self._left or self._asking:
                self._ask_next()
                wait = NEXT_HOST_AFTER.total_seconds() if self._left else None
                answered, _ = await asyncio.wait(self._asking, timeout=wait, return_when=asyncio.FIRST_COMPLETED)
                for task in answered:
                    found = self._answer(task)
                    if found is not None:
                        return found
            if self._readable is not None:
                found, self._readable = self._readable, None
                return found
            assert self._error is not None
            raise self._error
        finally:
            self._end()

    def _ask_next(self) -> None:
        if self._left:
            host = self._left.pop(0)
            self._asking[asyncio.create_task(_open(host, self._options))] = host

    def _answer(self, task: "asyncio.Task[ServerConnection]") -> tuple[ServerConnection, str] | None:
        host = self._asking.pop(task)
        error = task.exception()
        if error is not None:
            # A refusal says more than silence does.
            if isinstance(error, Exception) and (self._error is None or isinstance(error, asyncpg.PostgresError)):
                self._error = error
            return None
        connection = task.result()
        if not connection.read_only:
            return connection, host
        self._keep(connection, host)
        return None

    def _keep(self, connection: ServerConnection, host: str) -> None:
        if self._readable is None:
            self._readable = connection, host
        else:
            connection.terminate()

    def _end(self) -> None:
        if self._readable is not None:
            self._readable[0].terminate()
        # Each ends by its own patience. Of one that is cancelled between two steps of its greeting, the driver keeps an
        # error that nobody asks about, which the log would show.
        self._late.update(self._asking)
        for task in self._asking:
            task.add_done_callback(_terminate)
            task.add_done_callback(self._late.discard)


def _terminate(task: "asyncio.Task[ServerConnection]") -> None:
    """What comes too late is not kept."""
    if not task.cancelled() and task.exception() is None:
        task.result().terminate()


async def _open(url: str, options: dict[str, Any]) -> ServerConnection:
    options = {"timeout": HOST_PATIENCE.total_seconds(), **options, "connection_class": ServerConnection}
    connection = await asyncpg.connect(url, **options)
    assert isinstance(connection, ServerConnection)
    connection.age = 0
    connection.when_read_only = _nobody_follows
    return connection


def _nobody_follows(_: ServerConnection) -> None:
    """Whoever holds a connection alone hears it from the error."""
