"""Schedules: chats that begin by themselves, and what became of them."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from perdure.access.actor import Permission
from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.speech import check_speech
from perdure.api.wire.chats import Prompt, Title
from perdure.api.wire.content import END, LINE
from perdure.api.wire.control import Nothing
from perdure.api.wire.options import changes_of, options_of
from perdure.api.wire.speech import SpeechBody, SpeechPatch
from perdure.config.schedules import (
    MOST_AT_ONCE,
    Missed,
    Overlap,
    ScheduleOptions,
    Schedules,
    read_options,
    upcoming_times,
)
from perdure.config.speech import Speech
from perdure.core.ids import ChatId, ScheduleId
from perdure.core.recurrence.due_times import zone_of
from perdure.store.tables.schedules import RunState, ScheduleRow

Rule = Annotated[str, Meta(min_length=1, max_length=500, pattern=r"^[^\u0000]*" + END)]
Zone = Annotated[str, Meta(min_length=1, max_length=100, pattern=LINE)]
MostMissed = Annotated[int, Meta(ge=1, le=MOST_AT_ONCE)]


class Schedule(Speech, frozen=True, kw_only=True, omit_defaults=True):
    """What is said when, and how that goes."""

    id: ScheduleId
    name: str
    rule: str
    zone: str
    prompt: str
    missed: Missed
    most_missed: int
    overlap: Overlap
    failures: int
    """How often in a row it failed."""
    created_at: datetime
    next_at: datetime | None = None
    """When it is due next. None where it is paused, or no time is left."""
    paused_at: datetime | None = None
    pause_reason: str = ""
    last_chat_id: ChatId | None = None
    """The chat that it began or spoke into last."""

    @classmethod
    def of(cls, row: ScheduleRow) -> "Schedule":
        stood = {name: value for name, value in structs.asdict(row).items() if name != "options"}
        return cls(**structs.asdict(read_options(row.options)), **stood)


class ShownSchedules(Struct, frozen=True):
    items: tuple[Schedule, ...]


class ScheduleBody(SpeechBody, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    name: Title
    rule: Rule
    """A cron line such as `0 9 * * 1-5`, or a recurrence rule of RFC 5545 such as `FREQ=WEEKLY;BYDAY=MO`."""
    zone: Zone = "UTC"
    """Whose wall clock is meant, such as `Europe/Berlin`."""
    prompt: Prompt
    missed: Missed = Missed.ONCE
    """What happens to times that passed while no server ran."""
    most_missed: MostMissed = 10
    """How many missed times `all` makes up for."""
    overlap: Overlap = Overlap.QUEUE
    """What a time means that comes while the chat still works."""

    def options(self) -> ScheduleOptions:
        return options_of(self, ScheduleOptions)


class SchedulePatch(SpeechPatch, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is not named stays as it is."""

    name: Title | UnsetType = UNSET
    rule: Rule | UnsetType = UNSET
    zone: Zone | UnsetType = UNSET
    prompt: Prompt | UnsetType = UNSET
    missed: Missed | UnsetType = UNSET
    most_missed: MostMissed | UnsetType = UNSET
    overlap: Overlap | UnsetType = UNSET
    paused: bool | UnsetType = UNSET
    """Whether nothing is due for now. Times that pass meanwhile are not made up for."""

    def changes(self) -> dict[str, object]:
        return changes_of(self, ScheduleOptions)


class TimesQuery(Struct, frozen=True, forbid_unknown_fields=True):
    rule: Rule
    zone: Zone = "UTC"
    count: Annotated[int, Meta(ge=1, le=100)] = 5


class Times(Struct, frozen=True):
    items: tuple[datetime, ...]
    """With the offset of the zone at each time."""


class Run(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of a due time, or of several in a row that were skipped."""

    id: int
    due_at: datetime
    state: RunState
    last_due_at: datetime
    times: int = 1
    detail: str = ""
    chat_id: ChatId | None = None
    begun_at: datetime | None = None
    ended_at: datetime | None = None


class Runs(Struct, frozen=True, omit_defaults=True):
    items: tuple[Run, ...]
    next_cursor: str | None = None


class RunsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    cursor: Annotated[str, Meta(pattern=r"^[0-9]{0,18}" + END)] = ""
    limit: Annotated[int, Meta(ge=1, le=200)] = 50


routes = Routes("schedules")


@routes.get("/schedules")
async def list_schedules(caller: Caller) -> ShownSchedules:
    """Your schedules, oldest first."""
    return ShownSchedules(tuple(Schedule.of(row) for row in await _schedules(caller).all()))


@routes.get("/schedules/times")
async def list_times(caller: Caller, query: TimesQuery) -> Times:
    """When a rule would be due next, in local time of its zone."""
    times = upcoming_times(query.rule, query.zone, caller.services.clock.now(), query.count)
    zone = zone_of(query.zone)
    return Times(tuple(each.astimezone(zone) for each in times))


@routes.post("/schedules", status=201)
async def add_schedule(caller: Caller, body: ScheduleBody) -> Schedule:
    """Create a schedule: it sends a message at certain times, in a new chat each time or in one of yours."""
    caller.actor.require(Permission.CHAT)
    options = body.options()
    await check_speech(caller, options)
    row = await _schedules(caller).add(options)
    caller.announcements.schedules_changed()
    return Schedule.of(row)


@routes.get("/schedules/{schedule_id}")
async def read_schedule(caller: Caller, schedule_id: ScheduleId) -> Schedule:
    """One of your schedules."""
    return Schedule.of(await _schedules(caller).one(schedule_id))


@routes.patch("/schedules/{schedule_id}")
async def change_schedule(caller: Caller, schedule_id: ScheduleId, body: SchedulePatch) -> Schedule:
    """Change, pause or resume a schedule."""
    schedules, changes = _schedules(caller), body.changes()
    before = read_options((await schedules.one(schedule_id)).options)
    caller.actor.require(Permission.CHAT)
    await check_speech(caller, structs.replace(before, **changes))
    paused = body.paused if isinstance(body.paused, bool) else None
    row = await schedules.change(schedule_id, changes, paused=paused)
    caller.announcements.schedules_changed()
    return Schedule.of(row)


@routes.delete("/schedules/{schedule_id}")
async def remove_schedule(caller: Caller, schedule_id: ScheduleId) -> None:
    """Remove a schedule and its history. Chats that it started are kept."""
    await _schedules(caller).delete(schedule_id)


@routes.get("/schedules/{schedule_id}/runs")
async def list_runs(caller: Caller, schedule_id: ScheduleId, query: RunsQuery) -> Runs:
    """A schedule's past runs, newest first. Kept for 90 days."""
    before = int(query.cursor) if query.cursor else None
    rows = await _schedules(caller).runs(schedule_id, before=before, limit=query.limit)
    more = str(rows[-1].id) if len(rows) == query.limit else None
    return Runs(tuple(Run(**structs.asdict(row)) for row in rows), more)


@routes.post("/schedules/{schedule_id}/runs", status=202)
async def run_schedule(caller: Caller, schedule_id: ScheduleId, body: Nothing) -> Run:  # noqa: ARG001
    """Run a schedule once, now."""
    caller.actor.require(Permission.CHAT)
    run = await _schedules(caller).run_now(schedule_id)
    caller.announcements.schedules_changed()
    return Run(**structs.asdict(run))


def _schedules(caller: Caller) -> Schedules:
    return Schedules(caller.rows, caller.services.clock.now())
