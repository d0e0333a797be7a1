"""All connections of a replica: one per server, person and workspace, closed when nobody has used them for a while."""

import asyncio
import importlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from perdure.config.mcp import McpServer, Transport
from perdure.core.errors import DatabaseFault, Unavailable
from perdure.core.ids import ChatId, McpServerId, UserId
from perdure.core.tasks import every
from perdure.core.timing import Clock
from perdure.observe.measures.work import McpMeasures
from perdure.store.pool import Pool
from perdure.store.tables import mcp_servers
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.tools.mcp.connection import Connection
from perdure.tools.mcp.messages import Session, Unreachable
from perdure.tools.mcp.transport import Transports

MCP_IDLE = timedelta(minutes=10)
MCP_SWEEP = timedelta(seconds=30)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ConnectionKey:
    """What tells connections apart. A server that was set up anew is another one."""

    server: McpServerId
    revision: int
    user: UserId
    workspace: UUID | None = None
    """The workspace that a command runs in."""
    read_only: bool = False
    """Whether the command may only look there."""


def _waits(error: BaseException) -> None:
    _log.warning("connections to MCP servers are looked through later: %s", error)


class Connections:
    """Hands out connections and closes idle ones."""

    def __init__(self, pool: Pool, transports: Transports, clock: Clock, measures: McpMeasures) -> None:
        self._pool = pool
        self._transports = transports
        self._clock = clock
        self._measures = measures
        self._connections: dict[ConnectionKey, Connection] = {}
        measures.open.read = lambda: sum(connection.open for connection in self._connections.values())

    async def workspace(self, chat_id: ChatId) -> WorkspaceRow | None:
        """Where the commands of a chat run."""
        return await self._transports.workspace(chat_id)

    def shared(self, server: McpServer, user: UserId, row: WorkspaceRow | None, *, read_only: bool) -> Connection:
        """The connection that all chats of a person use, a command's for each workspace."""
        key = ConnectionKey(server.id, server.revision, user)
        if server.options.transport is Transport.STDIO and row is not None:
            key = ConnectionKey(server.id, server.revision, user, row.id, read_only)
        connection = self._connections.get(key)
        if connection is None:
            connection = self._connections[key] = self.separate(server, user, row, read_only=read_only)
        return connection

    def separate(self, server: McpServer, user: UserId, row: WorkspaceRow | None, *, read_only: bool) -> Connection:
        """A connection of one's own, which whoever asked for it closes."""

        async def connect(changed: Callable[[], None]) -> Session:
            return await self._opened(server, user, row, changed, read_only=read_only)

        return Connection(connect, self._clock)

    def trouble(self, server: UUID) -> str | None:
        """Why this replica leaves a server alone just now."""
        known = (connection.trouble for key, connection in self._connections.items() if key.server == server)
        return next((trouble for trouble in known if trouble), None)

    async def once(self) -> None:
        """Close what was not used for a while, and what belongs to a server that was changed or removed since."""
        if not self._connections:
            return
        servers = list({key.server for key in self._connections})
        current = {(row.id, row.revision) for row in await mcp_servers.revisions(self._pool, servers)}
        now = self._clock.monotonic()
        idle = [
            key
            for key, connection in self._connections.items()
            if now - connection.used > MCP_IDLE.total_seconds() or (key.server, key.revision) not in current
        ]
        for connection in [self._connections.pop(key) for key in idle]:
            await connection.close()

    async def run(self) -> None:
        """Until cancelled; then nothing is left open."""
        try:
            await every(MCP_SWEEP, self.once, self._clock, expected=(Unavailable, DatabaseFault), report=_waits)
        finally:
            await self.close()

    async def close(self) -> None:
        connections, self._connections = list(self._connections.values()), {}
        await asyncio.gather(*(connection.close() for connection in connections))

    async def _opened(
        self,
        server: McpServer,
        user: UserId,
        row: WorkspaceRow | None,
        changed: Callable[[], None],
        *,
        read_only: bool,
    ) -> Session:
        # In a thread and only now: loading the package takes longer than starting all of Perdure.
        protocol = await asyncio.to_thread(importlib.import_module, "perdure.tools.mcp.protocol.session")
        try:
            options = self._transports.options(server, user, row, read_only=read_only)
            session: Session = await protocol.OpenSession.to(options, changed)
        except Unreachable as error:
            self._measures.connected(server.slug, opened=False)
            _log.warning("MCP server %s cannot be reached: %s", server.slug, error)
            raise
        self._measures.connected(server.slug, opened=True)
        return session
