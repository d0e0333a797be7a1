"""Reading and committing execution state. Only the machine imports this module."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

import asyncpg
from asyncpg import Record
from msgspec.structs import replace

from perdure.core.chat import Chat
from perdure.core.commit import Commit
from perdure.core.errors import ChatNotFound, InvalidInput, KeyTaken, MessageNotFound, Unavailable
from perdure.core.ids import ChangeId, ChatId, MessageNumber
from perdure.core.message import Effort, Message, Role
from perdure.observe.measures.service import DatabaseMeasures
from perdure.observe.metrics import Metrics
from perdure.store.away import AWAY, reason
from perdure.store.connections import RELEASE_PATIENCE, Connection
from perdure.store.errors import meaning
from perdure.store.losses import Losses
from perdure.store.outbox import Outbox
from perdure.store.pool import Pool
from perdure.store.row_readers import reader_of
from perdure.store.rows import leading_chat_of, parts_of
from perdure.store.statement.assembly import statement
from perdure.store.statement.messages import PROMOTED_COLUMNS
from perdure.store.tables import execution
from perdure.store.tables.execution import LiveMessage

_FAILURES = (*AWAY, asyncpg.PostgresError)
_live_message = reader_of(LiveMessage)
_LOST_SWAP = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)


class OutcomeUnknown(Unavailable):
    """The database went away while it committed. The change may or may not have happened."""


class IdTaken(Exception):
    """A chat with this id already exists."""


@dataclass(frozen=True, slots=True)
class Trace:
    """What is found of a change: the first message and the queued number that carry its name, or its name alone."""

    chat: Chat
    message: int | None
    queued: int | None
    remembered: bool

    @property
    def found(self) -> bool:
        return self.remembered or self.message is not None or self.queued is not None


@dataclass(frozen=True, slots=True)
class Member:
    """A chat of a family, whether it is a child, and whether it remembers the change that was asked about."""

    chat: Chat
    child: bool
    remembered: bool


class Execution:
    """The rows that hold execution state, one round trip at a time."""

    def __init__(
        self,
        pool: Pool,
        *,
        timeout: float = 30,
        measures: DatabaseMeasures | None = None,
        losses: Losses | None = None,
        outbox: Outbox | None = None,
    ) -> None:
        self._pool = pool
        self.outbox = outbox or Outbox()
        self._timeout = timeout
        self._statements = 0
        self._measures = measures or DatabaseMeasures(Metrics())
        self.losses = losses or Losses(pool, self._measures)
        self._measures.waiting.read = lambda: pool.at_hand.waiting
        self._measures.statements.read = lambda: self._statements

    async def _asked(self, sql: str, values: Sequence[object]) -> Record | None:
        self._statements += 1
        return await self._pool.fetchrow(sql, *values, timeout=self._timeout)

    async def load(self, chat_id: ChatId) -> Chat:
        return leading_chat_of(await self._row(execution.load.sql, chat_id))

    async def load_with_message(self, chat_id: ChatId, number: MessageNumber) -> tuple[Chat, LiveMessage | None]:
        """The chat, and the live message of this number, if there is one."""
        row = await self._row(execution.load_with_message.sql, chat_id, number)
        return leading_chat_of(row), None if row["role"] is None else _live_message(row)

    async def trace(self, plan: Commit) -> Trace | None:
        """The chat as it is now, and what of this change or of a later try at it is there. None without a chat."""
        try:
            return _trace_of(await self._row(execution.load_after_failure.sql, *_traced(plan)))
        except ChatNotFound:
            return None

    async def load_family(self, root_id: ChatId, change_id: ChangeId) -> list[Member]:
        """A root with all its descendants, or a child alone."""
        try:
            rows = await self._pool.fetch(execution.load_family.sql, root_id, change_id, timeout=self._timeout)
        except _FAILURES as error:
            raise meaning(error) from error
        return [Member(leading_chat_of(row), row["child"], row["remembered"]) for row in rows]

    async def archive_family(
        self, family: Sequence[Chat], change_id: ChangeId, *, archived: bool
    ) -> dict[ChatId, datetime] | None:
        """Move all of them, or none: then somebody else moved one first. The result is when, by chat."""
        ids, versions = [chat.id for chat in family], [chat.snapshot_version for chat in family]
        try:
            rows = await self._pool.fetch(
                execution.archive_family.sql, ids, versions, archived, change_id, timeout=self._timeout
            )
        except _FAILURES as error:
            return _without_row(error)
        self._measures.commits.labels("done" if rows else "lost").inc(len(rows) or 1)
        return {row["id"]: row["updated_at"] for row in rows} or None

    async def commit(self, plan: Commit) -> Commit | None:
        """Write it all, or nothing. None means that somebody else moved the chat first."""
        sql, values = statement(plan, told=self.outbox.wanted)
        with self._measures.commit_seconds.time():
            try:
                row = await self._asked(sql, values)
            except _FAILURES as error:
                row = _without_row(error)
        self._measures.commits.labels("lost" if row is None else "done").inc()
        return None if row is None else _completed(plan, row)

    @asynccontextmanager
    async def holding(self, chat_id: ChatId) -> AsyncGenerator["HeldRow"]:
        """A row that nobody else can move meanwhile: for the writer that lost too often.

        The change is committed at the end of the block, or nothing is if the block raises.
        """
        try:
            connection = await self._pool.acquire(timeout=self._timeout)
            try:
                async with connection.transaction():
                    row = await connection.fetchrow(execution.hold.sql, chat_id, timeout=self._timeout)
                    if row is None:
                        raise ChatNotFound
                    held = HeldRow(connection, leading_chat_of(row), self._timeout, told=self.outbox.wanted)
                    yield held
                self._measures.commits.labels("done").inc(held.written)
            finally:
                await self._pool.release(connection, timeout=RELEASE_PATIENCE)
        except AWAY as error:
            raise OutcomeUnknown(reason(error)) from error

    async def _row(self, sql: str, *values: object) -> Record:
        try:
            row = await self._asked(sql, values)
        except _FAILURES as error:
            raise meaning(error) from error
        if row is None:
            raise ChatNotFound
        return row


class HeldRow:
    """A chat's row inside a transaction that holds it."""

    def __init__(self, connection: Connection, chat: Chat, timeout: float, *, told: bool = False) -> None:
        self._connection = connection
        self._told = told
        self._timeout = timeout
        self.chat = chat
        self.written = 0
        """How many changes are committed with the block."""

    async def trace(self, plan: Commit) -> Trace | None:
        traced = _traced(plan)
        row = await self._connection.fetchrow(execution.load_after_failure.sql, *traced, timeout=self._timeout)
        return None if row is None else _trace_of(row)

    async def commit(self, plan: Commit) -> Commit | None:
        sql, values = statement(plan, told=self._told)
        try:
            row = await self._connection.fetchrow(sql, *values, timeout=self._timeout)
        except _FAILURES as error:
            return _without_row(error)
        self.written += row is not None
        return None if row is None else _completed(plan, row)


