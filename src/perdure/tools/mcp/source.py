"""The tools that MCP servers bring to a chat."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from perdure.config.config import Config
from perdure.config.mcp import McpServer, Transport, selected
from perdure.core.card import Card
from perdure.observe.measures.mcp import McpMeasures
from perdure.store.workspaces import WorkspaceRow
from perdure.tools.mcp.line import Line
from perdure.tools.mcp.lines import Lines
from perdure.tools.mcp.offered import offered, unreachable
from perdure.tools.mcp.speech import Refusal, Unreachable
from perdure.tools.mcp.way import Way
from perdure.tools.mcp.ways import Ways
from perdure.tools.tool import Tool

NEEDS_WORKSPACE = "it runs inside the workspace, and this chat has none yet: call create_workspace first"


@dataclass(frozen=True, slots=True)
class McpOffer:
    """What servers offer to a chat now."""

    tools: tuple[Tool, ...] = ()
    """By name."""
    absent: dict[str, str] = field(default_factory=dict[str, str])
    """Why the tools of a server are not there, by its slug."""
    current: Callable[[], bool] = lambda: True
    """Whether the servers still say the same."""


class McpTools:
    """Asks the servers that a chat may use. Once they are connected, that costs nothing."""

    def __init__(self, config: Config, lines: Lines, ways: Ways, measures: McpMeasures) -> None:
        self._config = config
        self._lines = lines
        self._ways = ways
        self._measures = measures

    async def offer(self, card: Card, *, looking: bool) -> McpOffer:
        """The tools of a chat. `looking` means that it only plans or explores."""
        snapshot = await self._config.of(card.organisation_id)
        servers = selected(snapshot.mcp_servers, card.settings.mcp_servers)
        servers = tuple(server for server in servers if server.options.plan_mode or not looking)
        if not servers:
            return McpOffer()
        row = await self._row(card, servers)
        answers = await asyncio.gather(*(self._of(server, card, row, looking=looking) for server in servers))
        lines = [(line, line.version) for _, _, line in answers if line is not None]
        tools = sorted((tool for found, _, _ in answers for tool in found), key=lambda tool: tool.name)
        return McpOffer(
            tools=tuple(tools),
            absent={server.slug: why for server, (_, why, _) in zip(servers, answers, strict=True) if why},
            current=lambda: all(line.version == version for line, version in lines),
        )

    async def _row(self, card: Card, servers: Sequence[McpServer]) -> WorkspaceRow | None:
        inside = any(server.options.transport is Transport.STDIO for server in servers)
        return await self._ways.workspace(card.root_id or card.id) if inside else None

    async def _of(
        self, server: McpServer, card: Card, row: WorkspaceRow | None, *, looking: bool
    ) -> tuple[list[Tool], str, Line | None]:
        if server.options.transport is Transport.STDIO and row is None:
            return [], unreachable(server, NEEDS_WORKSPACE), None
        line = self.line(server, card, row, looking=looking)
        try:
            listed = await line.tools()
        except (Unreachable, Refusal) as error:
            return [], unreachable(server, error), line
        return list(offered(server, listed, line, self._measures).values()), "", line

    def line(self, server: McpServer, card: Card, row: WorkspaceRow | None, *, looking: bool) -> Line:
        inside = server.options.transport is Transport.STDIO
        place = f"{row.id}{' looking' if looking else ''}" if row is not None and inside else ""

        async def way() -> Way:
            return self._ways.way(server, card.owner_id, row, view=looking)

        return self._lines.line(server, card.owner_id, place, way)
