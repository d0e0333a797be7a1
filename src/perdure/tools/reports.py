"""What agents come to, as their parent reads it; and waking a parent that waits for one of them."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec
from msgspec import Struct

from perdure.core.action import ActionKind
from perdure.core.chat import Chat, Status
from perdure.core.errors import ChatNotFound, Refused
from perdure.core.failure import ErrorKind
from perdure.core.ids import ChatId
from perdure.machine.machine import Bundle, Machine
from perdure.machine.transitions import CompleteRequiresAction, Outcome, Transition
from perdure.observe.measures.work import AgentMeasures
from perdure.store import family
from perdure.store.family import Agent
from perdure.store.pool import Pool
from perdure.tools.call import within

# What the reports of one wait may hold together, and what each may at least.
REPORTS_BYTES, REPORT_BYTES = 96_000, 4_000
_CHILDREN = frozenset({ActionKind.CHILDREN})


class LastError(Struct, frozen=True, omit_defaults=True):
    message: str
    kind: ErrorKind
    retryable: bool = False


class Report(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where an agent stands: running, needs_user, finished, interrupted, failed, or gone."""

    id: str
    status: str
    type: str = ""
    title: str = ""
    report: str | None = None
    timed_out: bool = False
    last_error: LastError | None = None


class Reports(Struct, frozen=True):
    agents: tuple[Report, ...]


def report_of(agent: Agent, *, timed_out: bool = False, budget: int = REPORT_BYTES) -> Report:
    error = agent.error
    return Report(
        id=str(agent.id),
        type=agent.type,
        title=agent.title,
        status=_standing(agent),
        report=within(agent.said, budget) if agent.at_rest and agent.said else None,
        timed_out=timed_out and not agent.at_rest,
        last_error=None if error is None else LastError(error.message, error.kind, error.retryable),
    )


def _standing(agent: Agent) -> str:
    match agent.status:
        case Status.WAITING:
            return "interrupted" if agent.cut_short else "finished"
        case Status.ERROR:
            return "failed"
        case Status.REQUIRES_ACTION:
            return "needs_user"
        case Status.RUNNING | Status.INTERRUPTING:
            return "running"


def reported(agents: Sequence[Agent], *, gone: Sequence[str] = (), timed_out: bool = False) -> str:
    """What a wait for these agents comes to, as JSON."""
    budget = max(REPORT_BYTES, REPORTS_BYTES // max(1, len(agents)))
    reports = [report_of(agent, timed_out=timed_out, budget=budget) for agent in agents]
    reports += [Report(id=child, status="gone") for child in gone]
    return msgspec.json.encode(Reports(tuple(reports))).decode()


class Waits:
    """Ends the waits of parked parents."""

    def __init__(self, pool: Pool, machine: Machine, measures: AgentMeasures) -> None:
        self._pool = pool
        self._machine = machine
        self._measures = measures

    async def rested(self, child_id: ChatId) -> None:
        """A chat came to rest: if another one waits for it, that goes on."""
        parent = await family.parent_of(self._pool, child_id)
        while parent is not None:
            await self.end(parent)
            parent = await family.parent_of(self._pool, parent)

    async def known(self, chat: Chat) -> str | None:
        """What a parked parent would hear now, or None where it waits for no agent."""
        if chat.action is None or chat.action.kind is not ActionKind.CHILDREN:
            return None
        return reported(await self._awaited(chat))

    async def end(self, parent_id: ChatId, *, due: datetime | None = None, by: str = "woken") -> bool:
        """Answer a parent's wait with where its agents stand, once one of them rests or its time is up.

        `due` is the deadline that passed. A later wait has another.
        """
        try:
            chat = await self._machine.load(parent_id)
            action = chat.action
            if action is None or action.kind is not ActionKind.CHILDREN:
                return False
            timed_out = due is not None and chat.action_deadline_at == due
            agents = await self._awaited(chat)
            gone = sorted(set(action.children) - {str(agent.id) for agent in agents})
            if not (timed_out or gone or any(agent.at_rest for agent in agents)):
                return False
            text = reported(agents, gone=gone, timed_out=timed_out)
            committed = await self._machine.advance_by(chat, _answering(chat, text))
        except (Refused, ChatNotFound):
            return False
        if committed.empty:
            return False
        self._measures.wait_ended("timed_out" if timed_out else by)
        return True

    async def sweep(self, limit: int) -> int:
        """Wake the parents that nobody woke."""
        return sum([await self.end(parent, by="swept") for parent in await family.unwoken(self._pool, limit)])

    async def _awaited(self, chat: Chat) -> list[Agent]:
        assert chat.action is not None
        ids = [ChatId(UUID(child)) for child in chat.action.children]
        known = {agent.id: agent for agent in await family.agents(self._pool, chat.id, ids)}
        return [known[child] for child in ids if child in known]


def _answering(seen: Chat, text: str) -> Bundle:
    """End the wait that was seen, and no other."""

    def bundle(chat: Chat) -> Sequence[Transition]:
        if chat.action != seen.action or chat.last_assistant != seen.last_assistant:
            return ()
        assert chat.action is not None
        calls = [call for call in chat.open_calls if call.index in chat.action.calls]
        outcomes = [Outcome(call.call_id, text) for call in calls]
        return (CompleteRequiresAction(outcomes=outcomes, expected=_CHILDREN),)

    return bundle
