"""Background tasks that report, intervals that go on, delays that grow, and maps that do not."""

import asyncio
import logging
from collections import OrderedDict
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.core.tasks import BackgroundTasks, Backoff, BoundedMap, every

_log = logging.getLogger(__name__)


class Slept:
    """A clock on which waiting is writing down for how long; after so many times it ends the waiting."""

    def __init__(self, times: int) -> None:
        self.waits: list[float] = []
        self._times = times

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        if len(self.waits) > self._times:
            raise asyncio.CancelledError

    def monotonic(self) -> float:
        return sum(self.waits)

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC)


async def test_what_a_background_task_did_not_expect_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def fails() -> None:
        raise ValueError("no such thing")

    async def answers() -> int:
        return 3

    tasks = BackgroundTasks(_log)
    task = tasks.start(answers(), "counting")
    tasks.start(fails(), "looking")
    assert len(tasks) == 2
    await tasks.settled()
    assert (await task, len(tasks)) == (3, 0)
    assert [(record.message, str(record.exc_info and record.exc_info[1])) for record in caplog.records] == [
        ("looking failed", "no such thing")
    ]


async def test_a_task_that_was_cancelled_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    tasks = BackgroundTasks(_log)
    tasks.start(asyncio.Event().wait(), "waiting")
    tasks.cancel()
    await tasks.settled()
    assert caplog.records == []


async def test_an_interval_goes_on_after_a_failure_that_was_expected() -> None:
    clock, failures = Slept(3), list[BaseException]()

    async def work() -> None:
        raise OSError(len(clock.waits))

    with pytest.raises(asyncio.CancelledError):
        await every(timedelta(seconds=2), work, clock, expected=(OSError,), report=failures.append)
    assert clock.waits == [2, 2, 2, 2]
    assert [str(error) for error in failures] == ["1", "2", "3"]


async def test_a_delay_doubles_up_to_a_limit_and_begins_again() -> None:
    clock, backoff = Slept(10), Backoff(timedelta(seconds=1), timedelta(seconds=5))
    for _ in range(5):
        await backoff.wait(clock)
    backoff.reset()
    await backoff.wait(clock)
    assert clock.waits == [1, 2, 4, 5, 5, 1]
    assert backoff.next == timedelta(seconds=2)


async def test_delays_that_are_spread_stay_near_the_plain_ones() -> None:
    clock, backoff = Slept(100), Backoff(timedelta(seconds=1), timedelta(seconds=1), spread=0.3)
    for _ in range(50):
        await backoff.wait(clock)
    assert 0.7 <= min(clock.waits) < max(clock.waits) <= 1.3


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6))), st.integers(1, 4))
def test_a_bounded_map_holds_what_was_used_last(moves: list[tuple[bool, int]], room: int) -> None:
    kept, expected = BoundedMap[int, str](room), OrderedDict[int, str]()
    for keep, key in moves:
        if keep:
            kept.keep(key, str(key))
            expected[key] = str(key)
            expected.move_to_end(key)
            if len(expected) > room:
                expected.popitem(last=False)
        else:
            assert kept.get(key) == expected.get(key)
            if key in expected:
                expected.move_to_end(key)
    assert list(kept) == list(expected)
