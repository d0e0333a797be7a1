"""Keeps calls to models for a while, where an organisation asks for it: what was sent, what came, how long it took."""

import asyncio
import logging
from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from uuid import UUID

import msgspec

from perdure.config.config import Config
from perdure.core.errors import DatabaseFault, Unavailable
from perdure.core.ids import ChatId, OrganisationId
from perdure.core.tasks import every
from perdure.core.timing import DEBUG_RUN_SWEEP, Clock
from perdure.observe.calls import Ended, Sent
from perdure.observe.logs import about
from perdure.observe.measures.work import CallMeasures
from perdure.observe.redaction import BODY_BYTES, told_request, told_response
from perdure.store.pool import Pool
from perdure.store.tables import debug_runs
from perdure.store.tables.debug_runs import NewDebugRun, packed

# So many calls wait to be written at most; more are let go, and counted.
WAITING = 200
KEPT_PER_CHAT = 100

_log = logging.getLogger(__name__)


class Recorder:
    """Watches calls, and writes down those of organisations that switched it on."""

    def __init__(self, pool: Pool, config: Config, clock: Clock, measures: CallMeasures) -> None:
        self._pool = pool
        self._config = config
        self._clock = clock
        self._measures = measures
        self._waiting: asyncio.Queue[tuple[RecordedCall, Ended]] = asyncio.Queue(WAITING)

    async def sent(self, sent: Sent) -> "RecordedCall | None":
        ids = about()
        if "chat" not in ids or "organisation" not in ids:
            return None
        settings = await self._config.settings(OrganisationId(UUID(ids["organisation"])))
        if not settings.debug_runs.enabled:
            return None
        kept = timedelta(hours=settings.debug_runs.kept_hours)
        return RecordedCall(self, self._clock, sent, ids, kept)

    def keep(self, call: "RecordedCall", ended: Ended) -> None:
        try:
            self._waiting.put_nowait((call, ended))
        except asyncio.QueueFull:
            self._measures.unrecorded.inc()

    async def run(self) -> None:
        """Write what waits, and drop what is over."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._writing())
            group.create_task(self._sweeping())

    async def once(self) -> None:
        """Write the next call, as soon as there is one."""
        call, ended = await self._waiting.get()
        await debug_runs.write(self._pool, await asyncio.to_thread(call.told, ended))

    async def _writing(self) -> None:
        while True:
            try:
                await self.once()
            except (Unavailable, DatabaseFault) as error:
                self._measures.unrecorded.inc()
                _log.warning("a debug run is lost: %s", error)

    async def _sweeping(self) -> None:
        report = partial(_log.warning, "debug runs wait for the database: %s")
        sweep = partial(debug_runs.sweep, self._pool)
        await every(DEBUG_RUN_SWEEP, sweep, self._clock, expected=(Unavailable, DatabaseFault), report=report)


class RecordedCall:
    """One call as it happens. Of a long answer its beginning and its end are kept."""

    listens = True

    def __init__(self, recorder: Recorder, clock: Clock, sent: Sent, ids: Mapping[str, str], kept: timedelta) -> None:
        self._recorder = recorder
        self._clock = clock
        self._sent = sent
        self._ids = ids
        self._kept = kept
        self._started_at = clock.now()
        self._since = clock.monotonic()
        self._first_ms: int | None = None
        self._took_ms = 0
        self._head = bytearray()
        self._tail = bytearray()

    def heard(self, piece: bytes, /) -> None:
        if len(self._head) < BODY_BYTES:
            self._head += piece
            return
        self._tail += piece
        if len(self._tail) > 2 * BODY_BYTES:
            del self._tail[:-BODY_BYTES]

    def began(self) -> None:
        self._first_ms = self._milliseconds()

    def ended(self, ended: Ended) -> None:
        self._took_ms = self._milliseconds()
        self._recorder.keep(self, ended)

    def told(self, ended: Ended) -> NewDebugRun:
        """The call, fit to be kept."""
        sent, error = self._sent, ended.error
        usage = ended.finish.usage if ended.finish else None
        return NewDebugRun(
            chat_id=ChatId(UUID(self._ids["chat"])),
            turn=int(self._ids.get("turn", 0)),
            attempt=int(self._ids.get("attempt", 0)),
            purpose=self._ids.get("purpose", "other"),
            provider=sent.provider,
            model=sent.model,
            started_at=self._started_at,
            first_event_ms=self._first_ms,
            duration_ms=self._took_ms,
            outcome=ended.outcome,
            status=ended.status,
            error=None if error is None else error.message,
            usage=None if usage is None else msgspec.json.encode(usage).decode(),
            cost=ended.cost,
            blocks=sent.blocks,
            request=packed(told_request(sent)),
            response=packed(told_response(bytes(self._head + self._tail), sent.secrets)),
            kept=self._kept,
            others=KEPT_PER_CHAT - 1,
        )

    def _milliseconds(self) -> int:
        return round((self._clock.monotonic() - self._since) * 1000)
