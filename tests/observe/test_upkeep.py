"""A service that stumbles goes on, and is heard of."""

import asyncio
import logging

import pytest

from perdure.core.timing import SystemClock
from perdure.observe.upkeep import kept_up


async def test_a_service_that_fails_starts_again_and_says_why(caplog: pytest.LogCaptureFixture) -> None:
    starts: list[int] = []

    async def sweep() -> None:
        starts.append(len(starts))
        if len(starts) < 3:
            raise LookupError("a row that nobody expected")

    with caplog.at_level(logging.ERROR):
        await kept_up(sweep, SystemClock())
    assert starts == [0, 1, 2]
    # Ours only: what other tests left behind is told by whoever finds it.
    ours = [record for record in caplog.records if record.name.startswith("perdure")]
    assert [str(record.exc_info[1]) for record in ours if record.exc_info] == ["a row that nobody expected"] * 2


async def test_a_service_that_is_cancelled_ends() -> None:
    begun = asyncio.Event()

    async def forever() -> None:
        begun.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(kept_up(forever, SystemClock()))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
