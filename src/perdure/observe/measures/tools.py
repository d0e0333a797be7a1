"""What is measured of tools: how long, how much they answer, how often they fail."""

from perdure.observe.labels import TOOLS, Bounded
from perdure.observe.metrics import Metrics

UNKNOWN = "unknown"
MCP = "mcp"


class ToolMeasures:
    """Counts calls by tool. A name that a model made up is `unknown`; those of MCP servers go together."""

    def __init__(self, metrics: Metrics) -> None:
        self._names = Bounded(TOOLS)
        self._calls = metrics.counter("tool_calls", "Calls that got a result: ok or error.", "tool", "outcome")
        self._seconds = metrics.seconds("tool", "How long a call ran.", "tool")
        self._bytes = metrics.sizes("tool_result_bytes", "How long results are before they are cut.", "tool")

        self._refused = metrics.counter(
            "tool_batches_refused", "Batches of which nothing ran, by the tool that must run alone and did not.", "tool"
        )

    def refused(self, tool: str) -> None:
        """A batch with a tool that must be alone, and was not."""
        self._refused.labels(self._names(tool)).inc()

    def ran(self, tool: str, *, seconds: float, size: int, is_error: bool) -> None:
        name = self._names(tool)
        self._calls.labels(name, "error" if is_error else "ok").inc()
        self._seconds.labels(name).observe(seconds)
        self._bytes.labels(name).observe(size)
