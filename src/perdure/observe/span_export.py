"""Where spans go when there is somewhere to send them: OpenTelemetry's own protocol over HTTP."""

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

from perdure.observe.span_names import named


class NamedIds(RandomIdGenerator):
    """Random ids, but for spans that several replicas must call the same."""

    def generate_span_id(self) -> int:
        ids = named()
        return super().generate_span_id() if ids is None else ids.span_id

    def generate_trace_id(self) -> int:
        ids = named()
        return super().generate_trace_id() if ids is None else ids.trace_id


def exporting_to(endpoint: str, version: str) -> TracerProvider:
    """What makes spans and sends them in batches."""
    resource = Resource.create({"service.name": "perdure", "service.version": version})
    provider = TracerProvider(resource=resource, id_generator=NamedIds(), shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider
