"""Reading and committing execution state. Only the machine imports this module."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

import asyncpg
from asyncpg import Pool, Record
from asyncpg.pool import PoolConnectionProxy
from asyncpg.transaction import Transaction

from perdure.core.chat import Chat
from perdure.core.errors import ChatNotFound, InvalidInput, KeyTaken, MessageNotFound, Unavailable
from perdure.core.ids import ChatId, MessageNumber
from perdure.store.away import AWAY
from perdure.store.commit import Write, statement
from perdure.store.queries import query
from perdure.store.rows import chat_of

Connection: TypeAlias = "PoolConnectionProxy[Record]"

_LOST_SWAP = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)


class OutcomeUnknown(Unavailable):
    """The database went away while it committed. The change may or may not have happened."""


class IdTaken(Exception):
    """There is a chat with this id already."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """The moments that the database gave to a change."""

    at: datetime
    action_deadline_at: datetime | None
    compaction_requested_at: datetime | None


class Execution:
    """The rows that hold execution state, one round trip at a time."""

    def __init__(self, pool: "Pool[Record]", *, timeout: float = 30) -> None:
        self._pool = pool
        self._timeout = timeout

    async def load(self, chat_id: ChatId) -> Chat:
        return chat_of(await self._row("chats/load", chat_id))

    async def load_with_message(self, chat_id: ChatId, number: MessageNumber) -> tuple[Chat, Record]:
        """The chat, and the message's columns, whose role is null where there is no such live message."""
        row = await self._row("chats/load_with_message", chat_id, number)
        return chat_of(row), row

    async def load_after_failure(self, write: Write) -> tuple[Chat | None, bool]:
        """The chat as it is now, and whether anything of this change is there."""
        base = write.base
        first = (base.next_message, base.next_queued) if base else (1, 1)
        try:
            row = await self._row("chats/load_after_failure", write.chat.id, write.change_id, *first)
        except ChatNotFound:
            return None, False
        return chat_of(row), bool(row["found"])

    async def commit(self, write: Write) -> Stamp | None:
        """Write it all, or nothing. None means that somebody else moved the chat first."""
        return await self.execute(self._pool, write)

    @asynccontextmanager
    async def holding(self, chat_id: ChatId) -> AsyncGenerator["HeldRow"]:
        """A row that nobody else can move meanwhile: for the writer that lost too often."""
        try:
            async with self._pool.acquire(timeout=self._timeout) as connection:
                transaction = connection.transaction()
                await transaction.start()
                held = HeldRow(self, connection, transaction)
                try:
                    row = await connection.fetchrow(query("chats/hold"), chat_id, timeout=self._timeout)
                    if row is None:
                        raise ChatNotFound
                    held.chat = chat_of(row)
                    yield held
                finally:
                    await held.let_go()
        except AWAY as error:
            raise Unavailable(_describe(error)) from error

    async def execute(self, connection: "Pool[Record] | Connection", write: Write) -> Stamp | None:
        sql, values = statement(write)
        try:
            row = await connection.fetchrow(sql, *values, timeout=self._timeout)
        except _LOST_SWAP:
            return None
        except AWAY as error:
            raise OutcomeUnknown(_describe(error)) from error
        except asyncpg.PostgresError as error:
            raise _meaning(error) from error
        return None if row is None else Stamp(*(row[name] for name in _STAMPS))

    async def _row(self, name: str, *values: object) -> Record:
        try:
            row = await self._pool.fetchrow(query(name), *values, timeout=self._timeout)
        except AWAY as error:
            raise Unavailable(_describe(error)) from error
        if row is None:
            raise ChatNotFound
        return row


class HeldRow:
    """A chat's row inside a transaction that holds it."""

    chat: Chat

    def __init__(self, execution: Execution, connection: Connection, transaction: Transaction) -> None:
        self._execution = execution
        self._connection = connection
        self._transaction = transaction
        self._open = True

    async def commit(self, write: Write) -> Stamp | None:
        stamp = await self._execution.execute(self._connection, write)
        if stamp is not None:
            try:
                await self._transaction.commit()
            except AWAY as error:
                raise OutcomeUnknown(_describe(error)) from error
            self._open = False
        return stamp

    async def let_go(self) -> None:
        if self._open and not self._connection.is_closed():
            await self._transaction.rollback()


_STAMPS = ("updated_at", "action_deadline_at", "compaction_requested_at")
_EXPECTATION = "PD001"


def _meaning(error: asyncpg.PostgresError) -> Exception:
    """What a refused statement means to the one who asked for it."""
    match error:
        case asyncpg.UniqueViolationError(table_name="idempotency_keys"):
            return KeyTaken()
        case asyncpg.UniqueViolationError(table_name="chats"):
            return IdTaken()
        case asyncpg.CheckViolationError(constraint_name="chats_file_count_check"):
            return InvalidInput("A chat holds at most 50 files.")
        case asyncpg.ForeignKeyViolationError(table_name="file_links"):
            return InvalidInput("There is no such file.")
        case _ if error.sqlstate == _EXPECTATION and "edited message" in str(error):
            return MessageNotFound()
        case _:
            return error


def _describe(error: BaseException) -> str:
    return f"The database is away: {error or type(error).__name__}"
