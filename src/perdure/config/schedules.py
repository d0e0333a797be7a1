"""Schedules: what is said when, what happens to times that were missed, and to those that come while a chat works."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from itertools import islice
from uuid import uuid4
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct, structs

from perdure.access.actor import ActorRows, record
from perdure.config.speech import Speech
from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.core.ids import ScheduleId
from perdure.core.recurrence.due_times import moments, next_times, on_the_wall, rule_of, zone_of
from perdure.core.recurrence.rule import BadRule, Rule
from perdure.core.timing import SCHEDULE_MISSED
from perdure.store.tables import schedules
from perdure.store.tables.schedules import ScheduleRow, ScheduleRun

MOST_SCHEDULES = 1_000
"""How many one person may have."""
MOST_AT_ONCE = 100
"""How many missed times are made up for at most."""
MOST_LOOKED_AT = 5_000
"""How many missed times of one schedule are gone through at a time."""


class Missed(StrEnum):
    """What happens to due times that passed while no replica ran."""

    SKIP = "skip"
    ONCE = "once"
    """Only the newest of them runs."""
    ALL = "all"
    """The newest of them run, up to a bound."""


class Overlap(StrEnum):
    """What a due time means while the chat still works: the one that is spoken into, or that the time before began."""

    QUEUE = "queue"
    """It waits until the chat rests."""
    SKIP = "skip"
    STEER = "steer"
    """It is said to the chat that works, before its next step."""
    INTERRUPT = "interrupt"
    """What works is stopped for it."""
    PARALLEL = "parallel"
    """Another chat begins beside it."""


class ScheduleOptions(Speech, frozen=True, kw_only=True, omit_defaults=True):
    """All about a schedule that somebody chose."""

    name: str
    rule: str
    """A cron line, or a recurrence rule with its first time."""
    zone: str
    prompt: str
    missed: Missed = Missed.ONCE
    most_missed: int = 10
    overlap: Overlap = Overlap.QUEUE


class Skipped(Struct, frozen=True):
    """Due times in a row that do not run."""

    first: datetime
    last: datetime
    times: int


class Due(Struct, frozen=True):
    """What a look at a schedule whose time has come leads to."""

    runs: tuple[datetime, ...]
    skipped: Skipped | None
    next_at: datetime | None


def due_times(rule: Rule, zone: ZoneInfo, due_at: datetime, now: datetime, options: ScheduleOptions) -> Due:
    """Which of the times from `due_at` to now run, which are skipped, and when the next is. Each is one of these."""
    passed, upcoming = [due_at], None
    for moment in islice(moments(rule, zone, due_at), MOST_LOOKED_AT):
        if moment > now:
            upcoming = moment
            break
        passed.append(moment)
    else:
        upcoming = next(moments(rule, zone, passed[-1]), None)
    missed = [moment for moment in passed if now - moment > SCHEDULE_MISSED]
    # Newer ones were missed as well where so many passed that they are gone through in pieces.
    whole = upcoming is None or upcoming > now
    kept = _made_up_for(options) if whole else 0
    left = missed[: len(missed) - kept] if kept else missed
    runs = tuple(moment for moment in passed if not left or moment > left[-1])
    return Due(runs, Skipped(left[0], left[-1], len(left)) if left else None, upcoming)


def _made_up_for(options: ScheduleOptions) -> int:
    match options.missed:
        case Missed.SKIP:
            return 0
        case Missed.ONCE:
            return 1
        case Missed.ALL:
            return options.most_missed


def read_options(row_options: str) -> ScheduleOptions:
    return _options.decode(row_options)


def meant(options: ScheduleOptions) -> tuple[Rule, ZoneInfo]:
    """The rule and the zone of a schedule. Both were checked when they were stored."""
    return rule_of(options.rule), zone_of(options.zone)


def upcoming_times(rule: str, zone: str, after: datetime, count: int) -> list[datetime]:
    """The next times of a rule that somebody types. Raises where it means nothing, in words."""
    try:
        place = zone_of(zone)
    except BadRule as error:
        raise InvalidInput(str(error), Validation("zone", "is not known")) from None
    try:
        times = next_times(rule_of(anchored(rule, zone, after)), place, after, count)
    except BadRule as error:
        raise InvalidInput(str(error), Validation("rule", "is not valid")) from None
    if not times:
        raise InvalidInput("This rule never runs again.", Validation("rule", "never fires"))
    return times


def anchored(rule: str, zone: str, now: datetime) -> str:
    """The rule by the wall clock of its zone, with the time that it begins at where it needs one and names none."""
    if "FREQ" not in rule.upper():
        return rule.strip()
    place = zone_of(zone)
    rule = on_the_wall(rule.strip(), place)
    if "DTSTART" in rule.upper():
        return rule
    first = now.astimezone(place)
    return f"DTSTART:{first:%Y%m%dT%H%M}00\nRRULE:{rule.upper().removeprefix('RRULE:')}"


class Schedules:
    """The schedules of one person, as they may see and change them."""

    def __init__(self, rows: ActorRows, now: datetime) -> None:
        self._rows = rows
        self._now = now

    async def all(self) -> list[ScheduleRow]:
        return await schedules.listed(self._rows)

    async def one(self, schedule_id: ScheduleId) -> ScheduleRow:
        return _there(await schedules.one(self._rows, schedule_id))

    async def add(self, options: ScheduleOptions, schedule_id: ScheduleId | None = None) -> ScheduleRow:
        options, next_at = self._checked(options)
        given = schedule_id or ScheduleId(uuid4())
        row = await schedules.add(self._rows, given, _text(options), next_at, MOST_SCHEDULES)
        if row is None:
            raise InvalidInput(f"A person can have at most {MOST_SCHEDULES} schedules.")
        await record(self._rows, "schedule.add", row.id, name=options.name, rule=options.rule, zone=options.zone)
        return row

    async def change(self, schedule_id: ScheduleId, changes: dict[str, object], *, paused: bool | None) -> ScheduleRow:
        row = await self.one(schedule_id)
        before = read_options(row.options)
        options, next_at = self._checked(structs.replace(before, **changes))
        rests = row.paused_at is not None if paused is None else paused
        # A due time that passed a moment ago is still to be seen: the same times go on from there.
        going_on = (before.rule, before.zone) == (options.rule, options.zone) and not rests and row.next_at is not None
        text, then = _text(options), None if rests else next_at
        changed = await schedules.change(self._rows, schedule_id, text, then, rests, going_on)
        await record(self._rows, "schedule.change", schedule_id, fields=sorted(changes), paused=rests)
        return _there(changed)

    async def delete(self, schedule_id: ScheduleId) -> None:
        if await schedules.delete(self._rows, schedule_id) is None:
            raise NotFound("Schedule not found.")
        await record(self._rows, "schedule.delete", schedule_id)

    async def runs(self, schedule_id: ScheduleId, *, before: int | None, limit: int) -> Sequence[ScheduleRun]:
        await self.one(schedule_id)
        return await schedules.runs(self._rows, schedule_id, before, limit)

    async def run_now(self, schedule_id: ScheduleId) -> ScheduleRun:
        run = await schedules.run_now(self._rows, schedule_id)
        if run is None:
            raise NotFound("Schedule not found.")
        await record(self._rows, "schedule.run", schedule_id)
        return run

    def _checked(self, options: ScheduleOptions) -> tuple[ScheduleOptions, datetime]:
        (next_at,) = upcoming_times(options.rule, options.zone, self._now, 1)
        if not options.prompt.strip():
            raise InvalidInput("The schedule's message is empty.", Validation("prompt", "must not be blank"))
        options.check()
        if options.chat_id is not None and options.overlap is Overlap.PARALLEL:
            raise InvalidInput("A chat runs one turn at a time.", Validation("overlap", "only applies to new chats"))
        return structs.replace(options, rule=anchored(options.rule, options.zone, self._now)), next_at


_options = msgspec.json.Decoder(ScheduleOptions)


def _there(row: ScheduleRow | None) -> ScheduleRow:
    if row is None:
        raise NotFound("Schedule not found.")
    return row


def _text(options: ScheduleOptions) -> str:
    return msgspec.json.encode(options).decode()
