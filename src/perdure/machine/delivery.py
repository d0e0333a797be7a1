"""One change on its way into the database, until it is there, or refused, or the database stays away.

A commit whose answer got lost may have happened, and may still happen as long as nobody else moved the row. So from the
first such moment on, every look at the row also asks for traces of the change, under the one name that all tries share.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from msgspec import Struct
from msgspec.structs import replace

from perdure.core.chat import Chat, Fence
from perdure.core.clock import Clock
from perdure.core.errors import Fenced, KeyTaken, NotFound, Refused, Unavailable
from perdure.core.ids import ChangeId
from perdure.core.timing import COMMIT_PATIENCE, DATABASE_RETRY_FIRST, DATABASE_RETRY_LONGEST
from perdure.machine.change import Plan
from perdure.store.commit import Guard, IdempotencyKey, NewCard, Write
from perdure.store.execution import Execution, HeldRow, IdTaken, OutcomeUnknown, Stamp, Trace
from perdure.store.statement.row import REMEMBERED

PlanFrom = Callable[[Chat | None], Plan]

# After this many lost swaps the row is held while planning, so that nobody starves.
SWAPS_BEFORE_HOLDING = 2
TRIES_AT_CREATION = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What surrounds a bundle: whose belief is checked, what is written along with it."""

    fence: Fence | None = None
    key: Callable[[Plan], IdempotencyKey] | None = None
    guard: Guard | None = None
    new_card: NewCard | None = None
    patience: float = COMMIT_PATIENCE.total_seconds()
    """Seconds to wait for a database that went away in the middle of a commit."""


class Delivered(Struct, frozen=True):
    """A plan that is in the database, and the chat that it made."""

    plan: Plan
    chat: Chat
    change_id: ChangeId
    waited: tuple[timedelta, ...] = ()
    """How long each message that it took from the queue had been there."""


