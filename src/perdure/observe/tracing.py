"""Traces over OpenTelemetry: off unless an endpoint is set. Spans tell what happened, never what was said."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from opentelemetry.trace import INVALID_SPAN, NoOpTracer, Span, SpanKind, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from perdure.core.extras import require

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

_PROPAGATOR = TraceContextTextMapPropagator()
_UNTRACED: AbstractContextManager[Span] = nullcontext(INVALID_SPAN)


class Tracing:
    """Where spans go. Without an endpoint nothing is made and nothing is sent."""

    def __init__(self, endpoint: str | None = None, *, version: str = "") -> None:
        self.on = endpoint is not None
        self._provider: TracerProvider | None = None
        self.tracer: Tracer = NoOpTracer()
        if endpoint is not None:
            # Only a deployment that traces pays for loading what sends spans.
            require("traces")
            from perdure.observe.span_export import exporting_to  # noqa: PLC0415

            self._provider = exporting_to(endpoint, version)
            self.tracer = self._provider.get_tracer("perdure", version)

    def request(self, method: str, headers: Mapping[str, str]) -> AbstractContextManager[Span]:
        """One request. A caller that traces goes on in its own trace."""
        if not self.on:
            return _UNTRACED
        context = _PROPAGATOR.extract(headers)
        return self.tracer.start_as_current_span(method, context=context, kind=SpanKind.SERVER)

    def close(self) -> None:
        """Send what waits. It blocks, so it is called from a thread."""
        if self._provider is not None:
            self._provider.shutdown()


def answered(span: Span, method: str, route: str, status: int) -> None:
    """How a request was answered."""
    if span.is_recording():
        span.update_name(f"{method} {route}" if route else method)
        span.set_attributes({"http.request.method": method, "http.route": route, "http.response.status_code": status})
        if status >= 500:
            span.set_status(StatusCode.ERROR)