def _completed(plan: Commit, row: Record) -> Commit:
    """The plan, with what only the database knew."""
    at, action_deadline_at, compaction_requested_at, line = row[0], row[1], row[2], row[3]
    chat = replace(
        plan.chat,
        change_id=plan.change_id,
        updated_at=at,
        action_deadline_at=action_deadline_at,
        compaction_requested_at=compaction_requested_at,
        turn_began_at=at if plan.turn_began else plan.chat.turn_began_at,
    )
    if not plan.promoted:
        return replace(plan, chat=chat, line=line, metadata_version=row.get("metadata_version"))
    messages = _promoted_messages(plan, row)
    if plan.asker_queued is not None:
        asker = next(message.created_by for message in messages if message.queued_as == plan.asker_queued)
        chat = replace(chat, asked_by=asker)
    return replace(
        plan,
        chat=chat,
        line=line,
        metadata_version=row.get("metadata_version"),
        promoted_messages=messages,
        waited=tuple(at - since for since in row["moved_created_at"]),
    )


def _promoted_messages(plan: Commit, row: Record) -> tuple[Message, ...]:
    numbers = dict(plan.promoted)
    columns = [row[f"moved_{column}"] for column in PROMOTED_COLUMNS]
    moved = (dict(zip(PROMOTED_COLUMNS, values, strict=True)) for values in zip(*columns, strict=True))
    return tuple(
        Message(
            number=numbers[queued["number"]],
            revision=plan.chat.snapshot_version,
            created_at=row[0],
            role=Role.USER,
            parts=parts_of(queued["parts"]),
            created_by=queued["created_by"],
            author=queued["author"],
            model=queued["model"],
            effort=Effort(queued["effort"]) if queued["effort"] else None,
            client_id=queued["client_id"],
            queued_as=queued["number"],
        )
        for queued in moved
    )


def _without_row(error: Exception) -> None:
    """A lost swap is no worse than an answer without a row; everything else is raised as what it means."""
    if isinstance(error, _LOST_SWAP):
        return
    if isinstance(error, AWAY):
        raise OutcomeUnknown(reason(error)) from error
    assert isinstance(error, asyncpg.PostgresError)
    raise _meaning(error) from error


def _traced(plan: Commit) -> tuple[ChatId, ChangeId | None, int, int]:
    base = plan.base
    return plan.chat.id, plan.change_id, base.next_message if base else 1, base.next_queued if base else 1


def _trace_of(row: Record) -> Trace:
    return Trace(leading_chat_of(row), row["message"], row["queued"], row["remembered"])


_EXPECTATION = "PD001"


def _meaning(error: asyncpg.PostgresError) -> Exception:
    """What a refused statement means to the one who asked for it."""
    match error:
        case asyncpg.UniqueViolationError(table_name="idempotency_keys"):
            return KeyTaken()
        case asyncpg.UniqueViolationError(table_name="chats"):
            return IdTaken()
        case asyncpg.ForeignKeyViolationError(table_name="file_links"):
            return InvalidInput("File not found.")
        case _ if error.sqlstate == _EXPECTATION and "edited message" in str(error):
            return MessageNotFound()
        case _:
            return meaning(error)
