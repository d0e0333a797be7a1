"""The MCP side of a replica, put together: its lines, the tools that they bring, and the desk for people."""

from dataclasses import dataclass

from perdure.access.keyring import Keyring
from perdure.config.config import Config
from perdure.core.clock import Clock
from perdure.observe.measures.mcp import McpMeasures
from perdure.store.pool import Pool
from perdure.tools.mcp.desk import McpDesk
from perdure.tools.mcp.grants import Grants
from perdure.tools.mcp.lines import Lines
from perdure.tools.mcp.sign_ins import SignIns
from perdure.tools.mcp.source import McpTools
from perdure.tools.mcp.way import Outside
from perdure.tools.mcp.ways import Ways
from perdure.workspaces.service import Workspaces


@dataclass(frozen=True, slots=True)
class Exchange:
    """Where all lines to MCP servers come together."""

    lines: Lines
    tools: McpTools
    desk: McpDesk
    grants: Grants


def open_exchange(
    pool: Pool,
    config: Config,
    keyring: Keyring,
    clock: Clock,
    measures: McpMeasures,
    workspaces: Workspaces | None = None,
    outside: Outside | None = None,
) -> Exchange:
    around = outside or Outside()
    grants = Grants(pool, keyring, clock, around)
    lines, ways = Lines(clock, measures), Ways(keyring, grants, workspaces, around)
    desk = McpDesk(lines, ways, SignIns(pool, keyring, grants))
    return Exchange(lines, McpTools(config, lines, ways, measures), desk, grants)
