"""One chat while a runner owns it: the row that the work is based on, its history, its commits and its attempts."""

import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace

from perdure.agent.attempt_output import AttemptOutput, partial_cost
from perdure.agent.facts import exhausted
from perdure.agent.history import History
from perdure.agent.journaling import OnceCalls
from perdure.agent.prepare import Prepared
from perdure.core.action import CallKind, OpenCall
from perdure.core.chat import Chat
from perdure.core.commit import Commit
from perdure.core.errors import ChatNotFound, Fenced, PerdureError, ProviderFailure, Unavailable
from perdure.core.failure import ChatError, ErrorKind
from perdure.core.fence import Fence
from perdure.core.ids import MessageNumber, ReplicaId, UserId
from perdure.core.tasks import Backoff
from perdure.core.timing import ATTEMPT_LIMIT, PREPARE_RETRIES, PREPARE_RETRY_FIRST, RUNNER_COMMIT_PATIENCE
from perdure.live.episodes import EpisodeKey
from perdure.machine.change import Owner
from perdure.machine.machine import Request
from perdure.machine.transitions import Abandon, FinishError, RecordGenerationAttempt, Transition
from perdure.observe.logs import concerning
from perdure.store.journal import CallRun
from perdure.worker.journal_cleanup import Done
from perdure.worker.services import RunnerServices

_log = logging.getLogger(__name__)


class AttemptsExhausted(Exception):
    """The history was tried as often as it may be. The chat stopped with an error."""


