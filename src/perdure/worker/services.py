"""Everything that a runner works with, made once per replica."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Protocol

from perdure.agent.history import Histories
from perdure.agent.kept_responses import BackgroundResponses
from perdure.agent.prepare import Preparation
from perdure.agent.run_tools import ToolRunner
from perdure.core.chat import Chat
from perdure.core.timing import Clock
from perdure.live.episodes import Episodes
from perdure.live.segments import Segments
from perdure.machine.machine import Machine
from perdure.observe.measures.all import Measures
from perdure.providers.client import ProviderClient
from perdure.store.journal import Journal
from perdure.tools.family import Family
from perdure.tools.hooks.hooks import Hooks
from perdure.tools.reports import Waits
from perdure.worker.budget_reservations import BudgetReservations
from perdure.worker.crash_points import CrashPoints, NoCrashPoints
from perdure.worker.journal_cleanup import JournalCleanup


class Right(Protocol):
    """The right to act for a chat."""

    @property
    def valid(self) -> bool: ...

    async def held(self) -> None: ...


class Always:
    """A right that never runs out: for a process that is alone by construction."""

    valid = True

    async def held(self) -> None:
        return


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerServices:
    machine: Machine
    histories: Histories
    preparation: Preparation
    client: ProviderClient
    tools: ToolRunner
    journal: Journal
    family: Family
    waits: Waits
    episodes: Episodes
    segments: Segments
    clock: Clock
    budgets: BudgetReservations
    journal_cleanup: JournalCleanup
    background_responses: BackgroundResponses
    hooks: Hooks | None = None
    lease: Right = field(default_factory=Always)
    crash_points: CrashPoints = field(default_factory=NoCrashPoints)
    measures: Measures = field(default_factory=Measures)
    traced: Callable[[Chat], AbstractAsyncContextManager[None]] = lambda _: nullcontext()
    """Around each duty: what happens inside belongs to the chat's step."""
