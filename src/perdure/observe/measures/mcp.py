"""What is measured of MCP servers: connections and calls, by server."""

from perdure.observe.labels import Bounded
from perdure.observe.metrics import Metrics

SERVERS = 100


class McpMeasures:
    """Counts by server; beyond so many they go together."""

    def __init__(self, metrics: Metrics) -> None:
        self._names = Bounded(SERVERS)
        self._connections = metrics.counter(
            "mcp_connections", "Attempts to connect to an MCP server: opened or failed.", "server", "outcome"
        )
        self.open = metrics.read_gauge("mcp_connections_open", "Connections to MCP servers that are open now.")
        self._calls = metrics.counter("mcp_calls", "Calls of MCP tools: done, error or failed.", "server", "outcome")
        self._seconds = metrics.seconds("mcp_call", "How long a call of an MCP tool takes.", "server")

    def connected(self, server: str, *, opened: bool) -> None:
        self._connections.labels(self._names(server), "opened" if opened else "failed").inc()

    def called(self, server: str, outcome: str, seconds: float) -> None:
        self._calls.labels(self._names(server), outcome).inc()
        self._seconds.labels(self._names(server)).observe(seconds)
