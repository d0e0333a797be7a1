"""What is known about tool calls in flight, fenced so that a runner that lost its chat starts nothing."""

from dataclasses import dataclass

import asyncpg
from asyncpg import Pool, Record

from perdure.core.chat import Fence
from perdure.core.ids import ChatId, MessageNumber, RunnerId
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
            )
        except asyncpg.UniqueViolationError as error:
            raise AlreadyStarted from error
        return row is not None

    async def adopt(self, call: CallRun, runner_id: RunnerId) -> bool:
        """Take over a keyed run."""
        key = (call.chat_id, call.message, call.index, call.run)
        return await self._pool.fetchval(query("journal/adopt"), *key, runner_id) is not None

    async def finish(self, call: CallRun, runner_id: RunnerId, *, result: str, is_error: bool) -> bool:
        key = (call.chat_id, call.message, call.index, call.run)
        return await self._pool.fetchval(query("journal/finish"), *key, runner_id, result, is_error) is not None

    async def load(self, chat_id: ChatId, message: MessageNumber) -> tuple[Entry, ...]:
        rows = await self._pool.fetch(query("journal/load"), chat_id, message)
        return tuple(Entry(**{name: row[name] for name in Entry.__dataclass_fields__}) for row in rows)

    async def close(self, chat_id: ChatId, message: MessageNumber, indices: list[int]) -> None:
        await self._pool.execute(query("journal/close"), chat_id, message, indices)
