"""A real receiver of traces: OTLP over HTTP, as a collector takes them."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True, slots=True)
class ReceivedSpan:
    """A span as it came."""

    name: str
    trace_id: str
    id: str
    parent_id: str
    attributes: dict[str, Any]
    failed: bool
    start: int
    end: int


class Collector:
    """Keeps every span that it is sent."""

    def __init__(self) -> None:
        self.url = ""
        self.spans: list[ReceivedSpan] = []
        self._more = asyncio.Event()

    async def until(self, name: str, count: int = 1) -> list[ReceivedSpan]:
        """The spans whose name begins like this, once there are so many."""
        async with asyncio.timeout(60):
            while len(found := [span for span in self.spans if span.name.startswith(name)]) < count:
                self._more.clear()
                await self._more.wait()
            return found

    async def take(self, request: web.Request) -> web.Response:
        sent = ExportTraceServiceRequest.FromString(await request.read())
        self.spans += [
            ReceivedSpan(
                name=span.name,
                trace_id=span.trace_id.hex(),
                id=span.span_id.hex(),
                parent_id=span.parent_span_id.hex(),
                attributes={each.key: _value(each.value) for each in span.attributes},
                failed=span.status.code == 2,
                start=span.start_time_unix_nano,
                end=span.end_time_unix_nano,
            )
            for resource in sent.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]
        self._more.set()
        return web.Response(content_type="application/x-protobuf")


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    return [_value(each) for each in value.array_value.values] if kind == "array_value" else getattr(value, kind)


@asynccontextmanager
async def collector() -> AsyncGenerator[Collector]:
    """A receiver on a free port of the loopback."""
    receiver = Collector()
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_post("/v1/traces", receiver.take)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    receiver.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield receiver
    finally:
        await runner.cleanup()
