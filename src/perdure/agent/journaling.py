"""A call's two lines in the journal, before it runs and after; and the calls in flight that must not happen twice."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from perdure.agent.decision import Known
from perdure.agent.toolset import Toolset
from perdure.core.action import OpenCall
from perdure.core.errors import Fenced, Unavailable
from perdure.core.fence import Fence
from perdure.core.ids import RunnerId
from perdure.core.tasks import Backoff
from perdure.core.timing import DATABASE_RETRY_FIRST, DATABASE_RETRY_LONGEST, Clock
from perdure.store.journal import AlreadyStarted, CallRun, Entry, Failover, Journal
from perdure.tools.call import ToolOutput
from perdure.tools.tool import Effect, Tool

T = TypeVar("T")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Begun:
    """A call that the journal knows of, and which incarnation of its workspace it began in, as far as was known."""

    run: CallRun
    incarnation: str | None
    adopted: bool = False


class Journaling:
    """Writes for the runner that drives a chat, and only while it does."""

    def __init__(self, journal: Journal, clock: Clock) -> None:
        self._journal = journal
        self._clock = clock

    async def begin(
        self, run: CallRun, fence: Fence, tool: Tool, *, entry: Entry | None, incarnation: str | None
    ) -> Begun:
        """Say that the call starts, or take over a run that its executor can hand back."""
        if entry is not None and entry.run == run.run and entry.state == "started":
            adopted = entry.effect == Effect.KEYED and await self._journal.adopt(run, fence.runner_id)
            if not adopted:
                raise Fenced
            return Begun(run, entry.incarnation, adopted=True)
        await self._start(run, fence, tool, incarnation)
        return Begun(run, incarnation)

    async def _start(self, run: CallRun, fence: Fence, tool: Tool, incarnation: str | None) -> None:
        doubts = False

        async def start() -> bool:
            nonlocal doubts
            try:
                return await self._journal.start(
                    run, fence, tool=tool.name, effect=tool.effect, incarnation=incarnation
                )
            except AlreadyStarted as error:
                # The line may be our own, from a try whose answer got lost; then nothing has run yet.
                if doubts and await self._journal.started_by(run, fence.runner_id, tool=tool.name):
                    return True
                raise Fenced from error
            except Unavailable:
                doubts = True
                raise

        if not await self._patiently(start):
            raise Fenced

    async def enter(self, begun: Begun, fence: Fence, incarnation: str) -> bool:
        """Note where the call runs. Whether it began somewhere else, so that what it did there is not known here."""
        if begun.incarnation == incarnation:
            return False
        if begun.adopted and begun.incarnation is not None:
            return True
        await self._patiently(lambda: self._journal.enter(begun.run, fence.runner_id, incarnation))
        return False

    async def hand(self, run: CallRun, fence: Fence, handle: str) -> None:
        """Note by what the run is handed back. Whoever is not its runner any more has nothing to note."""
        if not await self._patiently(lambda: self._journal.hand(run, fence.runner_id, handle)):
            raise Fenced

    async def lose(self, run: CallRun, fence: Fence) -> None:
        """Nobody can hand this run back any more: whether it happened is for a person to find out."""
        if not await self._patiently(lambda: self._journal.lose(run, fence.runner_id)):
            raise Fenced

    async def end(self, run: CallRun, fence: Fence, tool: Tool, output: ToolOutput) -> None:
        """Keep the result. Files are not part of it: whoever takes over has the executor hand them out again."""
        if output.files and tool.effect is Effect.KEYED:
            return
        await self._patiently(
            lambda: self._journal.finish(run, fence.runner_id, result=output.text, is_error=output.is_error)
        )

    async def _patiently(self, write: Callable[[], Awaitable[T]]) -> T:
        """What happened is not thrown away because the database is: it is written when it is back."""
        backoff = Backoff(DATABASE_RETRY_FIRST, DATABASE_RETRY_LONGEST)
        while True:
            try:
                return await write()
            except Unavailable as error:
                _log.warning("the journal waits for the database: %s", error)
            await backoff.wait(self._clock)


def unrecorded(entries: Iterable[Entry], calls: Iterable[OpenCall], toolset: Toolset) -> list[OpenCall]:
    """Open calls that must not happen twice, and of which the journal knows nothing."""
    runs = {(entry.index, entry.run) for entry in entries}
    once = {name for name, tool in toolset.ours.items() if tool.effect is Effect.ONCE}
    return [call for call in calls if call.tool in once and (call.index, call.run) not in runs]


def uncertain(calls: Sequence[OpenCall], failover: Failover) -> list[OpenCall]:
    """Those of the calls that could have been started before a failover, which may have lost that they were."""
    if failover.last_before is None:
        return []
    # One that somebody approved or wants repeated could not start before they said so.
    began = {call.index: call.cleared_in if call.cleared else failover.asked_in for call in calls}
    return [call for call in calls if began[call.index] <= failover.last_before]


def doubted(call: OpenCall) -> Entry:
    """What is to be believed of a call whose line in the journal may be lost: that it was started."""
    return Entry(call.index, call.run, Effect.ONCE, "started", RunnerId(UUID(int=0)), None, None, is_error=False)


def known(entries: Iterable[Entry], calls: Iterable[OpenCall]) -> dict[int, Known]:
    """What the journal says about open calls that somebody else started."""
    runs = {call.index: call.run for call in calls}
    facts: dict[int, Known] = {}
    for entry in entries:
        if runs.get(entry.index) != entry.run:
            continue
        if entry.state == "finished":
            facts[entry.index] = Known.FINISHED
        elif entry.state == "started" and entry.effect == Effect.ONCE:
            facts[entry.index] = Known.UNKNOWN
    return facts


class OnceCalls:
    """Calls in flight that must not be repeated. A shutdown waits for them, and in the end starts no more."""

    def __init__(self) -> None:
        self.closing = False
        self._running = 0
        self._none = asyncio.Event()
        self._none.set()

    @property
    def holding(self) -> bool:
        return self._running > 0

    async def over(self) -> None:
        await self._none.wait()

    async def still_open(self) -> None:
        """Wait for good where no call may start any more: whoever takes over starts it."""
        if self.closing:
            await asyncio.Event().wait()

    @contextmanager
    def running(self) -> Generator[Callable[[], None]]:
        """While a call runs, or until it can be taken over: whoever makes it so calls what this yields."""
        held = True
        self._running += 1
        self._none.clear()

        def release() -> None:
            nonlocal held
            self._running -= held
            held = False
            if not self._running:
                self._none.set()

        try:
            yield release
        finally:
            release()
