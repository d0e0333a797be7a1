"""What is known about tool calls in flight, fenced so that a runner that lost its chat starts nothing."""

from collections.abc import Sequence
from datetime import timedelta

from perdure.core.errors import Conflict
from perdure.core.fence import Fence
from perdure.core.ids import ChatId, MessageNumber, RunnerId
from perdure.core.text import storable
from perdure.store.losses import Losses, Started
from perdure.store.pool import Pool
from perdure.store.tables import journal
from perdure.store.tables.journal import CallRun, EarlierRun, Entry, Failover, NewRun

_ONCE = "once"


class AlreadyStarted(Exception):
    """Somebody started this very run before."""


class Journal:
    """Started before, finished after: what makes effects happen once."""

    def __init__(self, pool: Pool, losses: Losses | None = None) -> None:
        self._pool = pool
        self._losses = losses or Losses(pool)

    async def start(
        self, call: CallRun, fence: Fence, *, tool: str, effect: str, incarnation: str | None = None
    ) -> bool:
        """Whether the call may run: False once somebody else drives the chat."""
        if effect == _ONCE:
            await self._losses.settled()
        if effect == _ONCE and self._losses.has_started(call):
            # A failover lost that it did, and the model asks for the same call again.
            await self._losses.restore_calls()
            raise AlreadyStarted
        driven = (fence.worker_id, fence.runner_id, fence.history_version)
        run = NewRun(call.chat_id, *driven, call.message, call.index, call.run, tool, effect, incarnation, fence.status)
        try:
            started = await journal.start(self._pool, run) is not None
        except Conflict as error:
            raise AlreadyStarted from error
        if started and effect == _ONCE:
            self._losses.started(Started(call, fence.runner_id, tool))
        return started

    async def started_by(self, call: CallRun, runner_id: RunnerId, *, tool: str) -> bool:
        """Whether the line of a call that was found to be started is this runner's own."""
        entries = await self.load(call.chat_id, call.message)
        wanted = (call.index, call.run, runner_id, "started")
        ours = [entry for entry in entries if (entry.index, entry.run, entry.runner_id, entry.state) == wanted]
        if any(entry.effect == _ONCE for entry in ours):
            self._losses.started(Started(call, runner_id, tool))
        return bool(ours)

    async def enter(self, call: CallRun, runner_id: RunnerId, incarnation: str) -> None:
        """Note which incarnation of its workspace a run is in."""
        await journal.enter(self._pool, call, runner_id, incarnation)

    async def hand(self, call: CallRun, runner_id: RunnerId, handle: str) -> bool:
        """Note the name that a run has at its executor. It can be taken over from now on."""
        return await journal.hand(self._pool, call, runner_id, handle) is not None

    async def adopt(self, call: CallRun, runner_id: RunnerId) -> bool:
        """Take over a keyed run."""
        return await journal.adopt(self._pool, call, runner_id) is not None

    async def lose(self, call: CallRun, runner_id: RunnerId) -> bool:
        """Give up on a keyed run whose executor is gone: from now on it is one that must not be repeated unasked."""
        return await journal.lose(self._pool, call, runner_id) is not None

    async def finish(self, call: CallRun, runner_id: RunnerId, *, result: str, is_error: bool) -> bool:
        return await journal.finish(self._pool, call, runner_id, storable(result), is_error) is not None

    async def load(self, chat_id: ChatId, message: MessageNumber) -> tuple[Entry, ...]:
        return tuple(await journal.load(self._pool, chat_id, message))

    async def before(self, chat_id: ChatId, message: MessageNumber) -> list[EarlierRun]:
        """What nobody has forgotten yet of the calls before a message."""
        return await journal.before(self._pool, chat_id, message)

    async def failover(self, chat_id: ChatId, message: MessageNumber) -> Failover:
        """Whether a failover may have lost what was known about the calls of a message."""
        return await journal.failover(self._pool, chat_id, message) or Failover(0, None)

    async def forget(self, calls: Sequence[CallRun]) -> list[CallRun]:
        """Drop every run of calls whose results are in the history. Which of them those are: a failover loses some."""
        chats, messages = [call.chat_id for call in calls], [call.message for call in calls]
        indexes, runs = [call.index for call in calls], [call.run for call in calls]
        return await journal.forget(self._pool, chats, messages, indexes, runs)

    async def sweep(self, kept: timedelta) -> None:
        """Drop what nobody came to forget, because its replica died first or its message was edited away."""
        await journal.sweep(self._pool, kept)

    async def answered_late(self) -> list[ChatId]:
        """Chats that ask what became of calls whose results came after all."""
        return await journal.answered_late(self._pool)
