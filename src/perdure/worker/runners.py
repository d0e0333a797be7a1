"""The runners of this replica: one for each chat it owns, within its capacity."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from perdure.agent.history import History
from perdure.core.card import Card
from perdure.core.chat import Chat, Status
from perdure.core.commit import Commit
from perdure.core.errors import ChatNotFound, Refused, Unavailable
from perdure.core.ids import ChatId, RunnerId, UserId
from perdure.core.notice import Notice, Topic
from perdure.core.tasks import BackgroundTasks
from perdure.machine.change import Owner
from perdure.machine.transitions import Acquire, Transition
from perdure.store.replicas import Candidate, Owned, Renewal
from perdure.worker.capacity import Capacity, Places
from perdure.worker.draining import Driven, Limits, drain
from perdure.worker.lease import Lease
from perdure.worker.runner import Runner
from perdure.worker.services import RunnerServices

_log = logging.getLogger(__name__)
_DRIVEN = frozenset({Status.RUNNING, Status.INTERRUPTING})
_AT_ONCE = 8
"""So many of our own chats are taken again at the same time: the others go on meanwhile."""


@dataclass(frozen=True, slots=True)
class _Driving:
    """A runner at work, and since when."""

    runner: Runner
    task: "asyncio.Task[None]"
    since: float


class Runners:
    """Takes chats, starts their runners, keeps them in step with the rows, and lets them go."""

    def __init__(self, services: RunnerServices, lease: Lease, capacity: Capacity, limits: Limits) -> None:
        self._services = services
        self._lease = lease
        self._places = Places(capacity)
        self._limits = limits
        self._running: dict[ChatId, _Driving] = {}
        self._left: dict[ChatId, float] = {}
        """When the last runner of a chat ended, until a renewal that was asked for later tells what became of it."""
        self._promised = set[RunnerId]()
        """Runners whose chats are about to be taken, and may be already: the answer to that commit can be late."""
        self._heard: dict[ChatId, int] = {}
        """What is heard of chats without a runner while there are such promises: one of them may be meant."""
        self._draining = False
        self._looking: dict[Runner, bool] = {}
        """Runners that read their row, and whether they have to once more."""
        self._looks = BackgroundTasks(_log)

    def __len__(self) -> int:
        return len(self._running)

    @property
    def capacity(self) -> int:
        return self._places.capacity.chats

    @property
    def accepting(self) -> bool:
        return not self._draining and self._lease.valid

    def room(self) -> int:
        return self._places.free if self.accepting else 0

    def room_for(self, user_id: UserId) -> bool:
        return self.accepting and self._places.free_for(user_id)

    def take(self, user_id: UserId) -> Owner | None:
        """An owner for a chat that this replica is about to start, if there is a place. It is kept until `taken`."""
        owner = Owner(self._lease.id, RunnerId(uuid4()))
        if not self.accepting or not self._places.reserve(owner.runner_id, user_id):
            return None
        self._promised.add(owner.runner_id)
        return owner

    def untaken(self, owner: Owner) -> None:
        """Nothing came of it: the place is free again."""
        if owner.runner_id in self._promised:
            self._places.release(owner.runner_id)
            self._kept(owner)

    def taken(self, committed: Commit, owner: Owner, *, card: Card | None = None) -> None:
        """Drive a chat that a commit of ours acquired. Whoever has just read its card spares the runner that."""
        chat = committed.chat
        if chat.runner_id != owner.runner_id or chat.status not in _DRIVEN:
            self.untaken(owner)
            return
        self._services.measures.replica.acquisitions.labels("message").inc()
        history = self._services.histories.after(committed, card) if card is not None else None
        self._start(chat, owner, attempt_recorded=committed.begins_attempt, history=history)

    def _kept(self, owner: Owner) -> None:
        """A promise is kept, or will not be."""
        self._promised.discard(owner.runner_id)
        if not self._promised:
            self._heard.clear()

    async def acquire(self, candidate: Candidate) -> bool:
        """Take a chat that nobody drives. The swap decides between replicas that try at once."""
        if not self.accepting or candidate.chat_id in self._running:
            return False
        owner = self._taking(candidate)
        if owner is None:
            return False
        try:
            chat = await self._acquired(candidate, owner)
            if chat is not None:
                self._measure(candidate)
                self._start(chat, owner)
            return chat is not None
        finally:
            self.untaken(owner)

    def _taking(self, candidate: Candidate) -> Owner | None:
        if candidate.status != Status.INTERRUPTING:
            return self.take(candidate.owner_id)
        owner = Owner(self._lease.id, RunnerId(uuid4()))
        self._places.insist(owner.runner_id, candidate.owner_id)
        self._promised.add(owner.runner_id)
        return owner

    async def _acquired(self, candidate: Candidate, owner: Owner) -> Chat | None:
        def bundle(chat: Chat) -> Sequence[Transition]:
            # It may have been driven to its rest since it was seen.
            return (Acquire(owner, candidate.worker_id),) if chat.status in _DRIVEN else ()

        try:
            committed = await self._services.machine.change_by(candidate.chat_id, bundle)
        except (Refused, ChatNotFound, Unavailable):
            return None
        return None if committed.empty else committed.chat

    def _measure(self, candidate: Candidate) -> None:
        measures, waited = self._services.measures.replica, candidate.waited.total_seconds()
        if candidate.worker_id is None:
            measures.acquisitions.labels("sweep").inc()
            measures.acquisition_seconds.observe(waited)
        else:
            measures.acquisitions.labels("failover").inc()
            measures.failover_seconds.observe(waited)

    def _start(
        self, chat: Chat, owner: Owner, *, attempt_recorded: bool = False, history: History | None = None
    ) -> None:
        moved = self._heard.get(chat.id, 0) > chat.snapshot_version
        self._kept(owner)
        self._places.insist(owner.runner_id)
        runner = Runner(self._services, chat, owner, attempt_recorded=attempt_recorded, history=history)
        work = _having_looked(runner) if moved else runner.run()
        task = asyncio.create_task(work, name=f"runner {chat.id}")
        self._running[chat.id] = _Driving(runner, task, self._services.clock.monotonic())
        task.add_done_callback(lambda done: self._stopped(chat.id, owner.runner_id, done))

    def _stopped(self, chat_id: ChatId, runner_id: RunnerId, task: "asyncio.Task[None]") -> None:
        self._places.release(runner_id)
        entry = self._running.get(chat_id)
        if entry is not None and entry.task is task:
            del self._running[chat_id]
            self._left[chat_id] = self._services.clock.monotonic()
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a runner died", exc_info=error)

    def committed(self, committed: Commit) -> None:
        """A change by somebody in this process."""
        entry = self._running.get(committed.chat.id)
        if entry is not None:
            entry.runner.saw(committed.chat)

    def heard(self, notice: Notice) -> None:
        """A hint from another replica. While none are heard, and until all was read again, anything may have moved."""
        if notice.topic is Topic.DEAF:
            for entry in self._running.values():
                entry.runner.doubt()
        elif notice.topic is Topic.GAP:
            for entry in self._running.values():
                self._look(entry.runner)
        elif notice.chat_id is not None and notice.topic is Topic.CHAT:
            self._moved(notice.chat_id, notice.snapshot_version)

    def _moved(self, chat_id: ChatId, version: int) -> None:
        entry = self._running.get(chat_id)
        if entry is None:
            if self._promised:
                self._heard[chat_id] = max(version, self._heard.get(chat_id, 0))
        elif version > entry.runner.chat.snapshot_version:
            self._look(entry.runner)

    def renewed(self, renewal: Renewal, asked: float) -> None:
        """Compare what the lease covers with what runs here: hints may be lost, runners may die.

        It says how things stood when it was asked for. A busy replica hears of it later: whoever began or ended since
        then is no difference, and reading all their rows would make it busier still.
        """
        if renewal.owned is None:
            return
        covered = {owned.chat_id: owned for owned in renewal.owned}
        self._left = {chat_id: at for chat_id, at in self._left.items() if at > asked}
        for chat_id, entry in self._running.items():
            owned = covered.get(chat_id)
            missing = owned is None and entry.since < asked
            if missing or (owned is not None and owned.snapshot_version > entry.runner.chat.snapshot_version):
                self._look(entry.runner)
        for chat_id, owned in covered.items():
            known = chat_id in self._running or chat_id in self._left or owned.runner_id in self._promised
            if not known and not self._draining:
                self._looks.start(self._revive(owned), f"driving chat {owned.chat_id} again")

    async def _revive(self, owned: Owned) -> None:
        """A chat of ours without a runner: let go of it, so that it is picked up afresh."""
        try:
            chat = await self._services.machine.load(owned.chat_id)
            mine = chat.worker_id == self._lease.id and chat.runner_id == owned.runner_id
            if mine and chat.id not in self._running and chat.status in _DRIVEN:
                _log.error("chat %s had no runner; it is driven again", chat.id)
                owner = Owner(self._lease.id, owned.runner_id)
                self._start(chat, owner)
        except (ChatNotFound, Unavailable):
            return

    def _look(self, runner: Runner) -> None:
        runner.doubt()
        if runner in self._looking:
            self._looking[runner] = True
        else:
            self._looking[runner] = False
            self._looks.start(self._looked(runner), f"reading chat {runner.chat.id}")

    async def _looked(self, runner: Runner) -> None:
        """One reading at a time: what is heard meanwhile asks for one more, not for many."""
        try:
            await runner.look()
            while self._looking[runner]:
                self._looking[runner] = False
                await runner.look()
        finally:
            del self._looking[runner]

    def database_moved(self) -> None:
        """Another server answers, which may have lost what runners here know of."""
        for entry in self._running.values():
            self._looks.start(entry.runner.compare(), f"comparing chat {entry.runner.chat.id}")

    async def looked(self) -> None:
        """Wait for the readings that are under way."""
        await self._looks.settled()

    async def reacquire(self) -> None:
        """Take our own chats again under a new id, where nothing but the lease changed: a few at a time."""
        await self._lease.held()
        waiting = iter(tuple(self._running.values()))

        async def take() -> None:
            for entry in waiting:
                await self._again(entry.runner)

        await asyncio.gather(*(take() for _ in range(_AT_ONCE)))

    async def _again(self, runner: Runner) -> None:
        owner = Owner(self._lease.id, runner.owner.runner_id)

        def bundle(chat: Chat) -> Sequence[Transition]:
            # Whoever else takes a chat gives it another runner. A busy replica may lose two leases before it is here.
            ours = chat.runner_id == owner.runner_id and chat.worker_id not in (None, owner.worker_id)
            if owner.worker_id != self._lease.id:
                # This id was lost too: the chat may be taken under the next one already.
                return ()
            return (Acquire(owner, chat.worker_id),) if ours else ()

        runner.owner = owner
        try:
            committed = await self._services.machine.advance_by(runner.chat, bundle)
        except (Refused, ChatNotFound, Unavailable) as error:
            _log.info("chat %s was lost with the lease: %s", runner.chat.id, error)
        else:
            if not committed.empty:
                return
        await runner.look()

    async def drain(self) -> None:
        """Take no more chats and hand over those that run."""
        self._draining = True
        driven = [Driven(entry.runner, entry.task) for entry in self._running.values()]
        await drain(self._services, driven, self._limits)


async def _having_looked(runner: Runner) -> None:
    """Drive a chat that moved while it was taken: a stop that came then counts before anything is begun."""
    await runner.look()
    await runner.run()
