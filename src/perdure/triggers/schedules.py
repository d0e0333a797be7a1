"""Beginning what is due. Every due time becomes one run, in the statement that moves its schedule on."""

import asyncio
import logging
from datetime import timedelta
from typing import TypeVar

from msgspec import Struct, structs

from perdure.api.routes.control import interrupt
from perdure.api.wire.content import TextContent
from perdure.api.wire.control import TurnBody
from perdure.config.schedules import Due, Overlap, ScheduleOptions, due_times, meant, read_options
from perdure.core.card import ChatSource
from perdure.core.chat import AT_REST, Busy, Status
from perdure.core.errors import DatabaseFault, PerdureError, Refused, Unavailable
from perdure.core.ids import ChatId, UserId
from perdure.core.notice import SCHEDULES_CHANGED, Notice, Topic
from perdure.core.timing import (
    IDEMPOTENCY_KEPT,
    SCHEDULE_PERIOD,
    SCHEDULE_RUNS_KEPT,
    SCHEDULE_SETTLE_PERIOD,
    SCHEDULE_TAKEN,
    Clock,
)
from perdure.observe.measures.work import ScheduleMeasures
from perdure.store.pool import Pool
from perdure.store.pubsub import Pubsub
from perdure.store.tables import schedules
from perdure.store.tables.schedules import DueSchedule, Passed, RunState, TakenRun
from perdure.triggers.admission import Admission, Occasion
from perdure.triggers.speaking import UNEXPECTED, Later, Skip, message, new_chat

BATCH = 32
SETTLED = 500
MOST_FAILURES = 5
"""How often in a row a schedule may fail before it is paused."""
LATEST = IDEMPOTENCY_KEPT / 2
"""How old a run may get before it begins: for so long it is certain whether it has begun already."""
_UNREADABLE = "Its rule or its time zone is not known any more. Change it to go on."
_BUSY = {Overlap.QUEUE: Busy.QUEUE, Overlap.STEER: Busy.STEER, Overlap.INTERRUPT: Busy.INTERRUPT}
_log = logging.getLogger(__name__)
T = TypeVar("T")


