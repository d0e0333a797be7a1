"""All lines of a replica: one per server, person and place, closed when nobody has used them for a while."""

import asyncio
import importlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from uuid import UUID

from perdure.config.mcp import McpServer
from perdure.core.clock import Clock
from perdure.core.ids import UserId
from perdure.core.timing import MCP_IDLE, MCP_SWEEP
from perdure.observe.measures.mcp import McpMeasures
from perdure.tools.mcp.line import Line
from perdure.tools.mcp.speech import Session, Unreachable
from perdure.tools.mcp.way import Way

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LineKey:
    """What tells lines apart. A server that was set up anew is another one."""

    server: UUID
    revision: int
    user: UserId
    place: str = ""
    """The workspace that a command runs in, and whether it may only look."""


class Lines:
    """Hands out lines and closes idle ones."""

    def __init__(self, clock: Clock, measures: McpMeasures) -> None:
        self._clock = clock
        self._measures = measures
        self._lines: dict[LineKey, Line] = {}
        measures.open.read = lambda: sum(line.open for line in self._lines.values())

    def line(self, server: McpServer, user: UserId, place: str, way: Callable[[], Awaitable[Way]]) -> Line:
        key = LineKey(server.id, server.revision, user, place)
        line = self._lines.get(key)
        if line is None:
            line = self._lines[key] = self.fresh(server, way)
        return line

    def fresh(self, server: McpServer, way: Callable[[], Awaitable[Way]]) -> Line:
        """A line of one's own, which whoever asked for it closes."""

        async def dial(changed: Callable[[], None]) -> Session:
            return await self._dialled(server.slug, way, changed)

        return Line(dial, self._clock)

    def of(self, server: UUID) -> list[Line]:
        return [line for key, line in self._lines.items() if key.server == server]

    async def once(self) -> None:
        """Close what was not used for a while, and what belongs to a server's older revisions."""
        now = self._clock.monotonic()
        newest = {key.server: key.revision for key in sorted(self._lines, key=lambda key: key.revision)}
        idle = [
            key
            for key, line in self._lines.items()
            if now - line.used > MCP_IDLE.total_seconds() or key.revision < newest[key.server]
        ]
        for line in [self._lines.pop(key) for key in idle]:
            await line.close()

    async def run(self) -> None:
        """Until cancelled; then nothing is left open."""
        try:
            while True:
                await self._clock.sleep(MCP_SWEEP.total_seconds())
                await self.once()
        finally:
            await self.close()

    async def close(self) -> None:
        lines, self._lines = list(self._lines.values()), {}
        await asyncio.gather(*(line.close() for line in lines))

    async def _dialled(self, slug: str, way: Callable[[], Awaitable[Way]], changed: Callable[[], None]) -> Session:
        # In a thread and only now: loading the package takes longer than starting all of Perdure.
        protocol = await asyncio.to_thread(importlib.import_module, "perdure.tools.mcp.protocol.session")
        try:
            session: Session = await protocol.OpenSession.to(await way(), changed)
        except Unreachable as error:
            self._measures.connected(slug, opened=False)
            _log.warning("MCP server %s cannot be reached: %s", slug, error)
            raise
        self._measures.connected(slug, opened=True)
        return session
