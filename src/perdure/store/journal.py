"""What is known about tool calls in flight, fenced so that a runner that lost its chat starts nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import asyncpg
from asyncpg import Pool, Record

from perdure.core.chat import Fence
from perdure.core.ids import ChatId, MessageNumber, RunnerId
from perdure.core.text import storable
from perdure.store.away import asking_the_database
from perdure.store.queries import query


@dataclass(frozen=True, slots=True)
class CallRun:
    """One run of one call of one message."""

    chat_id: ChatId
    message: MessageNumber
    index: int
    run: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What the journal says about a run."""

    index: int
    run: int
    effect: str
    state: str
    runner_id: RunnerId
    incarnation: str | None
    result: str | None
    is_error: bool


class AlreadyStarted(Exception):
    """Somebody started this very run before."""


class Journal:
    """Started before, finished after: what makes effects happen once."""

    def __init__(self, pool: "Pool[Record]") -> None:
        self._pool = pool

    async def start(
        self, call: CallRun, fence: Fence, *, tool: str, effect: str, incarnation: str | None = None
    ) -> bool:
        """Whether the call may run: False once somebody else drives the chat."""
        try:
            with asking_the_database():
                row = await self._pool.fetchval(
                    query("journal/start"),
                    call.chat_id,
                    fence.worker_id,
                    fence.runner_id,
                    fence.history_version,
                    call.message,
                    call.index,
                    call.run,
                    tool,
                    effect,
                    incarnation,
                    fence.status,
                )
        except asyncpg.UniqueViolationError as error:
            raise AlreadyStarted from error
        return row is not None

    async def started_by(self, call: CallRun, runner_id: RunnerId) -> bool:
        entries = await self.load(call.chat_id, call.message)
        wanted = (call.index, call.run, runner_id, "started")
        return any((entry.index, entry.run, entry.runner_id, entry.state) == wanted for entry in entries)

    async def enter(self, call: CallRun, runner_id: RunnerId, incarnation: str) -> None:
        """Note which incarnation of its workspace a run is in."""
        with asking_the_database():
            await self._pool.execute(query("journal/enter"), *_key(call), runner_id, incarnation)

    async def adopt(self, call: CallRun, runner_id: RunnerId) -> bool:
        """Take over a keyed run."""
        with asking_the_database():
            return await self._pool.fetchval(query("journal/adopt"), *_key(call), runner_id) is not None

    async def lose(self, call: CallRun, runner_id: RunnerId) -> bool:
        """Give up on a keyed run whose executor is gone: from now on it is one that must not be repeated unasked."""
        with asking_the_database():
            return await self._pool.fetchval(query("journal/lose"), *_key(call), runner_id) is not None

    async def finish(self, call: CallRun, runner_id: RunnerId, *, result: str, is_error: bool) -> bool:
        with asking_the_database():
            values = (*_key(call), runner_id, storable(result), is_error)
            return await self._pool.fetchval(query("journal/finish"), *values) is not None

    async def load(self, chat_id: ChatId, message: MessageNumber) -> tuple[Entry, ...]:
        with asking_the_database():
            rows = await self._pool.fetch(query("journal/load"), chat_id, message)
        return tuple(Entry(**{name: row[name] for name in Entry.__dataclass_fields__}) for row in rows)

    async def forget(self, calls: Sequence[CallRun]) -> None:
        """Drop every run of calls whose results are committed."""
        chats, messages = [call.chat_id for call in calls], [call.message for call in calls]
        with asking_the_database():
            await self._pool.execute(query("journal/forget"), chats, messages, [call.index for call in calls])

    async def sweep(self, kept: timedelta) -> None:
        """Drop what nobody came to forget, because its replica died first or its message was edited away."""
        with asking_the_database():
            await self._pool.execute(query("journal/sweep"), kept)

    async def answered_late(self) -> list[ChatId]:
        """Chats that ask what became of calls whose results came after all."""
        with asking_the_database():
            return [row["chat_id"] for row in await self._pool.fetch(query("journal/answered_late"))]


def _key(call: CallRun) -> tuple[ChatId, MessageNumber, int, int]:
    return call.chat_id, call.message, call.index, call.run
