"""Calls to models as whoever watches is told of them: what was sent and what came, measured and as spans."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer
from opentelemetry.util.types import AttributeValue

from perdure.core.deltas import Finish
from perdure.core.failure import ChatError
from perdure.core.timing import Clock
from perdure.observe.logs import about
from perdure.observe.measures.work import CallMeasures

OK = "ok"
CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A request as it goes out, but for what proves who pays."""

    provider: str
    model: str
    dialect: str
    vendor: str
    """What telemetry calls whoever made the API."""
    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    messages: int = 0
    blocks: tuple[str, ...] = ()
    """Hashes of the prompt's blocks: the first that differs from the last call's is where the cache broke."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """What the request proves itself with, so that it can be found wherever it is repeated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a call ended."""

    outcome: str
    """`ok`, `cancelled`, or the kind of the error."""
    status: int | None = None
    finish: Finish | None = None
    cost: int | None = None
    """Micro-dollars; None where nobody knows the price."""
    error: ChatError | None = None


class CallWatch(Protocol):
    """One call, watched by somebody."""

    listens: bool
    """Whether it wants to be told every piece of the answer."""

    def heard(self, piece: bytes, /) -> None:
        """A piece of the answer as the network brought it."""
        ...

    def began(self) -> None:
        """The first piece that says something."""
        ...

    def ended(self, ended: Ended, /) -> None: ...


class Watcher(Protocol):
    """Somebody who wants to be told of calls."""

    async def sent(self, sent: Sent, /) -> CallWatch | None:
        """A request is about to go out. None where this one does not matter."""
        ...


class CallMeter:
    """Watches every call for the numbers."""

    def __init__(self, measures: CallMeasures, clock: Clock) -> None:
        self._measures = measures
        self._clock = clock

    async def sent(self, sent: Sent) -> "MeteredCall":
        self._measures.sent(len(sent.body), sent.messages)
        return MeteredCall(self._measures, self._clock, sent)


class MeteredCall:
    listens = False

    def __init__(self, measures: CallMeasures, clock: Clock, sent: Sent) -> None:
        self._measures = measures
        self._clock = clock
        self._sent = sent
        self._purpose = about().get("purpose", "other")
        self._since = clock.monotonic()

    def heard(self, _: bytes, /) -> None:
        pass

    def began(self) -> None:
        self._measures.began(self._sent.provider, self._sent.model, self._clock.monotonic() - self._since)

    def ended(self, ended: Ended) -> None:
        sent, took = self._sent, self._clock.monotonic() - self._since
        self._measures.ended(sent.provider, sent.model, purpose=self._purpose, outcome=ended.outcome, seconds=took)
        if ended.finish is not None and ended.finish.usage is not None:
            self._measures.used(sent.model, ended.finish.usage, ended.cost)


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
