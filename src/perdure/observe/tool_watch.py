"""Tool calls as they are seen from outside: how long they take and how they end."""

from collections.abc import Generator
from contextlib import contextmanager

from opentelemetry.trace import NoOpTracer, StatusCode, Tracer

from perdure.core.timing import Clock
from perdure.observe.measures.work import ToolMeasures
from perdure.observe.metrics import Metrics


class SeenCall:
    """One call that runs."""

    def __init__(self) -> None:
        self.size: int | None = None
        self.is_error = False

    def gave(self, text: str, *, is_error: bool) -> None:
        """Its result."""
        self.size = len(text.encode("utf-8", "surrogatepass"))
        self.is_error = is_error


class ToolWatch:
    """Watches calls for the numbers and the traces."""

    def __init__(self, clock: Clock, measures: ToolMeasures | None = None, tracer: Tracer | None = None) -> None:
        self._clock = clock
        self._tracer = tracer or NoOpTracer()
        self._measures = measures or ToolMeasures(Metrics())

    @contextmanager
    def call(self, tool: str, call_id: str) -> Generator[SeenCall]:
        """Runs inside; what gives no result was cut short and does not count."""
        seen, since = SeenCall(), self._clock.monotonic()
        attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool, "gen_ai.tool.call.id": call_id}
        with self._tracer.start_as_current_span(f"execute_tool {tool}", attributes=attributes) as span:
            yield seen
            if seen.is_error:
                span.set_attribute("error.type", "tool_error")
                span.set_status(StatusCode.ERROR)
        if seen.size is not None:
            took = self._clock.monotonic() - since
            self._measures.ran(tool, seconds=took, size=seen.size, is_error=seen.is_error)