class Delivery:
    """One change. Its tries share a name, so that whichever of them went through can be recognised."""

    def __init__(self, execution: Execution, clock: Clock, plan_from: PlanFrom, request: Request) -> None:
        self._execution = execution
        self._clock = clock
        self._plan_from = plan_from
        self._request = request
        self._doubts: list[tuple[Plan, Write]] = []
        self._until: float | None = None
        """When a database that keeps failing is given up; nothing has failed yet while there is no such time."""
        self.change_id = ChangeId(uuid4())

    def write_of(self, plan: Plan) -> Write:
        rows, request = plan.rows, self._request
        return Write(
            base=plan.base,
            chat=plan.chat,
            change_id=self.change_id,
            action_deadline=plan.times.action_deadline,
            compaction_requested=plan.times.compaction_requested,
            turn_began=plan.times.turn_began,
            cut_from=rows.cut_from,
            messages=rows.messages,
            enqueued=rows.enqueued,
            removed=rows.removed,
            rewritten=rows.rewritten,
            promoted=[(promotion.queued, promotion.number) for promotion in rows.promoted],
            files=rows.files,
            inbox=[kind.value for kind in rows.inbox],
            card=rows.card,
            new_card=request.new_card,
            key=request.key(plan) if request.key else None,
            guard=request.guard,
        )

    async def settle(self, plan: Plan) -> Delivered:
        """Bring this plan into the database, or whatever it becomes where the chat has moved."""
        lost = 0
        while True:
            write = self.write_of(plan)
            try:
                stamp = await self._execution.commit(write)
            except OutcomeUnknown as failure:
                self._doubts.append((plan, write))
                self._bear(failure)
            except (IdTaken, KeyTaken) as taken:
                return await self._unless_ours(taken)
            else:
                if stamp is not None:
                    return self._done(plan, stamp)
                lost += 1
                await self._check_guard()
            if lost >= SWAPS_BEFORE_HOLDING and plan.base is not None:
                return await self._hold(plan.base)
            if lost >= TRIES_AT_CREATION:
                raise Unavailable("The chat could not be created. Try again.")
            delivered, base = await self._look(plan)
            if delivered is not None:
                return delivered
            plan = self._plan_again(base)
            if plan.empty:
                return self._nothing(plan)

    async def _hold(self, base: Chat) -> Delivered:
        """Plan on a row that nobody else can move meanwhile."""
        while True:
            plan: Plan | None = None
            try:
                async with self._execution.holding(base.id) as held:
                    found = await self._found_in(held)
                    if found is not None:
                        return found
                    plan = self._plan_again(held.chat)
                    if plan.empty:
                        return self._nothing(plan)
                    stamp = await held.write(self.write_of(plan))
                if stamp is not None:
                    return self._done(plan, stamp)
                await self._check_guard()
            except OutcomeUnknown as failure:
                if plan is not None:
                    self._doubts.append((plan, self.write_of(plan)))
                self._bear(failure)
                await self._wait_for_database()

    async def _look(self, plan: Plan) -> tuple[Delivered | None, Chat | None]:
        """The chat as it is now, or the change itself if a try whose answer got lost has gone through."""
        if not self._doubts:
            return None, None if plan.base is None else await self._execution.load(plan.base.id)
        trace = await self._trace_patiently()
        return self._recognised(trace), trace and trace.chat

    async def _found_in(self, held: HeldRow) -> Delivered | None:
        return self._recognised(await held.trace(self._doubts[0][1])) if self._doubts else None

    async def _unless_ours(self, taken: Exception) -> Delivered:
        """Somebody has taken the id or the key: raise that, unless it was this very change."""
        if self._doubts and (delivered := self._recognised(await self._trace_patiently())) is not None:
            return delivered
        raise taken

    def _recognised(self, trace: Trace | None) -> Delivered | None:
        if trace is None or not trace.found:
            return None
        plan = next((plan for plan, _ in reversed(self._doubts) if _fits(plan, trace)), self._doubts[-1][0])
        # A later change may have moved the row on; what is certain is what the plan wrote.
        current = trace.chat.change_id == self.change_id
        chat = trace.chat if current else self._as_planned(plan, trace.chat)
        return Delivered(plan, chat, self.change_id)

    def _as_planned(self, plan: Plan, found: Chat) -> Chat:
        """The chat that the plan made, with moments of the row as it is now for those that only the database knew."""
        moments = {"updated_at": found.updated_at, "turn_began_at": found.turn_began_at}
        return replace(plan.chat, change_id=self.change_id, **moments)

    def _plan_again(self, base: Chat | None) -> Plan:
        try:
            return self._plan_from(base)
        except (Refused, NotFound, Fenced):
            # So many others wrote since that the row has forgotten our name: then what is impossible now is done.
            if base is not None and self._doubts and _forgotten(self._doubts[0][1], base):
                return Plan(base=base, chat=base, empty=True)
            raise

    async def _trace_patiently(self) -> Trace | None:
        delay, until = DATABASE_RETRY_FIRST, self._clock.monotonic() + self._request.patience
        while True:
            try:
                return await self._execution.trace(self._doubts[0][1])
            except Unavailable:
                if self._clock.monotonic() >= until:
                    raise
            await self._clock.sleep(delay.total_seconds())
            delay = min(2 * delay, DATABASE_RETRY_LONGEST)

    async def _wait_for_database(self) -> None:
        if self._doubts:
            await self._trace_patiently()
        else:
            await self._clock.sleep(DATABASE_RETRY_FIRST.total_seconds())

    def _bear(self, failure: OutcomeUnknown) -> None:
        """Try again, unless it has failed for too long: a database may answer, and still write nothing."""
        now = self._clock.monotonic()
        if self._until is None:
            self._until = now + self._request.patience
        elif now >= self._until:
            raise failure

    async def _check_guard(self) -> None:
        guard = self._request.guard
        if guard is not None and not guard.fence.holds(await self._execution.load(guard.chat_id)):
            raise Fenced

    def _done(self, plan: Plan, stamp: Stamp) -> Delivered:
        chat = replace(
            plan.chat,
            change_id=self.change_id,
            updated_at=stamp.at,
            action_deadline_at=stamp.action_deadline_at,
            compaction_requested_at=stamp.compaction_requested_at,
            turn_began_at=stamp.at if plan.times.turn_began else plan.chat.turn_began_at,
        )
        return Delivered(plan, chat, self.change_id, stamp.waited)

    def _nothing(self, plan: Plan) -> Delivered:
        assert plan.base is not None, "creating a chat is never nothing"
        return Delivered(plan, plan.base, self.change_id)


def _fits(plan: Plan, trace: Trace) -> bool:
    """Whether the traces are those that this plan leaves."""
    messages = [number for number, message in plan.rows.messages if message.queued_as is None]
    queued = [number for number, _ in plan.rows.enqueued]
    queued += [message.queued_as for _, message in plan.rows.messages if message.queued_as is not None]
    return (messages[:1] or [None]) == [trace.message] and (queued[:1] or [None]) == [trace.queued]


def _forgotten(write: Write, chat: Chat) -> bool:
    seen = write.base.snapshot_version if write.base else 0
    return not write.named and chat.snapshot_version - seen > REMEMBERED
