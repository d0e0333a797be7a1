"""The MCP side of a replica, put together: its connections, the tools that they bring, and the sign-ins of people."""

from dataclasses import dataclass

from perdure.access.keyring import Keyring
from perdure.config.config import Config
from perdure.core.timing import Clock
from perdure.observe.measures.work import McpMeasures
from perdure.store.pool import Pool
from perdure.tools.mcp.connections import Connections
from perdure.tools.mcp.grants import Grants
from perdure.tools.mcp.sign_ins import SignIns
from perdure.tools.mcp.tools import McpTools
from perdure.tools.mcp.transport import Transports
from perdure.tools.network import Network
from perdure.workspaces.service import Workspaces


@dataclass(frozen=True, slots=True)
class McpServices:
    connections: Connections
    tools: McpTools
    sign_ins: SignIns


def make_mcp_services(
    pool: Pool,
    config: Config,
    keyring: Keyring,
    clock: Clock,
    measures: McpMeasures,
    workspaces: Workspaces | None = None,
    network: Network | None = None,
) -> McpServices:
    network = network or Network()
    grants = Grants(pool, keyring, clock, network)
    connections = Connections(pool, Transports(keyring, grants, workspaces, network), clock, measures)
    return McpServices(connections, McpTools(config, connections, measures), SignIns(pool, keyring, grants))
