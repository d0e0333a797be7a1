"""Traces over OpenTelemetry: off unless an endpoint is set. Spans tell what happened, never what was said."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import blake2b

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import NoOpTracer, Span, SpanKind, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_PROPAGATOR = TraceContextTextMapPropagator()


@dataclass(frozen=True, slots=True)
class Named:
    """The ids of a span that any replica would give it."""

    trace_id: int
    span_id: int


_named: ContextVar[Named | None] = ContextVar("named", default=None)


class NamedIds(RandomIdGenerator):
    """Random ids, but for spans that several replicas must call the same."""

    def generate_span_id(self) -> int:
        named = _named.get()
        return super().generate_span_id() if named is None else named.span_id

    def generate_trace_id(self) -> int:
        named = _named.get()
        return super().generate_trace_id() if named is None else named.trace_id


@contextmanager
def called(named: Named) -> Generator[None]:
    """The next span started inside gets these ids; its trace is its parent's, if it has one."""
    token = _named.set(named)
    try:
        yield
    finally:
        _named.reset(token)


def identity(size: int, *what: object) -> int:
    """An id of so many bytes that everybody makes of the same words."""
    return int.from_bytes(blake2b("/".join(map(str, what)).encode(), digest_size=size).digest()) or 1


class Tracing:
    """Where spans go. Without an endpoint nothing is made and nothing is sent."""

    def __init__(self, endpoint: str | None = None, *, version: str = "") -> None:
        self.on = endpoint is not None
        self._provider: TracerProvider | None = None
        self.tracer: Tracer = NoOpTracer()
        if endpoint is not None:
            resource = Resource.create({"service.name": "perdure", "service.version": version})
            self._provider = TracerProvider(resource=resource, id_generator=NamedIds(), shutdown_on_exit=False)
            exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
            self._provider.add_span_processor(BatchSpanProcessor(exporter))
            self.tracer = self._provider.get_tracer("perdure", version)

    @contextmanager
    def request(self, method: str, headers: Mapping[str, str]) -> Generator[Span]:
        """One request. A caller that traces goes on in its own trace."""
        context = _PROPAGATOR.extract(headers) if self.on else None
        with self.tracer.start_as_current_span(method, context=context, kind=SpanKind.SERVER) as span:
            yield span

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
