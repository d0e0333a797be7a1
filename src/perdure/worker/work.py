"""One duty under way, in a task of its own: a newer row may cut it short."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from perdure.core.timing import CANCEL_PATIENCE, Clock
from perdure.worker.outcomes import Outcome

_log = logging.getLogger(__name__)


class Work:
    """It can be cut short. What does not heed that is left behind after a while, so that Stop works in any case."""

    def __init__(self, duty: Coroutine[Any, Any, Outcome], clock: Clock) -> None:
        self._task = asyncio.create_task(duty)
        self._clock = clock
        self._late: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._patience: asyncio.Task[None] | None = None

    def cut_short(self) -> None:
        self._task.cancel()
        if self._patience is None:
            self._patience = asyncio.create_task(self._lose_patience())

    async def _lose_patience(self) -> None:
        await self._clock.sleep(CANCEL_PATIENCE.total_seconds())
        if not self._late.done():
            self._late.set_result(None)

    async def over(self) -> bool:
        """Wait for its end. False where it was cut short and does not end."""
        try:
            await asyncio.wait({self._task, self._late}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self.cut_short()
            await asyncio.wait({self._task, self._late}, return_when=asyncio.FIRST_COMPLETED)
            raise
        finally:
            if self._patience is not None:
                self._patience.cancel()
        if not self._task.done():
            self._task.add_done_callback(_left_behind)
        return self._task.done()

    @property
    def error(self) -> BaseException | None:
        """What it failed with, once it is over."""
        return None if self._task.cancelled() else self._task.exception()

    @property
    def outcome(self) -> Outcome | None:
        """What it found, once it is over; nothing where it failed or was cut short."""
        return None if self._task.cancelled() or self._task.exception() else self._task.result()


def _left_behind(task: "asyncio.Task[Outcome]") -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.info("work that was left behind has ended: %r", error)
