"""One chat under way: the row as its runner knows it, its history, and what is in flight."""

import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

from perdure.agent.flight import Flight
from perdure.agent.history import History
from perdure.agent.once_calls import OnceCalls
from perdure.agent.partial_cost import partial_cost
from perdure.agent.prepare import Prepared
from perdure.core.chat import CallKind, Chat, Fence, OpenCall
from perdure.core.commit import Commit
from perdure.core.errors import ChatNotFound, Fenced, PerdureError, ProviderFailure, Unavailable
from perdure.core.failure import ChatError, ErrorKind
from perdure.core.ids import MessageNumber
from perdure.core.timing import ATTEMPT_LIMIT, PREPARE_RETRIES, PREPARE_RETRY_FIRST, RUNNER_COMMIT_PATIENCE
from perdure.live.episodes import EpisodeKey
from perdure.machine.change import Owner
from perdure.machine.machine import Request
from perdure.machine.transitions import Transition
from perdure.machine.transitions.endings import FinishError
from perdure.machine.transitions.ownership import Abandon
from perdure.machine.transitions.steps import RecordGenerationAttempt
from perdure.observe.context import concerning
from perdure.store.journal import CallRun, Entry
from perdure.worker.forgetting import Done
from perdure.worker.kit import Kit

_log = logging.getLogger(__name__)


class AttemptsExhausted(Exception):
    """The history was tried as often as it may be. The chat stopped with an error."""


