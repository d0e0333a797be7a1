"""What is counted about MCP servers."""

from perdure.observe.metrics import Metrics


class McpNumbers:
    """Connections and calls, by server."""

    def __init__(self, metrics: Metrics) -> None:
        self.connections = metrics.counter(
            "mcp_connections", "Attempts to connect to an MCP server, by how they ended.", "server", "outcome"
        )
        self.open = metrics.gauge("mcp_connections_open", "Connections to MCP servers that are open now.")
        self.calls = metrics.counter("mcp_calls", "Calls of MCP tools, by how they ended.", "server", "outcome")
        self.call_seconds = metrics.seconds("mcp_call", "How long calls of MCP tools take.", "server")
