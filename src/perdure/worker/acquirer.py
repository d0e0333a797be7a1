"""Finds chats that need a driver and have none, parked chats whose deadline passed, and chats of removed people."""

import asyncio
import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from perdure.core.action import ActionKind, Decision, OpenCall, Verdict
from perdure.core.author import NOBODY
from perdure.core.chat import Chat, State
from perdure.core.errors import ChatNotFound, DatabaseFault, Refused, Unavailable
from perdure.core.ids import ChatId
from perdure.core.notice import Notice, Topic
from perdure.core.tasks import BackgroundTasks
from perdure.core.timing import LEASE, LEASE_ENDED, SHARE_PATIENCE, SWEEP_PERIOD
from perdure.machine.change import Reason
from perdure.machine.machine import Machine
from perdure.machine.transitions import (
    CancelRequiresAction,
    CompleteRequiresAction,
    DeleteQueuedMessage,
    Interrupt,
    Transition,
)
from perdure.store.journal import Entry, Journal
from perdure.store.pool import Pool
from perdure.store.replicas import Candidate, acquirable, due, end_severed, place
from perdure.store.tables import chats
from perdure.store.tables.chats import Excluded
from perdure.worker.lease import Lease
from perdure.worker.runners import Runners
from perdure.worker.services import RunnerServices


async def answer_late(machine: Machine, journal: Journal) -> None:
    """Let chats go on whose question has answered itself."""
    for chat_id in await journal.answered_late():
        try:
            await _answer(machine, journal, chat_id)
        except (Refused, ChatNotFound):
            # Somebody decided meanwhile.
            continue


async def _answer(machine: Machine, journal: Journal, chat_id: ChatId) -> None:
    chat = await machine.load(chat_id)
    entries = await journal.load(chat_id, chat.last_assistant)

    def bundle(now: Chat) -> Sequence[CompleteRequiresAction]:
        decisions = decisions_for(now, entries) if now.last_assistant == chat.last_assistant else ()
        expected = frozenset({ActionKind.OUTCOME_UNKNOWN})
        return (CompleteRequiresAction(decisions=decisions, expected=expected),) if decisions else ()

    await machine.change_by(chat_id, bundle)


def decisions_for(chat: Chat, entries: Sequence[Entry]) -> tuple[Decision, ...]:
    """What the journal says became of all calls that nobody has decided about; nothing while one is still open."""
    if chat.action is None or chat.action.kind is not ActionKind.OUTCOME_UNKNOWN:
        return ()
    finished = {(entry.index, entry.run): entry for entry in entries if entry.state == "finished"}
    known = {decision.call_id for decision in chat.action.decided}
    asked = [call for call in chat.open_calls if call.index in chat.action.calls and call.call_id not in known]
    if any((call.index, call.run) not in finished for call in asked):
        return ()
    return tuple(_happened(call, finished[call.index, call.run]) for call in asked)


def _happened(call: OpenCall, entry: Entry) -> Decision:
    return Decision(call.call_id, Verdict.HAPPENED, entry.result or "", is_error=entry.is_error)


async def stop_chats_of_removed(machine: Machine, pool: Pool, limit: int) -> None:
    for chat_id in await chats.of_removed_at_work(pool, limit):
        try:
            await machine.change_by(chat_id, ending)
        except (Refused, ChatNotFound):
            # It came to rest meanwhile.
            continue


async def stop_turns_of_excluded(machine: Machine, pool: Pool, limit: int) -> None:
    """Whoever may not write in a chat any more is not answered there, and neither is what they left in the queue."""
    for excluded in await chats.of_excluded_at_work(pool, limit):
        try:
            await machine.change_by(excluded.chat_id, partial(without, excluded))
        except (Refused, ChatNotFound):
            continue


def without(excluded: Excluded, chat: Chat) -> Sequence[Transition]:
    """Stop what is for them alone."""
    waiting = [DeleteQueuedMessage(entry.number) for entry in chat.queue if entry.number in excluded.waiting]
    theirs = excluded.answered and chat.asked_by == excluded.asked_by
    stops = theirs and chat.state in (State.R0, State.R1, State.A0, State.A1)
    return *waiting, *((Interrupt(by=NOBODY),) if stops else ())


def ending(chat: Chat) -> Sequence[Transition]:
    """Stop it, and empty its queue: its head would be the next turn."""
    if chat.state not in (State.R0, State.R1, State.I1):
        return ()
    stop = () if chat.state is State.I1 else (Interrupt(),)
    return *(DeleteQueuedMessage(entry.number) for entry in chat.queue), *stop


_log = logging.getLogger(__name__)
# A sweep reads at most this many candidates; the next one is a second away.
PAGE = 500
AT_ONCE = 8
"""So many of a crashed replica's chats are taken right away."""

_LATE: dict[ActionKind, str] = {
    ActionKind.CLIENT_TOOL: Reason.TIMED_OUT,
    ActionKind.APPROVAL: "Nobody approved this call in time, so it was denied.",
    ActionKind.OUTCOME_UNKNOWN: "This call may or may not have run. Verify before you repeat it.",
    ActionKind.ELICITATION: "Nobody answered in time what this call asked, so it did not go on.",
}


