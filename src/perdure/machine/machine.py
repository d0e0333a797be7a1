"""Following arrows for real: read, plan, commit once, announce."""

from collections.abc import Callable
from dataclasses import replace as with_fields

from perdure.core.card import NewCard
from perdure.core.chat import Chat
from perdure.core.commit import Commit
from perdure.core.errors import Fenced, PerdureError, TransitionNotAllowed
from perdure.core.fence import Fence
from perdure.core.ids import ChatId, MessageNumber
from perdure.core.tasks import Uncancelled
from perdure.core.timing import Clock, SystemClock
from perdure.machine.committer import Committer, PlanFrom, Request
from perdure.machine.editing import load_target
from perdure.machine.family import archive_family
from perdure.machine.following import Transitions, follow
from perdure.machine.row_cache import ChatLocks, RowCache
from perdure.machine.transitions import Target, Transition
from perdure.store.execution import Execution, IdTaken
from perdure.store.outbox import Outbox

Bundle = Callable[[Chat], Transitions]
"""Transitions to follow from where the chat is. It is asked again whenever the chat moved meanwhile."""

_PLAIN = Request()
Announce = Callable[[Commit], None]


class Machine:
    """The only way to change a chat's execution state."""

    def __init__(self, execution: Execution, announce: Announce, clock: Clock | None = None) -> None:
        self._execution = execution
        self._announce = announce
        self._clock = clock or SystemClock()
        self._locks = ChatLocks()
        self._rows = RowCache()
        self._commits = Uncancelled()

    @property
    def outbox(self) -> Outbox:
        """Whether other programs are told of changes."""
        return self._execution.outbox

    async def load(self, chat_id: ChatId) -> Chat:
        return await self._execution.load(chat_id)

    async def create(
        self, chat_id: ChatId, card: NewCard, transitions: Transitions, request: Request = _PLAIN
    ) -> Commit:
        """Bring a chat into being, with whatever its first change does besides."""
        plan = follow(None, transitions, chat_id=chat_id)
        try:
            return await self._write(plan, lambda _: plan, with_fields(request, new_card=card), request.patience)
        except IdTaken:
            state = (await self._execution.load(chat_id)).state
            raise TransitionNotAllowed("Create", state.value, "A chat with this id already exists.") from None

    async def change(self, chat_id: ChatId, *transitions: Transition, request: Request = _PLAIN) -> Commit:
        """Follow these arrows from wherever the chat is."""
        return await self.change_by(chat_id, lambda _: transitions, request=request)

    async def change_by(self, chat_id: ChatId, bundle: Bundle, *, request: Request = _PLAIN) -> Commit:
        """Follow the arrows that the bundle chooses when it sees the chat."""
        plan_from = _planner(bundle, request.fence)
        left = await self._locks.acquire(chat_id, request.patience)
        try:
            plan = self._plan_from_cache(chat_id, plan_from) or plan_from(await self._execution.load(chat_id))
            return await self._write(plan, plan_from, request, left)
        finally:
            self._locks.release(chat_id)

    async def advance(self, chat: Chat, *transitions: Transition, request: Request = _PLAIN) -> Commit:
        """Follow these arrows from a row that the caller knows: one round trip if nobody moved it."""
        return await self.advance_by(chat, lambda _: transitions, request=request)

    async def advance_by(self, chat: Chat, bundle: Bundle, *, request: Request = _PLAIN) -> Commit:
        """Follow the arrows that the bundle chooses, from a row that the caller knows."""
        left = await self._locks.acquire(chat.id, request.patience)
        plan_from = _planner(bundle, request.fence)
        try:
            return await self._write(plan_from(chat), plan_from, request, left)
        finally:
            self._locks.release(chat.id)

    async def edit(
        self, chat_id: ChatId, number: MessageNumber, bundle: Callable[[Target], Bundle], request: Request = _PLAIN
    ) -> Commit:
        """Follow arrows that replace a message, which is read together with the chat."""
        left = await self._locks.acquire(chat_id, request.patience)
        try:
            base, target = await load_target(self._execution, chat_id, number)
            plan_from = _planner(bundle(target), request.fence)
            return await self._write(plan_from(base), plan_from, request, left)
        finally:
            self._locks.release(chat_id)

    async def archive_family(self, root_id: ChatId, *, archived: bool) -> tuple[Commit, ...]:
        """Put a root away with all its descendants, or bring them back: all of them, or none."""
        return await self._commits.wait(self._archive(root_id, archived=archived))

    async def _archive(self, root_id: ChatId, *, archived: bool) -> tuple[Commit, ...]:
        commits = tuple(await archive_family(self._execution, root_id, self._clock, archived=archived))
        for commit in commits:
            self._rows.keep(commit.chat)
            self._announce(commit)
        return commits

    async def settled(self) -> None:
        """Wait for the commits that are under way."""
        await self._commits.settled()

    def _plan_from_cache(self, chat_id: ChatId, plan_from: PlanFrom) -> Commit | None:
        """A plan from the row as this process left it: if it moved since, the swap is lost and the row is read.

        Only the row itself may say no, or that nothing is to be done.
        """
        known = self._rows.get(chat_id)
        if known is None:
            return None
        try:
            plan = plan_from(known)
        except PerdureError:
            return None
        return None if plan.empty else plan

    async def _write(self, plan: Commit, plan_from: PlanFrom, request: Request, patience: float) -> Commit:
        if plan.empty:
            return plan
        committer = Committer(self._execution, self._clock, plan_from, request, patience)
        return await self._commits.wait(self._written(committer, plan))

    async def _written(self, committer: Committer, plan: Commit) -> Commit:
        try:
            commit = await committer.write(plan)
        except BaseException:
            self._rows.forget(plan.chat.id)
            raise
        self._rows.keep(commit.chat)
        if not commit.empty:
            self._announce(commit)
        return commit


def _planner(bundle: Bundle, fence: Fence | None) -> PlanFrom:
    def plan_from(chat: Chat | None) -> Commit:
        assert chat is not None
        if fence is not None and not fence.holds(chat):
            raise Fenced
        return follow(chat, bundle(chat))

    return plan_from
