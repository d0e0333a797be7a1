"""Writing one commit: until it is in the database, or refused, or the database stays away.

A commit whose answer got lost may have happened, and may still happen as long as nobody else moved the row. So from the
first such moment on, every look at the row also asks for traces of the change, under the one name that all tries share.
"""

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import replace as with_fields
from uuid import uuid4

from msgspec.structs import replace

from perdure.core.card import NewCard
from perdure.core.chat import Chat
from perdure.core.commit import Commit, Guard, IdempotencyKey, Sight
from perdure.core.errors import Fenced, KeyTaken, NotFound, Refused, Unavailable
from perdure.core.fence import Fence
from perdure.core.ids import ChangeId
from perdure.core.tasks import Backoff
from perdure.core.timing import COMMIT_PATIENCE, COMMIT_RETRY_LONGEST, DATABASE_RETRY_FIRST, Clock
from perdure.store.execution import Execution, HeldRow, IdTaken, OutcomeUnknown, Trace
from perdure.store.statement.row import REMEMBERED

PlanFrom = Callable[[Chat | None], Commit]

# After this many lost swaps the row is held while planning, so that nobody starves.
SWAPS_BEFORE_HOLDING = 2
TRIES_AT_CREATION = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What surrounds a bundle: whose belief is checked, what is written along with it."""

    fence: Fence | None = None
    key: Callable[[Commit], IdempotencyKey] | None = None
    guard: Guard | None = None
    sight: Sight | None = None
    """What is taken for granted of the card. Where that, or the row, is not so any more, it raises `Outdated`."""
    new_card: NewCard | None = None
    patience: float = COMMIT_PATIENCE.total_seconds()
    """Seconds to wait for a database that went away in the middle of a commit."""


class Outdated(Exception):
    """The chat is not what the change takes it for: whoever asked looks at it again."""


class Committer:
    """Writes one change. Its tries share a name, so that whichever of them went through can be recognised."""

    def __init__(
        self, execution: Execution, clock: Clock, plan_from: PlanFrom, request: Request, patience: float
    ) -> None:
        self._execution = execution
        self._clock = clock
        self._plan_from = plan_from
        self._request = request
        self._patience = patience
        """What is left of the request's own."""
        self._unanswered: list[Commit] = []
        """The tries whose answer got lost."""
        self._until: float | None = None
        """When a database that keeps failing is given up; nothing has failed yet while there is no such time."""
        self._backoff = Backoff(DATABASE_RETRY_FIRST, COMMIT_RETRY_LONGEST)
        self._change_id = ChangeId(uuid4())

    async def write(self, plan: Commit) -> Commit:
        """Bring this plan into the database, or whatever it becomes where the chat has moved."""
        lost = 0
        while True:
            plan = self._named(plan)
            try:
                commit = await self._execution.commit(plan)
            except OutcomeUnknown as failure:
                self._unanswered.append(plan)
                await self._tolerate(failure)
            except (IdTaken, KeyTaken) as taken:
                return await self._unless_ours(taken)
            else:
                if commit is not None:
                    return commit
                lost += 1
                self._check_sight()
                await self._check_guard()
            if lost >= SWAPS_BEFORE_HOLDING and plan.base is not None:
                return await self._hold(plan.base)
            if lost >= TRIES_AT_CREATION:
                raise Unavailable("The chat could not be created. Try again.")
            found, base = await self._look(plan)
            if found is not None:
                return found
            plan = self._plan_again(base)
            if plan.empty:
                return plan

    def _named(self, plan: Commit) -> Commit:
        request = self._request
        return replace(
            plan,
            change_id=self._change_id,
            new_card=request.new_card,
            key=request.key(plan) if request.key else None,
            guard=request.guard,
            sight=request.sight,
        )

    async def _hold(self, base: Chat) -> Commit:
        """Plan on a row that nobody else can move meanwhile."""
        while True:
            plan: Commit | None = None
            try:
                async with self._execution.holding(base.id) as held:
                    found = await self._found_in(held)
                    if found is not None:
                        return found
                    plan = self._plan_again(held.chat)
                    if plan.empty:
                        return plan
                    plan = self._named(plan)
                    commit = await held.commit(plan)
                if commit is not None:
                    return commit
                await self._check_guard()
            except OutcomeUnknown as failure:
                if plan is not None:
                    self._unanswered.append(plan)
                await self._tolerate(failure)
                await self._wait_for_database()

    async def _look(self, plan: Commit) -> tuple[Commit | None, Chat | None]:
        """The chat as it is now, or the change itself if a try whose answer got lost has gone through."""
        if not self._unanswered:
            return None, None if plan.base is None else await self._reloaded(plan.base)
        trace = await self._trace_patiently()
        return self._recognised(trace), trace and trace.chat

    async def _reloaded(self, base: Chat) -> Chat:
        """The chat as it is now, after a swap that found another. One that is older says that commits were lost."""
        chat = await self._execution.load(base.id)
        if chat.snapshot_version < base.snapshot_version:
            found = chat.snapshot_version
            await self._execution.losses.say(base.id, remembered=base.snapshot_version, found=found)
        return chat

    async def _found_in(self, held: HeldRow) -> Commit | None:
        return self._recognised(await held.trace(self._unanswered[0])) if self._unanswered else None

    async def _unless_ours(self, taken: Exception) -> Commit:
        """Somebody has taken the id or the key: raise that, unless it was this very change."""
        if self._unanswered and (found := self._recognised(await self._trace_patiently())) is not None:
            return found
        raise taken

    def _recognised(self, trace: Trace | None) -> Commit | None:
        if trace is None or not trace.found:
            return None
        plan = next((plan for plan in reversed(self._unanswered) if _fits(plan, trace)), self._unanswered[-1])
        # A later change may have moved the row on; what is certain is what the plan wrote.
        current = trace.chat.change_id == self._change_id
        return replace(plan, chat=trace.chat if current else self._as_planned(plan, trace.chat))

    def _as_planned(self, plan: Commit, found: Chat) -> Chat:
        """The chat that the plan made, with what only the database knew from the row as it is now."""
        known = {"updated_at": found.updated_at, "turn_began_at": found.turn_began_at}
        asked_by = plan.chat.asked_by if plan.asker_queued is None else found.asked_by
        return replace(plan.chat, change_id=self._change_id, asked_by=asked_by, **known)

    def _plan_again(self, base: Chat | None) -> Commit:
        try:
            return self._plan_from(base)
        except (Refused, NotFound, Fenced):
            # So many others wrote since that the row has forgotten our name: then what is impossible now is done.
            if base is not None and self._unanswered and _forgotten(self._unanswered[0], base):
                return Commit(base=base, chat=base)
            raise

    async def _trace_patiently(self) -> Trace | None:
        backoff = Backoff(DATABASE_RETRY_FIRST, COMMIT_RETRY_LONGEST)
        until = self._clock.monotonic() + self._patience
        while True:
            try:
                return await self._execution.trace(self._unanswered[0])
            except Unavailable:
                if self._clock.monotonic() >= until:
                    raise
            await backoff.wait(self._clock)

    async def _wait_for_database(self) -> None:
        if self._unanswered:
            await self._trace_patiently()
        else:
            await self._clock.sleep(DATABASE_RETRY_FIRST.total_seconds())

    async def _tolerate(self, failure: OutcomeUnknown) -> None:
        """Try again, unless it has failed for too long: a database may answer at once, and still write nothing."""
        now = self._clock.monotonic()
        if self._until is None:
            self._until = now + self._patience
            return
        if now >= self._until:
            raise failure
        await self._backoff.wait(self._clock)

    def _check_sight(self) -> None:
        """Have the caller look again, unless a try may have gone through: whoever asks anew would do it twice."""
        if self._request.sight is not None and not self._unanswered:
            raise Outdated
        self._request = with_fields(self._request, sight=None)

    async def _check_guard(self) -> None:
        guard = self._request.guard
        if guard is not None and not guard.fence.holds(await self._execution.load(guard.chat_id)):
            raise Fenced


def _fits(plan: Commit, trace: Trace) -> bool:
    """Whether the traces are those that this plan leaves."""
    messages = [number for number, message in plan.appended if message.queued_as is None]
    queued = [number for number, _ in plan.enqueued]
    queued += [message.queued_as for _, message in plan.appended if message.queued_as is not None]
    return (messages[:1] or [None]) == [trace.message] and (queued[:1] or [None]) == [trace.queued]


def _forgotten(plan: Commit, chat: Chat) -> bool:
    seen = plan.base.snapshot_version if plan.base else 0
    return not plan.traceable and chat.snapshot_version - seen > REMEMBERED
