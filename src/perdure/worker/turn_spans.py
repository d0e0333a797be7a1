"""Turns and their steps as spans: read off commits, under ids that every replica would give them."""

import logging
from collections.abc import AsyncGenerator, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from opentelemetry import context as contexts
from opentelemetry.context import Context
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    StatusCode,
    TraceFlags,
    get_current_span,
    set_span_in_context,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from perdure.core.chat import Chat, Status
from perdure.core.commit import Commit
from perdure.core.errors import DatabaseFault, Unavailable
from perdure.core.ids import ChatId
from perdure.core.tasks import BackgroundTasks, every
from perdure.core.timing import TURN_TRACE_KEPT, TURN_TRACE_SWEEP, Clock
from perdure.observe.span_names import Named, called, identity
from perdure.observe.tracing import Tracing
from perdure.store.pool import Pool
from perdure.store.tables import turn_traces
from perdure.worker.meter import outcome_of, step_kind, turn_ends

# So many turns are remembered; the oldest are those that other replicas went on with.
REMEMBERED = 10_000
_NANOSECONDS = 1_000_000_000
_log = logging.getLogger(__name__)
_propagator = TraceContextTextMapPropagator()
_UNTRACED: AbstractAsyncContextManager[None] = nullcontext()


@dataclass(slots=True)
class Turn:
    """A turn whose trace is known here."""

    named: Named
    parent: SpanContext | None
    began: int
    step: tuple[int, int] | None = None
    """The step that is under way: the history it goes on from, and when it began."""


