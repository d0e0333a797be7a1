"""Drives one chat while this replica owns it: one duty at a time, in step with the row."""

import logging
from collections.abc import Sequence
from dataclasses import replace

from perdure.agent.decide import Compact, Decision, Facts, Finish, Generate, Park, RefuseBatch, RunTools, decide
from perdure.agent.facts import counts, facts_of, next_prompt
from perdure.agent.history import History
from perdure.agent.journaling import OnceCalls, doubted, uncertain, unrecorded
from perdure.agent.prepare import EXCLUDED
from perdure.core.author import NOBODY
from perdure.core.chat import ActionKind, Breach, Chat, Status
from perdure.core.errors import ChatNotFound, DatabaseFault, Fenced, ProviderFailure, TransitionNotAllowed, Unavailable
from perdure.core.failure import ChatError
from perdure.core.tasks import Backoff
from perdure.core.timing import DATABASE_RETRY_FIRST, DATABASE_RETRY_LONGEST
from perdure.machine.change import Owner
from perdure.machine.transitions.driving import Abandon
from perdure.machine.transitions.endings import FinishError, Interrupt
from perdure.observe.logs import concerning
from perdure.store.journal import Entry
from perdure.worker.duties.compact import compact_history
from perdure.worker.duties.ending import end_edited_away, finish, park, wait_for_agents
from perdure.worker.duties.generate import generate_step, wait_for_retry
from perdure.worker.duties.interruption import finish_interruption, give_up_partial
from perdure.worker.duties.run_tools import refuse_batch, run_tools
from perdure.worker.outcomes import Carried, Interrupted, Outcome
from perdure.worker.owned_chat import AttemptsExhausted, OwnedChat
from perdure.worker.services import RunnerServices
from perdure.worker.work import Work

_log = logging.getLogger(__name__)
STUMBLES = 3
_BUG = ChatError("Something went wrong inside the server. The log has the details.")


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
        self._owned.hide()
        self._owned.services.budgets.release(self._owned.chat.id)
        await self._tell_parent()
        if self._owned.newest.status in (Status.WAITING, Status.ERROR):
            self._services.tools.rests(self._owned.chat.id)

    async def _tell_parent(self) -> None:
        """An agent that came to rest wakes the chat that waits for it. If that is lost, a sweep does it."""
        owned = self._owned
        if owned.newest.status not in (Status.WAITING, Status.ERROR) or owned.card_says_root:
            return
        owned.services.crash_points.reached("runner.rested")
        try:
            await owned.services.waits.rested(owned.chat.id)
        except (Unavailable, DatabaseFault) as error:
            _log.warning("the parent of %s could not be woken: %s", owned.chat.id, error)

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
            case ProviderFailure(error=told) if told is EXCLUDED:
                # As the sweep would in a moment: what others wrote meanwhile goes on.
                await self._owned.commit(Interrupt(by=NOBODY))
            case ProviderFailure():
                await self._owned.commit(FinishError(error.error), Abandon())
            case _:
                _log.error("a duty failed", exc_info=error)
                await self._owned.commit(FinishError(_BUG), Abandon())

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
        entries = await self._entries(owned)
        facts = await self._facts(owned, entries)
        prepared, history = await owned.prepared(), await owned.history()
        self._services.crash_points.reached("runner.decided")
        decision = decide(owned.chat, history, prepared.toolset, facts)
        return await self._carry_out(owned, decision, facts, entries)

    async def _wait(self, owned: OwnedChat) -> Outcome:
        self._resting = True
        try:
            return await wait_for_retry(owned)
        finally:
            self._resting = False

    async def _entries(self, owned: OwnedChat) -> Sequence[Entry]:
        """What the journal knows about the open calls. Nothing, where they came with this runner's last step."""
        chat = owned.chat
        if not chat.open_calls or self._carried.calls_of == chat.last_assistant:
            return ()
        journal = self._services.journal
        entries = await journal.load(chat.id, chat.last_assistant)
        unheard_of = unrecorded(entries, chat.open_calls, (await owned.prepared()).toolset)
        if not unheard_of:
            return entries
        lost = uncertain(unheard_of, await journal.failover(chat.id, chat.last_assistant))
        if not lost:
            return entries
        _log.warning("a failover may have lost that calls of chat %s were started: its people are asked", chat.id)
        return (*entries, *map(doubted, lost))

    async def _facts(self, owned: OwnedChat, entries: Sequence[Entry]) -> Facts:
        chat, prepared, history = owned.chat, await owned.prepared(), await owned.history()
        prompt = next_prompt(history, prepared)
        return facts_of(
            chat,
            history,
            prepared,
            prompt=prompt,
            entries=entries,
            overflowed=self._carried.overflowed_at == chat.history_version,
            over_budget=None if chat.open_calls else await self._breach(owned, history, prompt.worst_case),
        )

    async def _breach(self, owned: OwnedChat, history: History, worst_case: int) -> Breach | None:
        """The budget that the next model call does not fit."""
        limits = (await self._services.preparation.sources.rules(history.card)).limits
        replica_id = owned.owner.worker_id
        return await self._services.budgets.reserve(owned.chat, history.card, limits, replica_id, worst_case)

    async def _carry_out(self, owned: OwnedChat, decision: Decision, facts: Facts, entries: Sequence[Entry]) -> Outcome:
        match decision:
            case Generate():
                return await generate_step(owned, facts, self._carried)
            case RunTools():
                # From now on they may have been started, whatever becomes of this duty.
                self._carried = replace(self._carried, calls_of=0)
                return await run_tools(owned, decision, facts, entries)
            case RefuseBatch():
                return await refuse_batch(owned, decision, facts)
            case Park(ActionKind.CHILDREN, (call, *_)):
                return await wait_for_agents(owned, call, facts)
            case Park():
                return await park(owned, decision)
            case Finish(ending):
                return await finish(owned, ending)
            case Compact():
                return await compact_history(owned, decision, facts)