class Drive:
    """What the duties of one runner share."""

    def __init__(
        self, kit: Kit, chat: Chat, owner: Owner, *, attempt_recorded: bool, history: History | None = None
    ) -> None:
        self.kit = kit
        self.chat = chat
        """The row that the duty in hand works from. Its own commits move it, and what makes no difference to it."""
        self.newest = chat
        """The newest row that was seen. Between two duties the runner goes on from there."""
        self.owner = owner
        self.flight: Flight | None = None
        self.overflowed_at: int | None = None
        """The version of the history whose prompt the provider refused for its size."""
        self.overloads = 0
        self.committing = False
        self.leaving = False
        """The replica shuts down: this step is the last one here."""
        self.forsaken = False
        """Work that did not stop still has this. Nothing comes of it any more."""
        self.resting = False
        """Nothing is done but waiting for a time to come."""
        self.once_calls = OnceCalls()
        self.calls_seen = 0
        """The message whose calls this runner brought itself and nobody can have started yet."""
        self.worst_case = 0
        """What the next model call may cost."""
        self.owed = 0
        """What attempts cost that were cut short. The next commit puts it on the row."""
        self.entries: Sequence[Entry] = ()
        """What the journal knows about the open calls."""
        self._history = history
        self._prepared: tuple[int, Prepared] | None = None
        self._recorded = self._attempt if attempt_recorded else None

    def without_work(self) -> "Drive":
        """The same chat, for whoever goes on although this one's work does not stop."""
        self.forsaken = True
        drive = Drive(self.kit, self.newest, self.owner, attempt_recorded=False, history=self._history)
        drive.flight, drive.owed = self.flight, self.owed
        drive.leaving, drive.once_calls = self.leaving, self.once_calls
        return drive

    @property
    def ours(self) -> bool:
        return self.newest.worker_id == self.owner.worker_id and self.newest.runner_id == self.owner.runner_id

    @property
    def stale(self) -> bool:
        """Whether the newest row makes the work in hand worthless. Nobody can tell before an own commit is answered."""
        return not self.committing and not self.fence().holds(self.newest)

    def saw(self, chat: Chat) -> bool:
        """Take note of a row. Whether it is news."""
        if chat.snapshot_version <= self.newest.snapshot_version:
            return False
        self.newest = chat
        self._follow()
        return True

    def _follow(self) -> None:
        """Work from the newest row, where it makes no difference to the work in hand."""
        if not self.committing and self.fence().holds(self.newest):
            self.chat = self.newest

    def catch_up(self) -> None:
        """Begin from the newest row: nothing is in hand."""
        self.chat = self.newest

    @property
    def _attempt(self) -> tuple[int, int]:
        return _attempt_of(self.chat)

    @property
    def key(self) -> EpisodeKey:
        return EpisodeKey(self.chat.id, *self._attempt)

    def fence(self, *, attempt: bool = False) -> Fence:
        return Fence(
            self.owner.worker_id,
            self.owner.runner_id,
            self.chat.status,
            self.chat.history_version,
            self.chat.generation_attempt if attempt else None,
        )

    @property
    def card_says_root(self) -> bool:
        """Whether it is known that no other chat started this one."""
        return self._history is not None and self._history.card.parent_id is None

    async def history(self) -> History:
        if self._history is None or self._history.version != self.chat.history_version:
            self._history = await self.kit.histories.at(self.chat)
            self.kit.histories.keep(self._history)
        return self._history

    async def prepared(self) -> Prepared:
        """The turn's preparation, made once, and again when whoever brings tools brings others."""
        known = self._prepared
        if known is None or known[0] != self.chat.turn or not known[1].toolset.current():
            known = self._prepared = self.chat.turn, await self._prepare()
        kept_up = await self.kit.preparation.kept_up(known[1], await self.history())
        self._prepared = known[0], kept_up
        return kept_up

    async def _prepare(self) -> Prepared:
        """Prepare, trying again what may go better in a moment. A provider's refusal is not of that kind."""
        delay = PREPARE_RETRY_FIRST
        for _ in range(PREPARE_RETRIES):
            try:
                return await self.kit.preparation.prepare(await self.history(), self.chat.turn)
            except (ProviderFailure, Unavailable, ChatNotFound):
                raise
            except (PerdureError, OSError) as error:
                _log.warning("a turn could not be prepared (%s); trying again in %s", error, delay)
            await self.kit.clock.sleep(delay.total_seconds())
            delay *= 2
        return await self.kit.preparation.prepare(await self.history(), self.chat.turn)

    def forget_preparation(self) -> None:
        """Prepare anew for the next step, from a card that is read again."""
        self._prepared = self._history = None

    async def commit(self, *transitions: Transition, fence: Fence | None = None) -> Commit:
        return await self.commit_by(lambda _: transitions, fence=fence)

    async def commit_by(self, bundle: Callable[[Chat], Sequence[Transition]], *, fence: Fence | None = None) -> Commit:
        """Commit on behalf of this runner, and go on from the row that it left."""
        believed = fence or self.fence()
        while True:
            if self.forsaken:
                raise Fenced
            await self.kit.lease.held()
            mine = replace(believed, worker_id=self.owner.worker_id)
            try:
                committed = await self._committed(lambda chat: self._parting(bundle(chat)), mine)
            except Fenced:
                if not await self._same_but_for_the_lease(mine):
                    raise
                continue
            self._adopt(committed)
            return committed

    def _parting(self, transitions: Sequence[Transition]) -> Sequence[Transition]:
        """The step together with letting go, instead of the attempt at the next one."""
        if self.leaving and len(transitions) > 1 and isinstance(transitions[-1], RecordGenerationAttempt):
            return *transitions[:-1], Abandon()
        return transitions

    async def _committed(self, bundle: Callable[[Chat], Sequence[Transition]], fence: Fence) -> Commit:
        with self.uncut():
            request = Request(fence=fence, patience=RUNNER_COMMIT_PATIENCE.total_seconds())
            return await self.kit.machine.advance_by(self.chat, bundle, request=request)

    @contextmanager
    def uncut(self) -> Generator[None]:
        """What changes the row inside is not cut short by that very change, and hears of others afterwards."""
        self.committing = True
        try:
            yield
        finally:
            self.committing = False
            self._follow()

    async def _same_but_for_the_lease(self, fence: Fence) -> bool:
        """Whether the work still counts: this replica lost its id and took the chat again under another."""
        chat = await self.kit.machine.load(self.chat.id)
        self.saw(chat)
        renewed = replace(fence, worker_id=self.owner.worker_id)
        return renewed != fence and renewed.holds(chat)

    def _adopt(self, committed: Commit) -> None:
        known = self._history
        moved = committed.chat.history_version == committed.chat.snapshot_version
        if known is not None and (moved or committed.card is not None):
            self._history = known.after(committed)
            if self._history is not None:
                self.kit.histories.keep(self._history)
        if committed.chat.snapshot_version >= self.chat.snapshot_version:
            self.chat = committed.chat
        self.saw(committed.chat)
        self._follow()
        before, after = committed.base, committed.chat
        if before is None or _attempt_of(before) != _attempt_of(after):
            self._recorded = _attempt_of(after) if after.generation_attempt else None

    async def begin_attempt(self, reserve: int = 0) -> None:
        """Make sure that the attempt on the row is ours and unused, so that it names one log by one process."""
        unpaid = reserve > 0 and not self.chat.budget_reserved
        if self._recorded != self._attempt or unpaid:
            await self.next_attempt(reserve)
            if self.stale:
                # Somebody moved the row before the answer came.
                raise Fenced
        self._recorded = None

    async def next_attempt(self, reserve: int = 0) -> None:
        """Record one more attempt at this history, if there may be one."""
        if self.chat.generation_attempt >= ATTEMPT_LIMIT:
            await self._give_up()
        await self.commit(RecordGenerationAttempt(reserve))

    async def _give_up(self) -> None:
        """Stop after too many attempts at the same history."""
        last = self.chat.retry_state
        error = ChatError(
            message=last.error if last else "The turn was tried too often without an answer.",
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
        return concerning(attempt=self.chat.generation_attempt, organisation=organisation, purpose=purpose)

    def moved_on_from(self, chat: Chat) -> Callable[[], bool]:
        """Whether somebody stopped the turn or rewrote its history since; a shutdown does neither."""
        return lambda: (self.newest.status, self.newest.history_version) != (chat.status, chat.history_version)

    def take_off(self) -> Flight:
        """Begin to show parts of the current attempt."""
        self.flight = Flight(self.kit.episodes.open(self.key), self.kit.clock)
        return self.flight

    def land(self) -> None:
        """Nothing more comes of what was in flight."""
        if self.flight is not None:
            self.kit.episodes.close(self.flight.episode.key)
            self.flight = None

    def cut_short(self, prepared: Prepared, history: History) -> None:
        """The attempt in flight brings no step, and what was seen of it is paid for."""
        parts = self.flight.parts if self.flight is not None else ()
        spent = partial_cost(prepared.model, history, parts, prepared.frame) or 0
        self.kit.purses.settle(history.card, self.owner.worker_id, spent)
        self.owed += spent

    def forget(self, calls: Sequence[OpenCall], message: MessageNumber) -> None:
        """Nobody needs to know any more how these calls went: their results are committed."""
        card = self._history.card if self._history else None
        home = (card and card.root_id) or self.chat.id
        runs = [CallRun(self.chat.id, message, call.index, call.run) for call in calls if call.kind is CallKind.LOCAL]
        self.kit.forgetting.committed([Done(run, home) for run in runs])


def gave_up(detail: str | None) -> str:
    """What the last failure said, and that it was the last."""
    return " ".join(filter(None, (detail, f"Gave up after {ATTEMPT_LIMIT} attempts.")))


def _attempt_of(chat: Chat) -> tuple[int, int]:
    return chat.history_version, chat.generation_attempt
