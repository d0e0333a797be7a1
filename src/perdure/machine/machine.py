"""Following arrows for real: read, plan, commit once, announce."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace as with_fields
from datetime import timedelta
from typing import TypeVar

from msgspec import Struct, structs

from perdure.core.chat import Chat, Fence
from perdure.core.clock import Clock, SystemClock
from perdure.core.errors import EditedMessageNotUser, Fenced, MessageNotFound, PerdureError, TransitionNotAllowed
from perdure.core.ids import ChangeId, ChatId, MessageNumber
from perdure.core.message import Effort, Message, Role, Visibility
from perdure.machine.change import Plan
from perdure.machine.delivery import Delivery, PlanFrom, Request
from perdure.machine.diagram import follow
from perdure.machine.family import archive_family
from perdure.machine.lanes import Lanes
from perdure.machine.memory import Memory
from perdure.machine.transitions import Transition
from perdure.machine.transitions.messages import Target
from perdure.store.commit import NewCard
from perdure.store.execution import Execution, IdTaken

Bundle = Callable[[Chat], Sequence[Transition]]
"""Transitions to follow from where the chat is. It is asked again whenever the chat moved meanwhile."""


class Committed(Struct, frozen=True):
    """A change that is in the database."""

    plan: Plan
    chat: Chat
    change_id: ChangeId
    waited: tuple[timedelta, ...] = ()
    """How long each message that it took from the queue had been there, whichever replica put it in."""

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


T = TypeVar("T")
_PLAIN = Request()
Announce = Callable[[Committed], None]


class Machine:
    """The only way to change a chat's execution state."""

    def __init__(self, execution: Execution, announce: Announce, clock: Clock | None = None) -> None:
        self._execution = execution
        self._announce = announce
        self._clock = clock or SystemClock()
        self._lanes = Lanes()
        self._memory = Memory()
        self._committing = set[asyncio.Task[None]]()

    async def load(self, chat_id: ChatId) -> Chat:
        return await self._execution.load(chat_id)

    async def create(
        self, chat_id: ChatId, card: NewCard, transitions: Sequence[Transition], request: Request = _PLAIN
    ) -> Committed:
        """Bring a chat into being, with whatever its first change does besides."""
        plan = follow(None, transitions, chat_id=chat_id)
        try:
            return await self._deliver(plan, lambda _: plan, with_fields(request, new_card=card))
        except IdTaken:
            state = (await self._execution.load(chat_id)).state
            raise TransitionNotAllowed("Create", state.value, "There is a chat with this id already.") from None

    async def change(self, chat_id: ChatId, *transitions: Transition, request: Request = _PLAIN) -> Committed:
        """Follow these arrows from wherever the chat is."""
        return await self.change_by(chat_id, lambda _: transitions, request=request)

    async def change_by(self, chat_id: ChatId, bundle: Bundle, *, request: Request = _PLAIN) -> Committed:
        """Follow the arrows that the bundle chooses when it sees the chat."""
        plan_from = _planner(bundle, request.fence)
        await self._lanes.enter(chat_id)
        try:
            plan = self._plan_from_memory(chat_id, plan_from) or plan_from(await self._execution.load(chat_id))
            return await self._deliver(plan, plan_from, request)
        finally:
            self._lanes.leave(chat_id)

    async def advance(self, chat: Chat, *transitions: Transition, request: Request = _PLAIN) -> Committed:
        """Follow these arrows from a row that the caller knows: one round trip if nobody moved it."""
        return await self.advance_by(chat, lambda _: transitions, request=request)

    async def advance_by(self, chat: Chat, bundle: Bundle, *, request: Request = _PLAIN) -> Committed:
        """Follow the arrows that the bundle chooses, from a row that the caller knows."""
        await self._lanes.enter(chat.id)
        plan_from = _planner(bundle, request.fence)
        try:
            return await self._deliver(plan_from(chat), plan_from, request)
        finally:
            self._lanes.leave(chat.id)

    async def edit(
        self, chat_id: ChatId, number: MessageNumber, bundle: Callable[[Target], Bundle], request: Request = _PLAIN
    ) -> Committed:
        """Follow arrows that replace a message, which is read together with the chat."""
        await self._lanes.enter(chat_id)
        try:
            base, target = await self._load_target(chat_id, number)
            plan_from = _planner(bundle(target), request.fence)
            return await self._deliver(plan_from(base), plan_from, request)
        finally:
            self._lanes.leave(chat_id)

    async def archive_family(self, root_id: ChatId, *, archived: bool) -> tuple[Committed, ...]:
        """Put a root away with all its descendants, or bring them back: all of them, or none."""
        return await self._on_its_own(self._archive(root_id, archived=archived))

    async def _archive(self, root_id: ChatId, *, archived: bool) -> tuple[Committed, ...]:
        family = await archive_family(self._execution, root_id, archived=archived)
        committed = tuple(Committed(member.plan, member.chat, member.change_id) for member in family)
        for member in committed:
            self._memory.keep(member.chat)
            self._announce(member)
        return committed

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

    def _plan_from_memory(self, chat_id: ChatId, plan_from: PlanFrom) -> Plan | None:
        """A plan from the row as this process left it: if it moved since, the swap is lost and the row is read.

        Only the row itself may say no, or that nothing is to be done.
        """
        known = self._memory.get(chat_id)
        if known is None:
            return None
        try:
            plan = plan_from(known)
        except PerdureError:
            return None
        return None if plan.empty else plan

    async def _deliver(self, plan: Plan, plan_from: PlanFrom, request: Request) -> Committed:
        delivery = Delivery(self._execution, self._clock, plan_from, request)
        if plan.empty:
            assert plan.base is not None, "creating a chat is never nothing"
            return Committed(plan, plan.base, delivery.change_id)
        return await self._on_its_own(self._settle(delivery, plan))

    async def _on_its_own(self, work: Coroutine[None, None, T]) -> T:
        """A task that nobody's cancellation reaches: whoever waits may go, a commit may not.

        `asyncio.shield` does the same for half as much again, at every commit.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        task = loop.create_task(_tell(done, work))
        self._committing.add(task)
        task.add_done_callback(self._committing.discard)
        return await done

    async def _settle(self, delivery: Delivery, plan: Plan) -> Committed:
        try:
            delivered = await delivery.settle(plan)
        except BaseException:
            self._memory.forget(plan.chat.id)
            raise
        self._memory.keep(delivered.chat)
        committed = Committed(delivered.plan, delivered.chat, delivered.change_id, delivered.waited)
        if not delivered.plan.empty:
            self._announce(committed)
        return committed


async def _tell(done: "asyncio.Future[T]", work: Coroutine[None, None, T]) -> None:
    """Do the work and tell the one who waits, if somebody still does."""
    try:
        result = await work
    except asyncio.CancelledError:
        done.cancel()
        raise
    except Exception as error:
        if not done.done():
            done.set_exception(error)
        elif not isinstance(error, PerdureError):
            raise
    else:
        if not done.done():
            done.set_result(result)


def _planner(bundle: Bundle, fence: Fence | None) -> PlanFrom:
    def plan_from(chat: Chat | None) -> Plan:
        assert chat is not None
        if fence is not None and not fence.holds(chat):
            raise Fenced
        return follow(chat, bundle(chat))

    return plan_from
