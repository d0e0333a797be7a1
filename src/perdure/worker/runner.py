"""Drives one chat while this replica owns it: one duty at a time, in step with the row."""

import logging

import asyncpg

from perdure.agent.compaction.size import compactable, prompt_tokens, worth_compacting
from perdure.agent.decide import (
    Compact,
    Decision,
    Ending,
    Facts,
    Finish,
    Generate,
    Park,
    Policy,
    RefuseBatch,
    RunTools,
    decide,
)
from perdure.agent.history import History
from perdure.agent.journaling import known
from perdure.agent.notices import notice
from perdure.agent.once_calls import OnceCalls
from perdure.core.chat import ActionKind, Breach, Chat, Status
from perdure.core.errors import ChatNotFound, Fenced, ProviderFailure, TransitionNotAllowed, Unavailable
from perdure.core.failure import ChatError
from perdure.core.timing import DATABASE_RETRY_FIRST, DATABASE_RETRY_LONGEST
from perdure.machine.change import Owner
from perdure.machine.transitions.endings import FinishError
from perdure.machine.transitions.ownership import Abandon
from perdure.machine.transitions.steps import CommitStep
from perdure.observe.context import concerning
from perdure.store.away import AWAY
from perdure.worker.drive import AttemptsExhausted, Drive
from perdure.worker.duties.compact import compact_history
from perdure.worker.duties.following import BUDGET_REACHED, after_turn, end_of_turn, finished, parked
from perdure.worker.duties.generate import generate_step, wait_for_retry
from perdure.worker.duties.interruption import finish_interruption, give_up_partial
from perdure.worker.duties.run_tools import refuse_batch, run_tools
from perdure.worker.duties.wait_for_agents import wait_for_agents
from perdure.worker.kit import Kit
from perdure.worker.work import Work

_log = logging.getLogger(__name__)
STUMBLES = 3
_BUG = ChatError("Something went wrong inside the server. The log has the details.")