class Acquirer:
    """Sweeps every second, at once when a notice says that a chat waits, and when the lease of a replica ends."""

    def __init__(self, pool: Pool, services: RunnerServices, runners: Runners, lease: Lease) -> None:
        self._pool = pool
        self._machine = services.machine
        self._waits = services.waits
        self._journal = services.journal
        self._clock = services.clock
        self._taking = BackgroundTasks(_log)
        self._later = set[ChatId]()
        """What a crashed replica left and is taken in a moment."""
        self._runners = runners
        self._lease = lease
        self._woken = asyncio.Event()
        self._silent = False
        """Whether other replicas are late with renewing their leases."""
        self.waiting = 0
        """How many chats the last sweep left to wait until some replica has room."""
        self._left = False
        """Whether the last sweep left chats to others that may not take them."""

    def heard(self, notice: Notice) -> None:
        if notice.topic in (Topic.WAKE, Topic.GAP):
            self._woken.set()

    def expect(self, ends: Sequence[timedelta]) -> None:
        """Sweep when these leases end, unless they are renewed: every moment of waiting is one of a chat."""
        loop = asyncio.get_running_loop()
        self._silent = bool(ends)
        for end in ends:
            loop.call_later((end + LEASE_ENDED).total_seconds(), self._woken.set)

    async def run(self) -> None:
        while True:
            await self._lease.held()
            try:
                await self.once()
            except (Unavailable, DatabaseFault) as error:
                _log.warning("the sweep failed: %s", error)
            await self._until_woken()

    async def _until_woken(self) -> None:
        try:
            async with asyncio.timeout((SHARE_PATIENCE if self._left else SWEEP_PERIOD).total_seconds()):
                await self._woken.wait()
        except TimeoutError:
            pass
        self._woken.clear()

    async def once(self) -> int:
        """One sweep. How many chats it took."""
        await self._end_due_actions()
        await stop_chats_of_removed(self._machine, self._pool, PAGE)
        await stop_turns_of_excluded(self._machine, self._pool, PAGE)
        if not self._runners.accepting:
            self.waiting = 0
            return 0
        if self._silent and self._lease.undisturbed:
            await end_severed(self._pool)
        candidates = await acquirable(self._pool, LEASE, PAGE)
        wanted = await self._shared_out(candidates)
        mine = self._fitting(wanted)
        self.waiting = len(wanted) - len(mine)
        orphans = [candidate for candidate in mine if candidate.worker_id is not None]
        self._take_slowly(orphans[AT_ONCE:])
        now = [candidate for candidate in mine if candidate.worker_id is None] + orphans[:AT_ONCE]
        taken = await asyncio.gather(*(self._runners.acquire(candidate) for candidate in now))
        return sum(taken)

    def _take_slowly(self, orphans: list[Candidate]) -> None:
        """Take what a crashed replica left spread over a second: all of it at once would be a burst of its own."""
        for position, orphan in enumerate(orphans):
            wait = SWEEP_PERIOD.total_seconds() * (position + 1) / len(orphans)
            self._later.add(orphan.chat_id)
            self._taking.start(self._take_after(wait, orphan), f"taking chat {orphan.chat_id}")

    async def _take_after(self, seconds: float, orphan: Candidate) -> None:
        try:
            await self._clock.sleep(seconds)
            await self._runners.acquire(orphan)
        finally:
            self._later.discard(orphan.chat_id)

    async def _shared_out(self, candidates: list[Candidate]) -> list[Candidate]:
        """What nobody owns, and our part of what crashed replicas left."""
        orphans = [c for c in orphaned(candidates, steady=self._lease.steady) if c.chat_id not in self._later]
        mine: list[Candidate] = []
        if orphans:
            mine = share(orphans, *await place(self._pool, self._lease.id, LEASE))
        self._left = len(mine) < len(orphans)
        kept = {c.chat_id for c in mine}
        return [c for c in candidates if c.worker_id is None or c.chat_id in kept]

    def _fitting(self, candidates: list[Candidate]) -> list[Candidate]:
        """Those for which there is room. Stopping is always possible."""
        stopping = [c for c in candidates if c.status == "interrupting"]
        running = [c for c in candidates if c.status != "interrupting" and self._runners.room_for(c.owner_id)]
        return stopping + running[: max(0, self._runners.room())]

    async def _end_due_actions(self) -> None:
        for chat_id, deadline in await due(self._pool, PAGE):
            if not await self._waits.end(chat_id, due=deadline):
                await self._end_action(chat_id, deadline)
        await self._waits.sweep(PAGE)
        await answer_late(self._machine, self._journal)

    async def _end_action(self, chat_id: ChatId, deadline: datetime) -> None:
        try:
            await self._machine.change_by(chat_id, lambda chat: ended_wait(chat, deadline))
        except (Refused, ChatNotFound):
            # Somebody answered meanwhile.
            return


def orphaned(candidates: Sequence[Candidate], *, steady: bool) -> list[Candidate]:
    """What crashed replicas left.

    A replica that missed a renewal cannot tell who else did: whoever seems dead to it gets one more lease.
    """
    return [each for each in candidates if steady and each.worker_id is not None]


def share(orphans: Sequence[Candidate], position: int, alive: int) -> list[Candidate]:
    """What falls to one of those that live: every survivor sweeps at the same moment, and sees the same list.

    What another one had its time for is everybody's: it may be full, or draining, or dead as well.
    """
    return [each for at, each in enumerate(orphans) if at % alive == position or each.orphaned > SHARE_PATIENCE]


def ended_wait(chat: Chat, deadline: datetime) -> tuple[Transition, ...]:
    """The end of a wait whose deadline passed, unless the chat waits for something else by now."""
    if chat.action is None or chat.action.kind not in _LATE or chat.action_deadline_at != deadline:
        return ()
    return (CancelRequiresAction(_LATE[chat.action.kind]),)
