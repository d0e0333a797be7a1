"""Letting chats go on that wait for the budget of a person or an organisation, once it has room again."""

import asyncio
import logging
from datetime import date, datetime

import msgspec

from perdure.config.config import Config
from perdure.config.settings import MonthlyLimits
from perdure.core.action import Action, ActionKind, BudgetOwner
from perdure.core.errors import ChatNotFound, DatabaseFault, Refused, Unavailable
from perdure.core.ids import ChatId
from perdure.core.notice import Notice, Topic
from perdure.core.timing import REFILL_PERIOD, Clock
from perdure.machine.machine import Machine
from perdure.machine.transitions import CompleteRequiresAction
from perdure.store.pool import Pool
from perdure.store.tables.budgets import WaitingChat, waiting

_action = msgspec.json.Decoder(Action)
_log = logging.getLogger(__name__)


class Refills:
    """Looks when settings change, and now and then, as a month begins without anybody's doing."""

    def __init__(self, pool: Pool, machine: Machine, config: Config, clock: Clock) -> None:
        self._pool = pool
        self._machine = machine
        self._config = config
        self._clock = clock
        self._some = asyncio.Event()

    def heard(self, notice: Notice) -> None:
        if notice.topic is Topic.CONFIG:
            self._some.set()

    async def run(self) -> None:
        while True:
            try:
                await self.once()
            except (Unavailable, DatabaseFault) as error:
                _log.warning("who waits for a budget is looked up later: %s", error)
            await self._until_some()

    async def once(self) -> int:
        """How many chats go on."""
        month, count = self._clock.now().date().replace(day=1), 0
        for row in await waiting(self._pool):
            budgets = (await self._config.settings(row.organisation_id)).budgets
            if refilled(_action.decode(row.action), budgets, row, month):
                count += await self._go_on(row.id)
        return count

    async def _go_on(self, chat_id: ChatId) -> bool:
        on = CompleteRequiresAction(refilled=True, expected=frozenset({ActionKind.BUDGET}))
        try:
            await self._machine.change(chat_id, on)
        except (Refused, ChatNotFound):
            # Somebody answered meanwhile.
            return False
        return True

    async def _until_some(self) -> None:
        try:
            async with asyncio.timeout(REFILL_PERIOD.total_seconds()):
                await self._some.wait()
        except TimeoutError:
            pass
        self._some.clear()


def refilled(action: Action, budgets: MonthlyLimits, row: WaitingChat, month: date) -> bool:
    """Whether the limit is higher than it was when the chat stopped, or another month has begun."""
    limit = budgets.organisation if action.budget is BudgetOwner.ORGANISATION else budgets.of(row.payer)
    since: datetime = row.updated_at
    return limit is None or limit > (action.limit or 0) or since.date() < month
