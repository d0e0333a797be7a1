"""Drives one chat while this replica owns it: one duty at a time, in step with the row."""

import logging
from dataclasses import replace

from perdure.agent.decision import RunTools
from perdure.agent.facts import counts
from perdure.agent.history import History
from perdure.agent.journaling import OnceCalls
from perdure.core.chat import Chat, Status
from perdure.core.errors import ChatNotFound, Fenced, TransitionNotAllowed, Unavailable
from perdure.core.tasks import Backoff
from perdure.core.timing import DATABASE_RETRY_FIRST, DATABASE_RETRY_LONGEST
from perdure.machine.change import Owner
from perdure.observe.logs import concerning
from perdure.worker.duties.deciding import carry_out, decided_for
from perdure.worker.duties.ending import come_to_rest, end_edited_away, end_with_error
from perdure.worker.duties.generate import wait_for_retry
from perdure.worker.duties.interruption import finish_interruption, give_up_partial
from perdure.worker.outcomes import Carried, Interrupted, Outcome
from perdure.worker.owned_chat import AttemptsExhausted, OwnedChat
from perdure.worker.services import RunnerServices
from perdure.worker.work import Work

_log = logging.getLogger(__name__)
STUMBLES = 3


class Runner:
    """One chat's driver. It stops by itself when the chat rests, parks or belongs to somebody else."""

    def __init__(
        self,
        services: RunnerServices,
        chat: Chat,
        owner: Owner,
        *,
        attempt_recorded: bool = False,
        history: History | None = None,
    ) -> None:
        self._owned = OwnedChat(services, chat, owner, attempt_recorded=attempt_recorded, history=history)
        self._services = services
        self._clock = services.clock
        self._carried = Carried()
        self._resting = False
        """Nothing is done but waiting for a time to come."""
        self._work: Work | None = None
        self._released = False
        self._stumbles = 0

    @property
    def chat(self) -> Chat:
        """The newest row that it knows of."""
        return self._owned.newest

    @property
    def owner(self) -> Owner:
        return self._owned.owner

    @owner.setter
    def owner(self, owner: Owner) -> None:
        """The replica took a new id; the runner is the same."""
        self._owned.renamed(owner)

    def saw(self, chat: Chat) -> None:
        """Take note of a newer row. Work that it makes stale is cancelled."""
        if self._owned.saw(chat) and self._owned.stale and self._work is not None:
            self._work.cut_short()

    def doubt(self) -> None:
        """The row may have moved. Where it cannot be read now, it is read before anything is begun."""
        self._owned.doubt()

    async def look(self) -> None:
        """Read the row again: it may have moved."""
        self.doubt()
        try:
            self.saw(await self._owned.read())
        except (ChatNotFound, Unavailable):
            _log.debug("the row could not be read now")

    async def compare(self) -> None:
        """See whether the database still has what this runner knows of. If not, somebody begins from what it has."""
        self._owned.forget_history()
        known, backoff = self._owned.newest, Backoff(DATABASE_RETRY_FIRST, DATABASE_RETRY_LONGEST)
        while self._driven:
            try:
                row = await self._services.machine.load(known.id)
            except Unavailable:
                await backoff.wait(self._clock)
                continue
            except ChatNotFound:
                row = None
            if row is not None and row.follows(known):
                self.saw(row)
            else:
                _log.warning("chat %s went back; it is driven from what is left", known.id)
                self.release()
            return

    @property
    def once_calls(self) -> OnceCalls:
        return self._owned.once_calls

    def leave(self) -> None:
        """Come to the end of the step, then let another replica go on. A mere wait ends at once."""
        self._owned.leave()
        if self._resting and self._work is not None:
            self._work.cut_short()

    def release(self) -> None:
        """Stop here and let another replica go on. The chat's state stays as it is."""
        self._released = True
        if self._work is not None:
            self._work.cut_short()

    async def run(self) -> None:
        """Until the chat needs no driver, or has another."""
        backoff = Backoff(DATABASE_RETRY_FIRST, DATABASE_RETRY_LONGEST)
        while self._driven:
            try:
                await self._perform()
                backoff.reset()
            except (Unavailable, Fenced, TransitionNotAllowed) as error:
                _log.warning("the chat moved or the database is away (%s); trying again in %s", error, backoff.next)
                await backoff.wait(self._clock)
                await self.look()
        await come_to_rest(self._owned)

    @property
    def _driven(self) -> bool:
        owned = self._owned
        if self._released or not owned.ours:
            return False
        # An interruption is finished even while the replica leaves: somebody waits for it.
        status = owned.newest.status
        return status is Status.INTERRUPTING or (status is Status.RUNNING and not owned.leaving)

    async def _perform(self) -> None:
        """One duty, which a newer row may cut short."""
        self._owned.catch_up()
        work = self._work = Work(self._duty(), self._clock)
        try:
            ended = await work.over()
        finally:
            self._work = None
        if not ended:
            _log.error("what was done for chat %s does not stop; the chat goes on without it", self.chat.id)
            self._owned = self._owned.without_work()
        elif (error := work.error) is not None:
            await self._mend(error)
        elif (outcome := work.outcome) is not None:
            await self._follow(outcome)

    async def _follow(self, outcome: Outcome) -> None:
        self._carried = self._carried.after(outcome)
        if isinstance(outcome, Interrupted) and not self._owned.stale:
            # The row moved, and nobody has told us yet.
            self._services.measures.turns.stale_work.inc()
            await self.look()

    async def _mend(self, error: BaseException) -> None:
        moved = isinstance(error, Fenced) and await self._moved()
        if not counts(error, moved=moved):
            self._owned.excuse_attempt()
        match error:
            case Fenced() if moved:
                # Still ours? Then only the history moved, or the lease: adopt the row and decide again.
                self._services.measures.turns.stale_work.inc()
            case AttemptsExhausted():
                pass
            case ChatNotFound():
                self._released = True
            case Unavailable() | Fenced():
                raise error
            case _ if self._owned.chat.status is Status.INTERRUPTING:
                await self._stop_anyway(error)
            case _:
                await end_with_error(self._owned, error)

    async def _moved(self) -> bool:
        """Whether the row is another than the one that the work began from."""
        before = self._owned.chat
        await self.look()
        return self._owned.newest.snapshot_version != before.snapshot_version

    async def _stop_anyway(self, error: BaseException) -> None:
        """Stop means stop: after a few tries also without what there was of the answer."""
        self._stumbles += 1
        _log.error("an interruption failed", exc_info=error)
        if self._stumbles >= STUMBLES:
            self._carried = self._carried.after(await give_up_partial(self._owned, self._carried.owed))

    async def _duty(self) -> Outcome:
        owned = self._owned
        with concerning(chat=owned.chat.id, turn=owned.chat.turn, attempt=owned.chat.generation_attempt):
            async with self._services.traced(owned.chat):
                return await self._one_duty(owned)

    async def _one_duty(self, owned: OwnedChat) -> Outcome:
        self._services.crash_points.reached("runner.duty")
        await end_edited_away(owned)
        if owned.chat.status is Status.INTERRUPTING:
            return await finish_interruption(owned, self._carried.owed)
        if owned.chat.retry_state is not None:
            return await self._wait(owned)
        decided = await decided_for(owned, self._carried)
        if isinstance(decided.decision, RunTools):
            # From now on they may have been started, whatever becomes of this duty.
            self._carried = replace(self._carried, calls_of=0)
        return await carry_out(owned, decided, self._carried)

    async def _wait(self, owned: OwnedChat) -> Outcome:
        self._resting = True
        try:
            return await wait_for_retry(owned)
        finally:
            self._resting = False