class TurnSpans:
    """Follows commits. The steps of a turn are below it, and it is below the request that began it."""

    def __init__(self, tracing: Tracing, pool: Pool, clock: Clock) -> None:
        self._tracing = tracing
        self._pool = pool
        self._clock = clock
        self._turns: dict[tuple[ChatId, int], Turn] = {}
        self._promoted: dict[tuple[ChatId, int], int] = {}
        self._telling = BackgroundTasks(_log)

    async def run(self) -> None:
        """Forget what is long over."""
        await every(TURN_TRACE_SWEEP, self._sweep, self._clock)

    async def _sweep(self) -> None:
        if self._tracing.on:
            await self._told(turn_traces.sweep(self._pool, TURN_TRACE_KEPT))

    def committed(self, committed: Commit) -> None:
        if not self._tracing.on:
            return
        base, chat = committed.base, committed.chat
        for number, _ in committed.enqueued:
            self._say(chat.id, -number, get_current_span().get_span_context())
        if base is not None and base.status is Status.RUNNING:
            kind = step_kind([message for _, message in committed.appended])
            if kind is not None:
                self._step_ended(base, kind)
        if base is not None and turn_ends(base, chat):
            self._turn_ended(base, outcome_of(base, chat, edited=committed.hidden_from is not None))
        if chat.turn and (base is None or base.turn != chat.turn):
            queued = [queued for queued, number in committed.promoted if number == chat.turn]
            self._turn_began(chat, queued[0] if queued else None)

    def step(self, chat: Chat) -> AbstractAsyncContextManager[None]:
        """What happens inside belongs to the step that the chat is about to make."""
        return self._step(chat) if self._tracing.on and chat.turn else _UNTRACED

    @asynccontextmanager
    async def _step(self, chat: Chat) -> AsyncGenerator[None]:
        turn = await self._known(chat.id, chat.turn)
        if turn.step is None or turn.step[0] != chat.history_version:
            turn.step = chat.history_version, self._now()
        token = contexts.attach(_below(_step_of(turn, chat)))
        try:
            yield
        finally:
            contexts.detach(token)

    def _turn_began(self, chat: Chat, queued: int | None) -> None:
        if queued is not None:
            # Somebody asked for it earlier, perhaps on another replica: its trace is found when a step begins.
            self._promoted[chat.id, chat.turn] = queued
            return
        caller = get_current_span().get_span_context()
        turn = self._remember(chat.id, chat.turn, caller if caller.is_valid else None, self._now())
        self._say(chat.id, chat.turn, turn.parent or _context_of(turn.named))

    async def _known(self, chat_id: ChatId, number: int) -> Turn:
        known = self._turns.get((chat_id, number))
        if known is not None:
            return known
        queued = self._promoted.pop((chat_id, number), None)
        own = Named(identity(16, chat_id, number), identity(8, chat_id, number, "turn"))
        try:
            asked = None if queued is None else await turn_traces.find(self._pool, chat_id, -queued)
            told = asked or _written(_context_of(own))
            claimed = await turn_traces.claim(self._pool, chat_id, number, told)
            said, began = claimed.traceparent, claimed.began_at
        except (Unavailable, DatabaseFault) as error:
            _log.warning("a turn's trace begins anew: %s", error)
            said, began = _written(_context_of(own)), self._clock.now()
        parent = _read(said)
        above = None if parent is None or parent.span_id == own.span_id else parent
        return self._remember(chat_id, number, above, _nanoseconds(began))

    def _remember(self, chat_id: ChatId, number: int, parent: SpanContext | None, began: int) -> Turn:
        trace_id = identity(16, chat_id, number) if parent is None else parent.trace_id
        turn = Turn(Named(trace_id, identity(8, chat_id, number, "turn")), parent, began)
        if len(self._turns) >= REMEMBERED:
            del self._turns[next(iter(self._turns))]
        self._turns[chat_id, number] = turn
        return turn

    def _step_ended(self, base: Chat, kind: str, *, failed: bool = False) -> None:
        turn = self._turns.get((base.id, base.turn))
        if turn is None or turn.step is None:
            return
        _, began = turn.step
        turn.step = None
        with called(_step_of(turn, base)):
            span = self._tracing.tracer.start_span(
                f"step {kind}",
                context=_below(turn.named),
                start_time=began,
                attributes={"gen_ai.conversation.id": str(base.id), "perdure.step": kind},
            )
        if failed:
            span.set_status(StatusCode.ERROR)
        span.end(self._now())

    def _turn_ended(self, base: Chat, outcome: str) -> None:
        if (base.id, base.turn) in self._turns:
            self._tell_turn(base, outcome)
        else:
            self._telling.start(self._find_and_tell(base, outcome), "ending the trace of a turn")

    async def _find_and_tell(self, base: Chat, outcome: str) -> None:
        await self._known(base.id, base.turn)
        self._tell_turn(base, outcome)

    def _tell_turn(self, base: Chat, outcome: str) -> None:
        self._step_ended(base, "unfinished", failed=True)
        turn = self._turns.pop((base.id, base.turn))
        with called(turn.named):
            span = self._tracing.tracer.start_span(
                "invoke_agent perdure",
                context=Context() if turn.parent is None else set_span_in_context(NonRecordingSpan(turn.parent)),
                kind=SpanKind.INTERNAL,
                start_time=turn.began,
                attributes={
                    "gen_ai.operation.name": "invoke_agent",
                    "gen_ai.agent.name": "perdure",
                    "gen_ai.conversation.id": str(base.id),
                    "perdure.turn": base.turn,
                    "perdure.outcome": outcome,
                },
            )
        if outcome == "failed":
            span.set_status(StatusCode.ERROR)
        span.end(self._now())

    def _say(self, chat_id: ChatId, number: int, parent: SpanContext) -> None:
        if parent.is_valid:
            claim = turn_traces.claim(self._pool, chat_id, number, _written(parent))
            self._telling.start(self._told(claim), "telling others of a trace")

    async def _told(self, work: Coroutine[Any, Any, object]) -> None:
        try:
            await work
        except (Unavailable, DatabaseFault) as error:
            _log.warning("other replicas do not hear of a trace: %s", error)

    def _now(self) -> int:
        return _nanoseconds(self._clock.now())


def _step_of(turn: Turn, chat: Chat) -> Named:
    return Named(turn.named.trace_id, identity(8, chat.id, chat.history_version, "step"))


def _context_of(named: Named) -> SpanContext:
    return SpanContext(named.trace_id, named.span_id, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))


def _below(named: Named) -> Context:
    return set_span_in_context(NonRecordingSpan(_context_of(named)), Context())


def _written(parent: SpanContext) -> str:
    carrier: dict[str, str] = {}
    _propagator.inject(carrier, set_span_in_context(NonRecordingSpan(parent), Context()))
    return carrier.get("traceparent", "")


def _read(traceparent: str) -> SpanContext | None:
    found = get_current_span(_propagator.extract({"traceparent": traceparent}, Context())).get_span_context()
    return found if found.is_valid else None


def _nanoseconds(moment: datetime) -> int:
    return round(moment.timestamp() * _NANOSECONDS)
