"""Following arrows for real: read, plan, commit once, announce."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from dataclasses import replace as with_fields
from typing import Any, TypeVar
from uuid import uuid4
from weakref import WeakValueDictionary

from msgspec import structs
from msgspec.structs import replace

from perdure.core.chat import Chat, Fence
from perdure.core.clock import Clock, SystemClock
from perdure.core.errors import EditedMessageNotUser, Fenced, MessageNotFound, TransitionNotAllowed, Unavailable
from perdure.core.ids import ChangeId, ChatId, MessageNumber
from perdure.core.message import Effort, Message, Role, Visibility
from perdure.core.timing import DATABASE_RETRY_FIRST, DATABASE_RETRY_LONGEST
from perdure.machine.change import Plan
from perdure.machine.diagram import follow
from perdure.machine.transitions import Transition
from perdure.machine.transitions.messages import Target
from perdure.store.commit import CardWrite, Guard, IdempotencyKey, NewCard, Write
from perdure.store.execution import Execution, IdTaken, OutcomeUnknown, Stamp

Bundle = Callable[[Chat], Sequence[Transition]]
"""Transitions to follow from where the chat is. It is asked again whenever the chat moved meanwhile."""

# After this many lost swaps the row is held while planning, so that nobody starves.
SWAPS_BEFORE_HOLDING = 2


@dataclass(frozen=True, slots=True)
class Committed:
    """A change that is in the database."""

    plan: Plan
    chat: Chat
    change_id: ChangeId

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages whose content this change brought. Promoted ones are only in the database."""
        assert self.chat.updated_at is not None
        return tuple(
            Message(
                **structs.asdict(message),
                number=number,
                revision=self.chat.snapshot_version,
                created_at=self.chat.updated_at,
            )
            for number, message in self.plan.rows.messages
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What surrounds a bundle: whose belief is checked, what is written along with it."""

    fence: Fence | None = None
    key: Callable[[Plan], IdempotencyKey] | None = None
    guard: Guard | None = None
    new_card: NewCard | None = None
    patience: float = 10
    """Seconds to wait for a database that went away in the middle of a commit."""


_PLAIN = Request()
Announce = Callable[[Committed], None]
PlanFrom = Callable[[Chat | None], Plan]
T = TypeVar("T")


class Machine:
    """The only way to change a chat's execution state."""

    def __init__(self, execution: Execution, announce: Announce, clock: Clock | None = None) -> None:
        self._execution = execution
        self._announce = announce
        self._clock = clock or SystemClock()
        self._turns = WeakValueDictionary[ChatId, asyncio.Lock]()
        self._committing = set[asyncio.Task[Any]]()

    async def load(self, chat_id: ChatId) -> Chat:
        return await self._execution.load(chat_id)

    async def create(
        self, chat_id: ChatId, card: NewCard, transitions: Sequence[Transition], request: Request = _PLAIN
    ) -> Committed:
        """Bring a chat into being, with whatever its first change does besides."""
        plan = follow(None, transitions, chat_id=chat_id)
        request = with_fields(request, new_card=card)
        try:
            return await self._change(None, lambda _: plan, request)
        except IdTaken:
            state = (await self._execution.load(chat_id)).state
            raise TransitionNotAllowed("Create", state.value, "There is a chat with this id already.") from None

    async def change(self, chat_id: ChatId, *transitions: Transition, request: Request = _PLAIN) -> Committed:
        """Follow these arrows from wherever the chat is."""
        return await self.change_by(chat_id, lambda _: transitions, request=request)

    async def change_by(self, chat_id: ChatId, bundle: Bundle, *, request: Request = _PLAIN) -> Committed:
        """Follow the arrows that the bundle chooses when it sees the chat."""
        async with self._turn(chat_id):
            base = await self._execution.load(chat_id)
            return await self._change(base, _planner(bundle, request.fence), request)

    async def advance(self, chat: Chat, *transitions: Transition, request: Request = _PLAIN) -> Committed:
        """Follow these arrows from a row that the caller knows: one round trip if nobody moved it."""
        return await self.advance_by(chat, lambda _: transitions, request=request)

    async def advance_by(self, chat: Chat, bundle: Bundle, *, request: Request = _PLAIN) -> Committed:
        """Follow the arrows that the bundle chooses, from a row that the caller knows."""
        async with self._turn(chat.id):
            return await self._change(chat, _planner(bundle, request.fence), request)

    async def edit(
        self, chat_id: ChatId, number: MessageNumber, bundle: Callable[[Target], Bundle], request: Request = _PLAIN
    ) -> Committed:
        """Follow arrows that replace a message, which is read together with the chat."""
        async with self._turn(chat_id):
            base, target = await self._load_target(chat_id, number)
            return await self._change(base, _planner(bundle(target), request.fence), request)

    async def settled(self) -> None:
        """Wait for the commits that are under way."""
        while self._committing:
            await asyncio.wait(set(self._committing))

    async def _load_target(self, chat_id: ChatId, number: MessageNumber) -> tuple[Chat, Target]:
        chat, row = await self._execution.load_with_message(chat_id, number)
        if row["role"] is None:
            raise MessageNotFound
        if row["role"] != Role.USER:
            raise EditedMessageNotUser("EditMessage", chat.state.value, "Only a user's message can be edited.")
        effort = Effort(row["effort"]) if row["effort"] else None
        return chat, Target(number=number, visibility=Visibility(row["visibility"]), model=row["model"], effort=effort)

    def _turn(self, chat_id: ChatId) -> AbstractAsyncContextManager[Any]:
        """The writers of one chat take turns inside this process, instead of losing swaps to each other."""
        lock = self._turns.get(chat_id)
        if lock is None:
            lock = self._turns[chat_id] = asyncio.Lock()
        return lock

    async def _change(self, base: Chat | None, plan_from: PlanFrom, request: Request) -> Committed:
        change_id = ChangeId(uuid4())
        for _ in range(SWAPS_BEFORE_HOLDING):
            plan = plan_from(base)
            if plan.empty:
                return Committed(plan, _unchanged(plan), change_id)
            write = _write(plan, change_id, request)
            committed = await self._shielded(self._settle(write, plan, request))
            if committed is not None:
                return committed
            base = None if base is None else await self._execution.load(base.id)
        if base is None:
            raise Unavailable("The chat could not be created. Try again.")
        return await self._shielded(self._hold(base.id, change_id, plan_from, request))

    async def _shielded(self, work: Coroutine[Any, Any, T]) -> T:
        """Run in a task of its own: whoever waits may be cancelled, a commit may not."""
        task = asyncio.ensure_future(work)
        self._committing.add(task)
        task.add_done_callback(self._committing.discard)
        return await asyncio.shield(task)

    async def _settle(self, write: Write, plan: Plan, request: Request) -> Committed | None:
        try:
            stamp = await self._execution.commit(write)
        except OutcomeUnknown:
            return await self._investigate(write, plan, request)
        if stamp is None and request.guard is not None:
            await self._check_guard(request.guard)
        return self._done(plan, write, stamp) if stamp else None

    async def _check_guard(self, guard: Guard) -> None:
        if not guard.fence.holds(await self._execution.load(guard.chat_id)):
            raise Fenced

    async def _hold(self, chat_id: ChatId, change_id: ChangeId, plan_from: PlanFrom, request: Request) -> Committed:
        """Plan on a row that nobody else can move meanwhile."""
        while True:
            async with self._execution.holding(chat_id) as held:
                plan = plan_from(held.chat)
                if plan.empty:
                    return Committed(plan, held.chat, change_id)
                write = _write(plan, change_id, request)
                try:
                    stamp = await held.commit(write)
                except OutcomeUnknown:
                    committed = await self._investigate(write, plan, request)
                    if committed is not None:
                        return committed
                    continue
            if stamp is not None:
                return self._done(plan, write, stamp)
            if request.guard is not None:
                await self._check_guard(request.guard)

    async def _investigate(self, write: Write, plan: Plan, request: Request) -> Committed | None:
        """Find out whether a change whose answer got lost is in the database. None: plan it again."""
        chat, found = await self._reload_patiently(write, request.patience)
        if chat is None:
            return None
        if not found and (plan.rows.brings_content or not _already_so(plan, chat)):
            return None
        # A later change may have moved the row on; what is certain is what the plan wrote.
        current = (
            replace(plan.chat, updated_at=chat.updated_at) if found and chat.change_id != write.change_id else chat
        )
        committed = Committed(plan, current, write.change_id)
        self._announce(committed)
        return committed

    async def _reload_patiently(self, write: Write, patience: float) -> tuple[Chat | None, bool]:
        delay, until = DATABASE_RETRY_FIRST, self._clock.monotonic() + patience
        while True:
            try:
                return await self._execution.load_after_failure(write)
            except Unavailable:
                if self._clock.monotonic() >= until:
                    raise
            await self._clock.sleep(delay.total_seconds())
            delay = min(2 * delay, DATABASE_RETRY_LONGEST)

    def _done(self, plan: Plan, write: Write, stamp: Stamp) -> Committed:
        chat = replace(
            plan.chat,
            change_id=write.change_id,
            updated_at=stamp.at,
            action_deadline_at=stamp.action_deadline_at,
            compaction_requested_at=stamp.compaction_requested_at,
        )
        committed = Committed(plan, chat, write.change_id)
        self._announce(committed)
        return committed


def _planner(bundle: Bundle, fence: Fence | None) -> PlanFrom:
    def plan_from(chat: Chat | None) -> Plan:
        assert chat is not None
        if fence is not None and not fence.holds(chat):
            raise Fenced
        return follow(chat, bundle(chat))

    return plan_from


def _already_so(plan: Plan, chat: Chat) -> bool:
    """Whether the arrows of a plan that brings no content have become impossible or needless: somebody followed them.

    The row moved past the plan's base. If it did so by this very plan, the same arrows lead nowhere from here.
    """
    assert plan.base is not None
    return chat.snapshot_version > plan.base.snapshot_version and chat.state is not plan.base.state


def _unchanged(plan: Plan) -> Chat:
    assert plan.base is not None, "creating a chat is never nothing"
    return plan.base


def _write(plan: Plan, change_id: ChangeId, request: Request) -> Write:
    rows, card = plan.rows, plan.rows.card
    return Write(
        base=plan.base,
        chat=plan.chat,
        change_id=change_id,
        action_deadline=plan.times.action_deadline,
        compaction_requested=plan.times.compaction_requested,
        cut_from=rows.cut_from,
        messages=rows.messages,
        enqueued=rows.enqueued,
        removed=rows.removed,
        rewritten=rows.rewritten,
        promoted=[(promotion.queued, promotion.number) for promotion in rows.promoted],
        files=rows.files,
        inbox=[kind.value for kind in rows.inbox],
        card=CardWrite(**{name: getattr(card, name) for name in CardWrite.__dataclass_fields__}) if card else None,
        new_card=request.new_card,
        key=request.key(plan) if request.key else None,
        guard=request.guard,
    )
