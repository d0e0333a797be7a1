"""Calls to models as spans, in the words of OpenTelemetry's conventions for generative AI."""

from urllib.parse import urlsplit

from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer
from opentelemetry.util.types import AttributeValue

from perdure.core.deltas import Finish
from perdure.observe.calls import CANCELLED, OK, Ended, Sent
from perdure.observe.context import about


class CallSpans:
    """Watches calls, and makes each a span below the step that asks."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    async def sent(self, sent: Sent) -> "TracedCall":
        ids, place = about(), urlsplit(sent.url)
        attributes: dict[str, AttributeValue] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": sent.vendor,
            "gen_ai.request.model": sent.model,
            "gen_ai.conversation.id": ids.get("chat", ""),
            "server.address": place.hostname or "",
            "server.port": place.port or (443 if place.scheme == "https" else 80),
            "perdure.purpose": ids.get("purpose", "other"),
            "perdure.attempt": int(ids.get("attempt", 0)),
        }
        return TracedCall(self._tracer.start_span(f"chat {sent.model}", kind=SpanKind.CLIENT, attributes=attributes))


class TracedCall:
    listens = False

    def __init__(self, span: Span) -> None:
        self._span = span

    def heard(self, _: bytes, /) -> None:
        pass

    def began(self) -> None:
        self._span.add_event("first token")

    def ended(self, ended: Ended) -> None:
        if ended.finish is not None:
            self._span.set_attributes(_told(ended.finish))
        if ended.status is not None:
            self._span.set_attribute("http.response.status_code", ended.status)
        if ended.outcome not in (OK, CANCELLED):
            self._span.set_attribute("error.type", ended.outcome)
            self._span.set_status(StatusCode.ERROR, ended.error.message if ended.error else None)
        self._span.end()


def _told(finish: Finish) -> dict[str, AttributeValue]:
    told: dict[str, AttributeValue] = {"gen_ai.response.finish_reasons": (finish.reason.value,)}
    if finish.response_id:
        told["gen_ai.response.id"] = finish.response_id
    if finish.usage is not None:
        told["gen_ai.usage.input_tokens"] = finish.usage.input
        told["gen_ai.usage.output_tokens"] = finish.usage.output
        told["gen_ai.usage.cache_read.input_tokens"] = finish.usage.cache_read
        told["gen_ai.usage.cache_creation.input_tokens"] = finish.usage.cache_write
    return told