class OwnedChat:
    """What every duty of a runner needs. Duties read it and commit through it; what they find they return."""

    def __init__(
        self,
        services: RunnerServices,
        chat: Chat,
        owner: Owner,
        *,
        attempt_recorded: bool,
        history: History | None = None,
    ) -> None:
        self.services = services
        self.once_calls = OnceCalls()
        self._chat = self._newest = chat
        self._doubts = self._settled = 0
        """How often the row may have moved unseen, and how many of these times it was read since."""
        self._owner = owner
        self._ids = {owner.worker_id}
        """The ids that the replica had since. Nobody else gives a chat to the same runner."""
        self._output: AttemptOutput | None = None
        self._committing = False
        self._leaving = False
        self._forsaken = False
        """Work that did not stop still has this. Nothing comes of it any more."""
        self._history = history
        self._prepared: tuple[tuple[int, UserId | None], Prepared] | None = None
        self._recorded = self._attempt if attempt_recorded else None
        self._used: tuple[int, int] | None = None
        """The attempt that was begun last."""
        self._excused = set[tuple[int, int]]()
        """Attempts that came to nothing because of the database."""

    def without_work(self) -> "OwnedChat":
        """The same chat, for whoever goes on although this one's work does not stop."""
        self._forsaken = True
        owned = OwnedChat(self.services, self._newest, self._owner, attempt_recorded=False, history=self._history)
        owned._output, owned._leaving, owned.once_calls = self._output, self._leaving, self.once_calls
        owned._doubts, owned._settled = self._doubts, self._settled
        owned._excused, owned._ids = self._excused, self._ids
        return owned

    @property
    def chat(self) -> Chat:
        """The row that the duty in hand works from. Its own commits move it, and what makes no difference to it."""
        return self._chat

    @property
    def newest(self) -> Chat:
        """The newest row that was seen. Between two duties the runner goes on from there."""
        return self._newest

    @property
    def owner(self) -> Owner:
        return self._owner

    @property
    def output(self) -> AttemptOutput | None:
        """What the attempt in hand has produced so far, or the one before it."""
        return self._output

    @property
    def leaving(self) -> bool:
        """The replica shuts down: this step is the last one here."""
        return self._leaving

    def leave(self) -> None:
        self._leaving = True

    def renamed(self, owner: Owner) -> None:
        """The replica took a new id; the chat is the same, and carries the old id until it is taken again."""
        self._owner = owner
        self._ids.add(owner.worker_id)

    @property
    def ours(self) -> bool:
        return self._newest.worker_id in self._ids and self._newest.runner_id == self._owner.runner_id

    @property
    def _id(self) -> ReplicaId:
        """The id under which the chat is ours."""
        known = self._newest.worker_id
        return known if self.ours and known is not None else self._owner.worker_id

    @property
    def stale(self) -> bool:
        """Whether the newest row makes the work in hand worthless. Nobody can tell before an own commit is answered."""
        return not self._committing and not self.fence().holds(self._newest)

    def saw(self, chat: Chat) -> bool:
        """Take note of a row. Whether it is news."""
        if chat.snapshot_version <= self._newest.snapshot_version:
            return False
        self._newest = chat
        self._follow()
        return True

    def doubt(self) -> None:
        """The row may have moved: nothing is begun before it was read."""
        self._doubts += 1

    async def read(self) -> Chat:
        """The row as it is now, which settles what was in doubt when it was asked for."""
        doubts = self._doubts
        chat = await self.services.machine.load(self._chat.id)
        self._settled = max(self._settled, doubts)
        return chat

    def _follow(self) -> None:
        """Work from the newest row, where it makes no difference to the work in hand."""
        if not self._committing and self.fence().holds(self._newest):
            self._chat = self._newest

    def catch_up(self) -> None:
        """Begin from the newest row: nothing is in hand."""
        self._chat, self._used = self._newest, None

    @property
    def _attempt(self) -> tuple[int, int]:
        return _attempt_of(self._chat)

    @property
    def key(self) -> EpisodeKey:
        return EpisodeKey(self._chat.id, *self._attempt)

    def fence(self, *, attempt: bool = False) -> Fence:
        return Fence(
            self._id,
            self._owner.runner_id,
            self._chat.status,
            self._chat.history_version,
            self._chat.generation_attempt if attempt else None,
        )

    @property
    def card_says_root(self) -> bool:
        """Whether it is known that no other chat started this one."""
        return self._history is not None and self._history.card.parent_id is None

    async def history(self) -> History:
        if self._history is None or self._history.version != self._chat.history_version:
            self._history = await self.services.histories.at(self._chat)
            self.services.histories.keep(self._history)
        return self._history

    async def prepared(self) -> Prepared:
        """The turn's preparation, made once, and again when somebody else is answered or tools are others."""
        known, asked = self._prepared, (int(self._chat.turn), self._chat.asked_by)
        if known is None or known[0] != asked or not known[1].toolset.current():
            known = self._prepared = asked, await self._prepare()
        kept_up = await self.services.preparation.kept_up(known[1], await self.history())
        self._prepared = known[0], kept_up
        return kept_up

    async def _prepare(self) -> Prepared:
        """Prepare, trying again what may go better in a moment. A provider's refusal is not of that kind."""
        backoff = Backoff(PREPARE_RETRY_FIRST, 2**PREPARE_RETRIES * PREPARE_RETRY_FIRST)
        for _ in range(PREPARE_RETRIES):
            try:
                return await self.services.preparation.prepare(await self.history(), self._chat.turn)
            except (ProviderFailure, Unavailable, ChatNotFound):
                raise
            except (PerdureError, OSError) as error:
                _log.warning("a turn could not be prepared (%s); trying again in %s", error, backoff.next)
            await backoff.wait(self.services.clock)
        return await self.services.preparation.prepare(await self.history(), self._chat.turn)

    def forget_history(self) -> None:
        """Read it again: the database may have another past now."""
        self._history = None

    def forget_preparation(self) -> None:
        """Prepare anew for the next step, from a card that is read again."""
        self._prepared = self._history = None

    async def commit(self, *transitions: Transition, fence: Fence | None = None) -> Commit:
        return await self.commit_by(lambda _: transitions, fence=fence)

    async def commit_by(self, bundle: Callable[[Chat], Sequence[Transition]], *, fence: Fence | None = None) -> Commit:
        """Commit on behalf of this runner, and go on from the row that it left."""
        believed = fence or self.fence()
        while True:
            if self._forsaken:
                raise Fenced
            await self.services.lease.held()
            mine = replace(believed, worker_id=self._id)
            try:
                committed = await self._committed(lambda chat: self._parting(bundle(chat)), mine)
            except Fenced:
                if not await self._same_but_for_the_lease(mine):
                    raise
                continue
            self._adopt(committed)
            with suppress(ChatNotFound, Unavailable):
                await self._settle_doubts()
            return committed

    async def _settle_doubts(self) -> None:
        """Somebody may have moved the row while the commit was unanswered. Whoever waits for it begins nothing."""
        if self._settled < self._doubts:
            self.saw(await self.read())

    def _parting(self, transitions: Sequence[Transition]) -> Sequence[Transition]:
        """The step together with letting go, instead of the attempt at the next one."""
        if self._leaving and len(transitions) > 1 and isinstance(transitions[-1], RecordGenerationAttempt):
            return *transitions[:-1], Abandon()
        return transitions

    async def _committed(self, bundle: Callable[[Chat], Sequence[Transition]], fence: Fence) -> Commit:
        with self.uncut():
            request = Request(fence=fence, patience=RUNNER_COMMIT_PATIENCE.total_seconds())
            return await self.services.machine.advance_by(self._chat, bundle, request=request)

    @contextmanager
    def uncut(self) -> Generator[None]:
        """What changes the row inside is not cut short by that very change, and hears of others afterwards."""
        self._committing = True
        try:
            yield
        finally:
            self._committing = False
            self._follow()

    async def _same_but_for_the_lease(self, fence: Fence) -> bool:
        """Whether the work still counts: this replica lost its id and took the chat again under another."""
        chat = await self.services.machine.load(self._chat.id)
        self.saw(chat)
        renewed = replace(fence, worker_id=self._id)
        return renewed != fence and renewed.holds(chat)

    def _adopt(self, committed: Commit) -> None:
        known = self._history
        moved = committed.chat.history_version == committed.chat.snapshot_version
        if known is not None and (moved or committed.card is not None):
            self._history = known.after(committed)
            if self._history is not None:
                self.services.histories.keep(self._history)
        if committed.chat.snapshot_version >= self._chat.snapshot_version:
            self._chat = committed.chat
        self.saw(committed.chat)
        self._follow()
        if committed.begins_attempt:
            self._recorded = _attempt_of(committed.chat)

    async def begin_attempt(self, reserve: int = 0) -> None:
        """Make sure that the attempt on the row is ours and unused, so that it names one log by one process."""
        unpaid = reserve > 0 and not self._chat.budget_reserved
        if self._recorded != self._attempt or unpaid:
            await self.next_attempt(reserve)
        # Where the row could not be read before, nothing is begun until it can.
        await self._settle_doubts()
        if self.stale:
            # Somebody moved the row before the answer came.
            raise Fenced
        self._recorded, self._used = None, self._attempt

    def excuse_attempt(self) -> None:
        """The attempt in hand, if there is one, does not stand against the chat."""
        if self._used is not None:
            self._excused = {each for each in self._excused if each[0] == self._used[0]} | {self._used}

    @property
    def exhausted(self) -> bool:
        """Whether the history was tried as often as it may be."""
        version, made = self._attempt
        return exhausted(made, excused=sum(each[0] == version for each in self._excused))

    async def next_attempt(self, reserve: int = 0) -> None:
        """Record one more attempt at this history, if there may be one."""
        if self.exhausted:
            await self._give_up()
        await self.commit(RecordGenerationAttempt(reserve))

    async def _give_up(self) -> None:
        """Stop after too many attempts at the same history."""
        last = self._chat.retry_state
        error = ChatError(
            message=last.error if last else "The turn failed too many times without an answer.",
            kind=last.kind if last else ErrorKind.GENERIC,
            detail=gave_up(None),
            provider=last.provider if last else None,
            retryable=True,
            status_code=last.status_code if last else None,
        )
        await self.commit(FinishError(error), Abandon())
        raise AttemptsExhausted

    def asking(self, history: History, purpose: str) -> AbstractContextManager[None]:
        """What a call to a model is about, for whoever watches it."""
        organisation = history.card.organisation_id
        return concerning(attempt=self._chat.generation_attempt, organisation=organisation, purpose=purpose)

    def moved_on_from(self, chat: Chat) -> Callable[[], bool]:
        """Whether somebody stopped the turn or rewrote its history since; a shutdown does neither."""
        return lambda: (self._newest.status, self._newest.history_version) != (chat.status, chat.history_version)

    def show(self) -> AttemptOutput:
        """Begin to show parts of the current attempt."""
        self._output = AttemptOutput(self.services.episodes.open(self.key), self.services.clock)
        return self._output

    def hide(self) -> None:
        """Nothing more comes of what was in flight."""
        if self._output is not None:
            self.services.episodes.close(self._output.episode.key)
            self._output = None

    def pay_for_attempt(self, prepared: Prepared, history: History) -> int:
        """The attempt brings no step, and what was seen of it is paid for. What that is."""
        parts = self._output.parts if self._output is not None else ()
        spent = partial_cost(prepared.model, history, parts, prepared.frame) or 0
        self.services.budgets.settle(history.card, self._owner.worker_id, spent)
        return spent

    def forget(self, calls: Sequence[OpenCall], message: MessageNumber) -> None:
        """Nobody needs to know any more how these calls went: their results are committed."""
        local = (call for call in calls if call.kind is CallKind.LOCAL)
        self.forget_runs([CallRun(self._chat.id, message, call.index, call.run) for call in local])

    def forget_runs(self, runs: Sequence[CallRun]) -> None:
        card = self._history.card if self._history else None
        home = (card and card.root_id) or self._chat.id
        self.services.journal_cleanup.committed([Done(run, home) for run in runs])


def gave_up(detail: str | None) -> str:
    """What the last failure said, and that it was the last."""
    return " ".join(filter(None, (detail, f"Gave up after {ATTEMPT_LIMIT} attempts.")))


def _attempt_of(chat: Chat) -> tuple[int, int]:
    return chat.history_version, chat.generation_attempt
