"""Schedules, and what became of their due times."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from msgspec import Struct

from perdure.core.ids import ChatId, OrganisationId, ScheduleId, UserId
from perdure.store.query import query
from perdure.store.scopes import Database, PersonScope


class RunState(StrEnum):
    """What became of a due time."""

    DUE = "due"
    BEGUN = "begun"
    FINISHED = "finished"
    FAILED = "failed"
    SKIPPED = "skipped"


class ScheduleRow(Struct, frozen=True):
    id: ScheduleId
    options: str
    next_at: datetime | None
    paused_at: datetime | None
    pause_reason: str
    failures: int
    last_chat_id: ChatId | None
    created_at: datetime


class ScheduleRun(Struct, frozen=True):
    """A due time, or several in a row that were skipped together."""

    id: int
    due_at: datetime
    last_due_at: datetime
    times: int
    state: RunState
    detail: str
    chat_id: ChatId | None
    begun_at: datetime | None
    ended_at: datetime | None


class DueSchedule(Struct, frozen=True):
    id: ScheduleId
    options: str
    due_at: datetime
    now: datetime


class Outlook(Struct, frozen=True):
    """What there is to do, and how long until there is more."""

    until_due: timedelta | None
    waiting: bool


class TakenRun(Struct, frozen=True):
    """A run to begin, for whom, and what the run before it is doing."""

    id: int
    again: bool
    """Whether somebody took it before, who may have begun it."""
    created_at: datetime
    age: timedelta
    late: timedelta
    options: str
    owner_id: UserId
    organisation_id: OrganisationId
    role: str
    name: str
    removed: bool
    last_chat_id: ChatId | None
    last_status: str | None


class Passed(Struct, frozen=True):
    """Schedules as they were seen, when each is due next, and what is noted of the due times between: as columns."""

    ids: Sequence[ScheduleId]
    seen: Sequence[datetime]
    next_at: Sequence[datetime | None]
    schedule_ids: Sequence[ScheduleId]
    due_at: Sequence[datetime]
    last_due_at: Sequence[datetime]
    times: Sequence[int]
    states: Sequence[str]
    details: Sequence[str]


@query
async def listed(scope: PersonScope) -> list[ScheduleRow]: ...


@query
async def one(scope: PersonScope, schedule_id: ScheduleId) -> ScheduleRow | None: ...


@query
async def add(
    scope: PersonScope, schedule_id: ScheduleId, options: str, next_at: datetime, most: int
) -> ScheduleRow | None: ...


@query
async def change(
    scope: PersonScope, schedule_id: ScheduleId, options: str, next_at: datetime | None, paused: bool, going_on: bool
) -> ScheduleRow | None: ...


@query
async def delete(scope: PersonScope, schedule_id: ScheduleId) -> ScheduleId | None: ...


@query
async def runs(scope: PersonScope, schedule_id: ScheduleId, before: int | None, limit: int) -> list[ScheduleRun]: ...


@query
async def run_now(scope: PersonScope, schedule_id: ScheduleId) -> ScheduleRun | None: ...


@query
async def due(db: Database, limit: int) -> list[DueSchedule]: ...


@query
async def outlook(db: Database) -> Outlook: ...


@query
async def advance(db: Database, passed: Passed) -> None: ...


@query
async def take(db: Database, dropped: timedelta, limit: int) -> list[TakenRun]: ...


@query
async def begun(db: Database, runs: Sequence[int], chats: Sequence[UUID]) -> None: ...


@query
async def put_off(db: Database, run_id: int, detail: str) -> None: ...


@query
async def end_run(db: Database, run_id: int, state: RunState, detail: str, most_failures: int) -> UserId | None: ...


@query
async def settle(db: Database, most_failures: int, limit: int) -> list[UserId]: ...


@query
async def settle_lost(db: Database) -> None: ...


@query
async def purge(db: Database, kept: timedelta) -> None: ...