class ScheduleRunner:
    """Looks for what is due, on every replica at once: whoever moves a schedule on notes its runs, whoever takes a run
    begins it.
    """

    def __init__(
        self, pool: Pool, admission: Admission, pubsub: Pubsub, clock: Clock, measures: ScheduleMeasures
    ) -> None:
        self._pool = pool
        self._admission = admission
        self._pubsub = pubsub
        self._clock = clock
        self._measures = measures
        self._some = asyncio.Event()
        self._settled_at = clock.monotonic()

    def heard(self, notice: Notice) -> None:
        if notice.topic is Topic.CONFIG and notice.name == SCHEDULES_CHANGED:
            self._some.set()

    async def run(self) -> None:
        while True:
            wait = SCHEDULE_PERIOD
            try:
                wait = await self.once()
                if self._clock.monotonic() - self._settled_at >= SCHEDULE_SETTLE_PERIOD.total_seconds():
                    await self.settle()
                    self._settled_at = self._clock.monotonic()
            except (Unavailable, DatabaseFault) as error:
                _log.warning("schedules wait for the database: %s", error)
            await self._until_some(wait)

    async def once(self) -> timedelta:
        """Note and begin what is due. How long nothing else is."""
        while True:
            outlook = await schedules.outlook(self._pool)
            until_due = SCHEDULE_PERIOD if outlook.until_due is None else outlook.until_due
            passed = await self.pass_times() if until_due <= timedelta(0) else 0
            begun = await self.begin() if outlook.waiting or passed else 0
            if not passed and not begun:
                return max(min(until_due, SCHEDULE_PERIOD), timedelta(0))

    async def pass_times(self) -> int:
        """Move schedules on that are due, and note what that passes. How many there were."""
        found = await schedules.due(self._pool, BATCH)
        if found:
            looked = [(each, _due(each)) for each in found]
            await schedules.advance(self._pool, _passed(looked))
            for _, due in looked:
                if due is not None and due.skipped is not None:
                    self._measures.ran("skipped", due.skipped.times)
        return len(found)

    async def begin(self) -> int:
        """Begin runs that nobody begins yet. How many were taken."""
        taken = await schedules.take(self._pool, SCHEDULE_TAKEN, BATCH)
        found = await asyncio.gather(*(self._begun(run) for run in taken))
        begun = [(run.id, chat_id) for run, chat_id in zip(taken, found, strict=True) if chat_id is not None]
        if begun:
            await schedules.begun(self._pool, [run for run, _ in begun], [chat for _, chat in begun])
        return len(taken)

    async def settle(self) -> None:
        """Note which runs are over, and tell whose schedule is paused since it failed too often."""
        self._tell(await schedules.settle(self._pool, MOST_FAILURES, SETTLED))
        await schedules.settle_lost(self._pool)
        await schedules.purge(self._pool, SCHEDULE_RUNS_KEPT)

    async def _begun(self, run: TakenRun) -> ChatId | None:
        try:
            chat_id = await self._admitted(run, read_options(run.options))
        except Later as later:
            await schedules.put_off(self._pool, run.id, str(later))
        except Skip as skip:
            await self._ended(run, RunState.SKIPPED, str(skip))
        except (Unavailable, DatabaseFault) as error:
            _log.warning("a run of a schedule is tried again: %s", error)
        except PerdureError as error:
            await self._ended(run, RunState.FAILED, str(error))
        except Exception:  # noqa: BLE001 - the edge of one of many: it holds up no other
            _log.exception("a run of a schedule could not begin")
            await self._ended(run, RunState.FAILED, UNEXPECTED)
        else:
            self._measures.ran("begun")
            self._measures.late(run.late.total_seconds())
            return chat_id
        return None

    async def _ended(self, run: TakenRun, state: RunState, detail: str) -> None:
        told = await schedules.end_run(self._pool, run.id, state, detail, MOST_FAILURES)
        self._measures.ran(state.value)
        self._tell([] if told is None else [told])

    async def _admitted(self, run: TakenRun, options: ScheduleOptions) -> ChatId:
        """The chat that the run went into, whoever brought it there."""
        person = (run.owner_id, run.organisation_id, run.role, run.name)
        name = Occasion.named("schedule-run", run.id, run.created_at)
        occasion = Occasion(name, ChatSource.SCHEDULE, *person)
        if run.again and (begun := await self._admission.known(occasion)) is not None:
            return begun
        if run.age > LATEST:
            raise Skip("No server could start it in time.")
        if run.removed:
            raise Refused("The user who created the schedule was removed.")
        if options.chat_id is not None:
            return await self._said(occasion, options.chat_id, options)
        works = run.last_status is not None and Status(run.last_status) not in AT_REST
        if works and run.last_chat_id is not None:
            if options.overlap is Overlap.STEER:
                return await self._said(occasion, run.last_chat_id, options)
            await self._make_way(occasion, run.last_chat_id, options.overlap)
        return await self._admission.begin(occasion, new_chat(options, (TextContent(options.prompt),), options.name))

    async def _make_way(self, occasion: Occasion, chat_id: ChatId, overlap: Overlap) -> None:
        """What is done about the chat that the time before began, where that still works."""
        match overlap:
            case Overlap.SKIP:
                raise Skip("The chat that the time before began still works.")
            case Overlap.QUEUE:
                raise Later("The chat that the time before began still works.")
            case Overlap.INTERRUPT:
                await self._stop(occasion, chat_id)
            case Overlap.PARALLEL | Overlap.STEER:
                pass

    async def _said(self, occasion: Occasion, chat_id: ChatId, options: ScheduleOptions) -> ChatId:
        if options.overlap is Overlap.SKIP:
            seen = await self._admission.caller(occasion).chats.own(chat_id)
            if seen.chat.status not in AT_REST:
                raise Skip("The chat still works.")
        body = message(options, (TextContent(options.prompt),), _BUSY.get(options.overlap, Busy.QUEUE))
        return await self._admission.say(occasion, chat_id, body)

    async def _stop(self, occasion: Occasion, chat_id: ChatId) -> None:
        caller = self._admission.caller(occasion)
        try:
            seen = await caller.chats.own(chat_id)
            await interrupt(caller, chat_id, TurnBody(turn=seen.chat.turn))
        except Refused:
            _log.debug("chat %s came to rest by itself", chat_id)

    def _tell(self, paused: list[UserId]) -> None:
        if paused:
            self._pubsub.publish([Notice(Topic.INBOX, name=str(user_id)) for user_id in paused])

    async def _until_some(self, wait: timedelta) -> None:
        try:
            async with asyncio.timeout(wait.total_seconds()):
                await self._some.wait()
        except TimeoutError:
            pass
        self._some.clear()


def _due(found: DueSchedule) -> Due | None:
    """None where its rule or its zone means nothing any more: it holds up no other, and waits until it is changed."""
    try:
        options = read_options(found.options)
        rule, zone = meant(options)
        return due_times(rule, zone, found.due_at, found.now, options)
    except Exception:  # noqa: BLE001 - the edge of one of many: it holds up no other
        _log.exception("a schedule's next time could not be found")
        return None


class _Noted(Struct, frozen=True):
    """A row of the history, as it begins."""

    schedule: DueSchedule
    due_at: object
    last_due_at: object
    times: int = 1
    state: RunState = RunState.DUE
    detail: str = ""


def _passed(looked: list[tuple[DueSchedule, Due | None]]) -> Passed:
    noted = [each for schedule, due in looked for each in _noted(schedule, due)]
    fields = [structs.astuple(each) for each in noted]
    columns = zip(*fields, strict=True)
    found, due_at, last_due_at, times, states, details = columns
    return Passed(
        ids=[schedule.id for schedule, _ in looked],
        seen=[schedule.due_at for schedule, _ in looked],
        next_at=[None if due is None else due.next_at for _, due in looked],
        schedule_ids=[schedule.id for schedule in found],
        due_at=due_at,
        last_due_at=last_due_at,
        times=times,
        states=states,
        details=details,
    )


def _noted(schedule: DueSchedule, due: Due | None) -> list[_Noted]:
    if due is None:
        return [_Noted(schedule, schedule.due_at, schedule.due_at, state=RunState.FAILED, detail=_UNREADABLE)]
    noted = [_Noted(schedule, moment, moment) for moment in due.runs]
    if due.skipped is None:
        return noted
    first, last, times = structs.astuple(due.skipped)
    return [_Noted(schedule, first, last, times, RunState.SKIPPED, "Nobody was there when it was due."), *noted]
