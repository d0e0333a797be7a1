"""Schedules: every due time once, whoever looks and whoever dies; what was missed, overlaps, or keeps failing."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.access.actor import Role
from perdure.config.schedules import Missed, ScheduleOptions, due_times, meant
from perdure.core.recurrence.due_times import moments
from perdure.core.timing import SCHEDULE_MISSED, SCHEDULE_TAKEN, SystemClock
from perdure.observe.measures.all import Measures
from perdure.store.pool import Pool, open_pool
from perdure.store.tables import schedules
from perdure.testing.metric_reader import MetricReader
from perdure.testing.polling import seen
from perdure.testing.served_api import Person, ServedApi, serve_api
from perdure.triggers.admission import Admission
from perdure.triggers.schedules import MOST_FAILURES, ScheduleRunner

WATCH: dict[str, Any] = {"name": "Watch", "rule": "@yearly", "prompt": "Look around."}
"""Due so rarely that only the times count that a test makes up, however slow it is."""
TEXT = [{"type": "text", "text": "hello"}]


@pytest.fixture
async def api(database_url: str, pool: Pool) -> AsyncIterator[ServedApi]:
    async with serve_api(database_url, pool) as api:
        yield api


@pytest.fixture
async def ada(api: ServedApi) -> AsyncIterator[Person]:
    async with await api.person("ada") as ada:
        yield ada


def runner(api: ServedApi, measures: Measures | None = None) -> ScheduleRunner:
    """What begins runs on one replica."""
    services, counted = api.services, (measures or Measures()).schedules
    return ScheduleRunner(api.pool, Admission(services), services.pubsub, SystemClock(), counted)


async def scheduled(ada: Person, **body: Any) -> str:
    answer = await ada.post("/schedules", {**WATCH, **body})
    assert answer.status == 201, answer.json
    return answer.json["id"]


async def late(api: ServedApi, schedule: str, **by: int) -> datetime:
    """As if the next time had been so long ago."""
    ago = timedelta(**by)
    return await api.pool.fetchval(
        "UPDATE schedules SET next_at = date_trunc('minute', now()) - $2::interval WHERE id = $1 RETURNING next_at",
        UUID(schedule),
        ago,
    )


async def runs(ada: Person, schedule: str) -> list[dict[str, Any]]:
    return (await ada.get(f"/schedules/{schedule}/runs?limit=200")).json["items"]


async def rested(api: ServedApi, status: str = "waiting") -> None:
    """Every chat comes to rest."""
    error = '{"kind":"internal","message":"It broke."}' if status == "error" else None
    await api.pool.execute("UPDATE chats SET status = $1, last_error = $2", status, error)


async def test_a_due_time_begins_a_chat_with_the_prompt_as_its_owner_would(api: ServedApi, ada: Person) -> None:
    schedule = await scheduled(ada, budget_limit=5_000_000)
    due = await late(api, schedule, minutes=0)
    measures = Measures()
    numbers = MetricReader(measures.metrics)
    await runner(api, measures).once()
    assert numbers("perdure_schedule_runs_total", outcome="begun") == 1
    assert numbers("perdure_schedule_lateness_seconds_count") == 1
    (run,) = await runs(ada, schedule)
    assert (run["state"], datetime.fromisoformat(run["due_at"])) == ("begun", due)
    chat = (await ada.get(f"/chats/{run['chat_id']}")).json["chat"]
    assert (chat["title"], chat["source"], chat["owner_id"]) == ("Watch", "schedule", str(ada.id))
    (message,) = (await ada.get(f"/chats/{run['chat_id']}/messages")).json["items"]
    assert message["parts"][0]["text"] == "Look around."
    assert await api.pool.fetchval("SELECT budget_limit FROM chats") == 5_000_000
    upcoming = datetime.fromisoformat((await ada.get(f"/schedules/{schedule}")).json["next_at"])
    assert (upcoming.month, upcoming.day, upcoming > due) == (1, 1, True)


async def test_many_replicas_begin_each_due_time_once(api: ServedApi, ada: Person) -> None:
    made = [await scheduled(ada, name=f"Watch {n}", overlap="parallel") for n in range(40)]
    for schedule in made:
        await late(api, schedule, minutes=0)
    await asyncio.gather(*(runner(api).once() for _ in range(5)))
    assert await api.pool.fetchval("SELECT count(*) FROM chats") == 40
    assert await api.pool.fetchval("SELECT count(DISTINCT chat_id) FROM schedule_runs WHERE state = 'begun'") == 40


async def test_a_replica_that_dies_after_the_admission_leaves_no_second_chat(api: ServedApi, ada: Person) -> None:
    for body in ({"overlap": "parallel"}, {"chat_id": await chat_of(ada), "overlap": "skip"}):
        schedule = await scheduled(ada, **body)
        await rested(api)
        await late(api, schedule, minutes=0)
        await runner(api).once()
        (before,) = await runs(ada, schedule)
        messages = await api.pool.fetchval("SELECT count(*) FROM messages")
        # As if nobody had noted that it begun, and whoever took it had gone long ago.
        await api.pool.execute(
            "UPDATE schedule_runs SET state = 'due', chat_id = NULL, taken_at = now() - interval '1 hour' "
            "WHERE schedule_id = $1",
            UUID(schedule),
        )
        await runner(api).begin()
        (after,) = await runs(ada, schedule)
        assert (after["state"], after["chat_id"]) == ("begun", before["chat_id"])
        assert await api.pool.fetchval("SELECT count(*) FROM messages") == messages


async def chat_of(person: Person) -> str:
    return (await person.post("/chats", {"content": TEXT})).json["chat"]["id"]


@pytest.mark.parametrize(
    ("policy", "states"),
    [
        ({"missed": "skip"}, ["skipped"]),
        ({"missed": "once"}, ["begun", "skipped"]),
        ({"missed": "all", "most_missed": 3, "overlap": "parallel"}, ["begun", "begun", "begun", "skipped"]),
    ],
)
async def test_what_was_missed_is_skipped_run_once_or_made_up_for(
    api: ServedApi, ada: Person, policy: dict[str, Any], states: list[str]
) -> None:
    schedule = await scheduled(ada, rule="0 * * * *", **policy)
    first = await api.pool.fetchval(
        "UPDATE schedules SET next_at = date_trunc('hour', now()) - interval '9 hours' RETURNING next_at"
    )
    await runner(api).once()
    found = await runs(ada, schedule)
    fresh = datetime.now(UTC) - datetime.now(UTC).replace(minute=0, second=0, microsecond=0) <= SCHEDULE_MISSED
    expected = ["begun", *states] if fresh else states
    assert sorted(run["state"] for run in found) == sorted(expected)
    assert sum(run.get("times", 1) for run in found) == 10
    assert datetime.fromisoformat(min(run["due_at"] for run in found)) == first


@given(
    st.sampled_from(["* * * * *", "*/7 * * * *", "0 * * * *", "30 2 * * *", "0 0 1 * *"]),
    st.sampled_from(["UTC", "Europe/Berlin", "Australia/Lord_Howe"]),
    st.sampled_from(list(Missed)),
    st.integers(1, 20),
    st.lists(st.integers(0, 400_000), min_size=1, max_size=6),
)
def test_every_due_time_runs_or_is_skipped_and_never_both(
    line: str, zone_name: str, missed: Missed, most: int, looks: list[int]
) -> None:
    options = ScheduleOptions(name="", rule=line, zone=zone_name, prompt="", missed=missed, most_missed=most)
    rule, zone = meant(options)
    now = datetime(2027, 3, 26, tzinfo=UTC)
    due_at = next(moments(rule, zone, now))
    expected, ran, skipped = [due_at], list[datetime](), 0
    for seconds in looks:
        now += timedelta(seconds=seconds)
        while due_at is not None and due_at <= now:
            due = due_times(rule, zone, due_at, now, options)
            ran += due.runs
            skipped += due.skipped.times if due.skipped else 0
            assert due.next_at is not None
            due_at = due.next_at
    expected = list(_until(rule, zone, datetime(2027, 3, 26, tzinfo=UTC), now))
    assert len(ran) + skipped == len(expected)
    assert ran == sorted(set(ran))
    assert set(ran) <= set(expected)


def _until(rule: Any, zone: Any, after: datetime, end: datetime) -> Any:
    for moment in moments(rule, zone, after):
        if moment > end:
            return
        yield moment


@pytest.mark.parametrize(
    ("overlap", "state", "chats"),
    [
        ("skip", "skipped", 1),
        ("queue", "due", 1),
        ("parallel", "begun", 2),
        ("interrupt", "begun", 2),
        ("steer", "begun", 1),
    ],
)
async def test_a_time_that_comes_while_the_chat_before_works(
    api: ServedApi, ada: Person, overlap: str, state: str, chats: int
) -> None:
    schedule = await scheduled(ada, overlap=overlap)
    for _ in range(2):
        await ada.post(f"/schedules/{schedule}/runs", {})
    await runner(api).once()
    newest = (await runs(ada, schedule))[0]
    assert newest["state"] == state
    assert await api.pool.fetchval("SELECT count(*) FROM chats") == chats
    stopped = await api.pool.fetchval("SELECT count(*) FROM chats WHERE status = 'interrupting'")
    assert stopped == (1 if overlap == "interrupt" else 0)


async def test_a_queued_run_begins_once_the_chat_before_rests(api: ServedApi, ada: Person) -> None:
    schedule = await scheduled(ada, overlap="queue")
    for _ in range(2):
        await ada.post(f"/schedules/{schedule}/runs", {})
    await runner(api).once()
    assert [run["state"] for run in await runs(ada, schedule)] == ["due", "begun"]
    await rested(api)
    await api.pool.execute("UPDATE schedule_runs SET taken_at = taken_at - interval '1 minute'")
    await runner(api).once()
    assert {run["state"] for run in await runs(ada, schedule)} == {"begun"}
    assert await api.pool.fetchval("SELECT count(*) FROM chats") == 2


@pytest.mark.parametrize(
    ("overlap", "status"), [("queue", "running"), ("steer", "running"), ("interrupt", "interrupting")]
)
async def test_it_speaks_into_a_chat_that_works(api: ServedApi, ada: Person, overlap: str, status: str) -> None:
    chat = await chat_of(ada)
    schedule = await scheduled(ada, chat_id=chat, overlap=overlap)
    await late(api, schedule, minutes=0)
    await runner(api).once()
    (run,) = await runs(ada, schedule)
    assert (run["state"], run["chat_id"]) == ("begun", chat)
    shown = (await ada.get(f"/chats/{chat}")).json
    assert shown["chat"]["status"] == status
    assert [queued.get("steer", False) for queued in shown["queue"]] == [overlap == "steer"]


async def test_runs_end_with_their_chats_and_a_schedule_that_keeps_failing_is_paused(
    api: ServedApi, ada: Person
) -> None:
    schedule = await scheduled(ada, overlap="parallel")
    for round_ in range(MOST_FAILURES):
        assert (await ada.get(f"/schedules/{schedule}")).json["failures"] == round_
        await ada.post(f"/schedules/{schedule}/runs", {})
        await runner(api).once()
        await rested(api, "error")
        await runner(api).settle()
    shown = (await ada.get(f"/schedules/{schedule}")).json
    assert (shown["failures"], shown["pause_reason"], "next_at" in shown) == (MOST_FAILURES, "It broke.", False)
    assert {run["state"] for run in await runs(ada, schedule)} >= {"failed"}
    (told,) = [entry for entry in (await ada.get("/inbox")).json["items"] if entry["kind"] == "schedule_paused"]
    assert (told["title"], told["text"]) == ("Watch", "It broke.")
    again = await ada.patch(f"/schedules/{schedule}", {"paused": False})
    assert (again.json["failures"], "paused_at" in again.json) == (0, False)


async def test_one_that_went_well_makes_up_for_those_that_failed(api: ServedApi, ada: Person) -> None:
    schedule = await scheduled(ada, overlap="parallel")
    for status in ("error", "error", "waiting"):
        await ada.post(f"/schedules/{schedule}/runs", {})
        await runner(api).once()
        await rested(api, status)
        await runner(api).settle()
    assert (await ada.get(f"/schedules/{schedule}")).json["failures"] == 0


async def test_what_cannot_begin_fails_in_words(api: ServedApi, ada: Person) -> None:
    chat = await chat_of(ada)
    schedule = await scheduled(ada, chat_id=chat)
    await api.pool.execute("DELETE FROM chats WHERE id = $1", UUID(chat))
    await late(api, schedule, minutes=0)
    await runner(api).once()
    (run,) = await runs(ada, schedule)
    assert (run["state"], run["detail"]) == ("failed", "Chat not found.")


async def test_nothing_is_said_for_somebody_who_was_removed(api: ServedApi, ada: Person) -> None:
    schedule = await scheduled(ada)
    await late(api, schedule, minutes=0)
    await api.pool.execute("UPDATE users SET disabled_at = now() WHERE id = $1", ada.id)
    await runner(api).once()
    assert (
        await api.pool.fetchval("SELECT detail FROM schedule_runs") == "The user who created the schedule was removed."
    )
    assert await api.pool.fetchval("SELECT count(*) FROM chats") == 0


async def test_a_schedule_that_means_nothing_any_more_fails_in_words_and_holds_up_no_other(
    api: ServedApi, ada: Person
) -> None:
    broken, whole = await scheduled(ada), await scheduled(ada)
    for each in (broken, whole):
        await late(api, each, minutes=0)
    options = "jsonb_set(options::jsonb, '{zone}', '\"US/Gone\"')::text"
    await api.pool.execute(f"UPDATE schedules SET options = {options} WHERE id = $1", UUID(broken))  # noqa: S608
    await runner(api).once()
    assert [run["state"] for run in await runs(ada, whole)] == ["begun"]
    (failed,) = await runs(ada, broken)
    assert (failed["state"], failed["detail"]) == (
        "failed",
        "Its rule or its time zone is not known any more. Change it to go on.",
    )
    assert "next_at" not in (await ada.get(f"/schedules/{broken}")).json
    assert "next_at" in (await ada.patch(f"/schedules/{broken}", {"zone": "America/New_York"})).json


async def test_it_can_be_run_now_besides(api: ServedApi, ada: Person) -> None:
    schedule = await scheduled(ada)
    asked = await ada.post(f"/schedules/{schedule}/runs", {})
    assert (asked.status, asked.json["state"]) == (202, "due")
    await runner(api).once()
    (run,) = await runs(ada, schedule)
    assert (run["id"], run["state"]) == (asked.json["id"], "begun")


async def test_a_paused_schedule_waits_and_goes_on_with_the_next_time(api: ServedApi, ada: Person) -> None:
    schedule = await scheduled(ada)
    assert "next_at" not in (await ada.patch(f"/schedules/{schedule}", {"paused": True})).json
    await runner(api).once()
    assert await runs(ada, schedule) == []
    shown = (await ada.patch(f"/schedules/{schedule}", {"paused": False})).json
    assert datetime.fromisoformat(shown["next_at"]) > datetime.now(UTC)


async def test_a_change_of_words_leaves_out_no_due_time(api: ServedApi, ada: Person) -> None:
    schedule = await scheduled(ada)
    due = await late(api, schedule, minutes=0)
    changed = (await ada.patch(f"/schedules/{schedule}", {"prompt": "Look again."})).json
    assert datetime.fromisoformat(changed["next_at"]) == due


async def test_the_next_times_are_shown_as_the_clock_of_the_zone_has_them(ada: Person) -> None:
    shown = await ada.get("/schedules/times?rule=0+9+*+*+1-5&zone=Europe/Berlin&count=3")
    assert [each[11:19] for each in shown.json["items"]] == ["09:00:00"] * 3
    assert {each[-6:] for each in shown.json["items"]} <= {"+01:00", "+02:00"}


async def test_a_rule_as_a_calendar_exports_it_is_kept_by_the_clock_of_its_zone(ada: Person) -> None:
    """Where the first time has a zone, RFC 5545 wants UNTIL in UTC."""
    zone = "America/New_York"
    rule = f"DTSTART;TZID={zone}:20400105T090000\nRRULE:FREQ=DAILY;UNTIL=20400107T140000Z"
    made = (await ada.post("/schedules", {**WATCH, "rule": rule, "zone": zone})).json
    assert made["rule"].endswith("UNTIL=20400107T090000")
    assert made["next_at"] == "2040-01-05T14:00:00Z"
    asked = quote(made["rule"])
    shown = (await ada.get(f"/schedules/times?rule={asked}&zone={zone}")).json["items"]
    assert shown == [f"2040-01-0{day}T09:00:00-05:00" for day in (5, 6, 7)]
    begun = "DTSTART:20400105T140000Z\nRRULE:FREQ=DAILY;COUNT=1"
    assert (await ada.post("/schedules", {**WATCH, "rule": begun, "zone": zone})).json["next_at"] == made["next_at"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"rule": "DTSTART;TZID=Europe/Berlin:20400105T090000\nRRULE:FREQ=DAILY", "zone": "Asia/Tokyo"}, "rule"),
        ({"rule": "FREQ=DAILY;UNTIL=20401305T090000Z"}, "rule"),
        ({"rule": "FREQ=WEEKLY;WKST=XX"}, "rule"),
        ({"rule": "0 0 30 2 *"}, "rule"),
        ({"rule": "61 * * * *"}, "rule"),
        ({"rule": "FREQ=DAILY;UNTIL=20010101"}, "rule"),
        ({"zone": "Mars/Olympus"}, "zone"),
        ({"prompt": "  "}, "prompt"),
        ({"model": "none"}, "model"),
        ({"workspace": {"template": "none"}}, "workspace.template"),
    ],
)
async def test_what_could_never_run_is_refused_at_once(ada: Person, body: dict[str, Any], field: str) -> None:
    answer = await ada.post("/schedules", {**WATCH, **body})
    assert (answer.status, [each["field"] for each in answer.json["validations"]]) == (400, [field])


async def test_a_schedule_is_nobody_elses(api: ServedApi, ada: Person) -> None:
    schedule = await scheduled(ada)
    async with await api.person("eve", Role.ADMIN) as eve:
        for method, path, body in (
            ("GET", "", None),
            ("PATCH", "", {"paused": True}),
            ("DELETE", "", None),
            ("GET", "/runs", None),
            ("POST", "/runs", {}),
        ):
            assert (await eve.ask(method, f"/schedules/{schedule}{path}", body)).status == 404
        assert (await eve.post("/schedules", {**WATCH, "chat_id": await chat_of(ada)})).status in (403, 404)
        assert (await eve.get("/schedules")).json["items"] == []


async def test_a_run_whose_taker_has_gone_is_begun_at_once_and_of_one_who_works_it_is_not(
    api: ServedApi, ada: Person, database_url: str
) -> None:
    schedule = await scheduled(ada)
    await late(api, schedule, minutes=0)
    await runner(api).pass_times()
    async with open_pool(database_url, size=1) as theirs:
        assert len(await schedules.take(theirs, SCHEDULE_TAKEN, 32)) == 1
        assert await runner(api).begin() == 0
    await seen(lambda: _begun(api))
    (run,) = await runs(ada, schedule)
    assert run["state"] == "begun"


async def _begun(api: ServedApi) -> bool:
    """Once the database knows that the session of the other one has ended."""
    return await runner(api).begin() == 1