class Runner:
    """One chat's driver. It stops by itself when the chat rests, parks or belongs to somebody else."""

    def __init__(
        self, kit: Kit, chat: Chat, owner: Owner, *, attempt_recorded: bool = False, history: History | None = None
    ) -> None:
        self._drive = Drive(kit, chat, owner, attempt_recorded=attempt_recorded, history=history)
        self._clock = kit.clock
        self._work: Work | None = None
        self._released = False
        self._stumbles = 0

    @property
    def chat(self) -> Chat:
        """The newest row that it knows of."""
        return self._drive.newest

    @property
    def owner(self) -> Owner:
        return self._drive.owner

    @owner.setter
    def owner(self, owner: Owner) -> None:
        """The replica took a new id; the runner is the same."""
        self._drive.owner = owner

    def saw(self, chat: Chat) -> None:
        """Take note of a newer row. Work that it makes stale is cancelled."""
        if self._drive.saw(chat) and self._drive.stale and self._work is not None:
            self._work.cut_short()

    async def look(self) -> None:
        """Read the row again: a notice said that it moved."""
        try:
            self.saw(await self._drive.kit.machine.load(self._drive.chat.id))
        except (ChatNotFound, Unavailable):
            _log.debug("the row could not be read now")

    @property
    def once_calls(self) -> OnceCalls:
        return self._drive.once_calls

    def leave(self) -> None:
        """Come to the end of the step, then let another replica go on. A mere wait ends at once."""
        self._drive.leaving = True
        if self._drive.resting and self._work is not None:
            self._work.cut_short()

    def release(self) -> None:
        """Stop here and let another replica go on. The chat's state stays as it is."""
        self._released = True
        if self._work is not None:
            self._work.cut_short()

    async def run(self) -> None:
        """Until the chat needs no driver, or has another."""
        delay = DATABASE_RETRY_FIRST
        while self._driven:
            try:
                await self._perform()
                delay = DATABASE_RETRY_FIRST
            except (Unavailable, Fenced, TransitionNotAllowed) as error:
                _log.warning("the chat moved or the database is away (%s); trying again in %s", error, delay)
                await self._clock.sleep(delay.total_seconds())
                delay = min(2 * delay, DATABASE_RETRY_LONGEST)
                await self.look()
        self._drive.land()
        self._drive.kit.purses.release(self._drive.chat.id)
        await self._tell_parent()

    async def _tell_parent(self) -> None:
        """An agent that came to rest wakes the chat that waits for it. If that is lost, a sweep does it."""
        drive = self._drive
        if drive.newest.status not in (Status.WAITING, Status.ERROR) or drive.card_says_root:
            return
        drive.kit.points.reached("runner.rested")
        try:
            await drive.kit.waits.rested(drive.chat.id)
        except (Unavailable, asyncpg.PostgresError, *AWAY) as error:
            _log.warning("the parent of %s could not be woken: %s", drive.chat.id, error)

    @property
    def _driven(self) -> bool:
        drive = self._drive
        if self._released or not drive.ours:
            return False
        # An interruption is finished even while the replica leaves: somebody waits for it.
        status = drive.newest.status
        return status is Status.INTERRUPTING or (status is Status.RUNNING and not drive.leaving)

    async def _perform(self) -> None:
        """One duty, which a newer row may cut short."""
        self._drive.catch_up()
        work = self._work = Work(self._duty(), self._clock)
        try:
            ended = await work.over()
        finally:
            self._work = None
        if not ended:
            _log.error("what was done for chat %s does not stop; the chat goes on without it", self.chat.id)
            self._drive = self._drive.without_work()
        elif (error := work.error) is not None:
            await self._mend(error)

    async def _mend(self, error: BaseException) -> None:
        match error:
            case Fenced():
                # Still ours? Then only the history moved: adopt the row and decide again.
                self._drive.kit.measures.turns.stale_work.inc()
                await self.look()
            case AttemptsExhausted():
                pass
            case ChatNotFound():
                self._released = True
            case Unavailable():
                raise error
            case _ if isinstance(error, AWAY) and not isinstance(error, OSError | ValueError):
                # Ours to repeat, like any other absence: no turn fails because its database was restarted.
                raise Unavailable(str(error)) from error
            case _ if self._drive.chat.status is Status.INTERRUPTING:
                await self._stop_anyway(error)
            case ProviderFailure():
                await self._drive.commit(FinishError(error.error), Abandon())
            case _:
                _log.error("a duty failed", exc_info=error)
                await self._drive.commit(FinishError(_BUG), Abandon())

    async def _stop_anyway(self, error: BaseException) -> None:
        """Stop means stop: after a few tries also without what there was of the answer."""
        self._stumbles += 1
        _log.error("an interruption failed", exc_info=error)
        if self._stumbles >= STUMBLES:
            await give_up_partial(self._drive)

    async def _duty(self) -> None:
        drive = self._drive
        with concerning(chat=drive.chat.id, turn=drive.chat.turn, attempt=drive.chat.generation_attempt):
            async with drive.kit.traced(drive.chat):
                await self._one_duty(drive)

    async def _one_duty(self, drive: Drive) -> None:
        drive.kit.points.reached("runner.duty")
        if drive.chat.status is Status.INTERRUPTING:
            await finish_interruption(drive)
        elif drive.chat.retry_state is not None:
            await wait_for_retry(drive)
        else:
            facts = await self._facts()
            prepared, history = await drive.prepared(), await drive.history()
            drive.kit.points.reached("runner.decided")
            await self._carry_out(decide(drive.chat, history, prepared.toolset, facts), facts)

    async def _facts(self) -> Facts:
        drive = self._drive
        chat = drive.chat
        drive.entries = ()
        if chat.open_calls and drive.calls_seen != chat.last_assistant:
            drive.entries = await drive.kit.journal.load(chat.id, chat.last_assistant)
        prepared, history = await drive.prepared(), await drive.history()
        own = {tool: Policy(policy) for tool, policy in history.card.settings.approvals.items()}
        rules = prepared.rules
        asked, denied = dict.fromkeys(prepared.toolset.asking, Policy.ASK), dict.fromkeys(rules.forbidden, Policy.DENY)
        limit, frame = prepared.window * prepared.model.threshold, prepared.frame
        tokens = prompt_tokens(history, frame)
        drive.worst_case = prepared.worst_case(tokens)
        return Facts(
            policies={**asked, **rules.policies, **own, **denied},
            journal=known(drive.entries, chat.open_calls),
            over_threshold=prepared.model.threshold < 1 and tokens >= limit and worth_compacting(history, frame, limit),
            overflowed=drive.overflowed_at == chat.history_version,
            over_budget=None if chat.open_calls else await self._breach(history),
            worst_case=drive.worst_case if chat.budget_limit is not None else 0,
            compactable=compactable(history),
            step_limit=rules.step_limit,
        )

    async def _breach(self, history: History) -> Breach | None:
        """The budget that the next model call does not fit."""
        drive = self._drive
        limits = (await drive.kit.preparation.sources.rules(history.card)).limits
        replica_id = drive.owner.worker_id
        return await drive.kit.purses.reserve(drive.chat, history.card, limits, replica_id, drive.worst_case)

    async def _carry_out(self, decision: Decision, facts: Facts) -> None:
        drive = self._drive
        match decision:
            case Generate():
                await generate_step(drive, facts)
            case RunTools():
                await run_tools(drive, decision, facts)
            case RefuseBatch():
                await refuse_batch(drive, decision, facts)
            case Park(ActionKind.CHILDREN, (call, *_)):
                await wait_for_agents(drive, call, facts)
            case Park():
                await self._park(decision)
            case Finish(ending):
                await self._finish(ending)
            case Compact():
                await compact_history(drive, decision, facts)

    async def _park(self, decision: Park) -> None:
        drive, history = self._drive, await self._drive.history()
        if decision.breach is not None and history.card.parent_id is not None:
            # A child asks nobody for money: its parent hears of it, and asks when it wants to go on itself.
            await drive.commit(FinishError(BUDGET_REACHED), Abandon())
        else:
            await drive.commit(parked(decision, history))

    async def _finish(self, ending: Ending) -> None:
        """End the turn on its own, where no step ended it."""
        drive, history = self._drive, await self._drive.history()
        if ending is Ending.BUDGET_DECLINED:
            await drive.commit(FinishError(BUDGET_REACHED), Abandon())
        elif ending is Ending.MAX_STEPS or drive.chat.continuing:
            said = () if ending is Ending.MAX_STEPS else (notice("ended", "The turn ended here."),)
            step = CommitStep(messages=said, continues=False)
            await drive.commit_by(lambda chat: (*finished(step, ending, history), *after_turn(chat)))
        else:
            await drive.commit_by(lambda chat: (end_of_turn(ending, history), *after_turn(chat)))
