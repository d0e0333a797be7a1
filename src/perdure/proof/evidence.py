"""What the database says after a chaos run, read by queries of our own: the product is not asked about itself."""

import asyncio
import time
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from importlib.resources import files
from uuid import UUID

import asyncpg
import msgspec
from asyncpg import Connection, Record

from perdure.core.message import AnyPart

_RETRY = 0.1
_parts = msgspec.json.Decoder(tuple[AnyPart, ...])


@cache
def sql(name: str) -> str:
    return files("perdure.proof").joinpath("sql", f"{name}.sql").read_text(encoding="utf8")


@dataclass(frozen=True, slots=True)
class ChatRow:
    id: UUID
    status: str
    queue: tuple[int, ...]
    archived: bool
    owned: bool
    owner_lives: bool
    open_calls: int
    next_message: int
    last_error: str | None = None


@dataclass(frozen=True, slots=True)
class MessageRow:
    chat_id: UUID
    number: int
    revision: int
    role: str
    visibility: str
    kind: str
    parts: tuple[AnyPart, ...]
    client_id: str | None
    queued_as: int | None
    hidden_in: int | None = None
    """The snapshot in which an edit hid it."""

    @property
    def hidden(self) -> bool:
        return self.hidden_in is not None


@dataclass(frozen=True, slots=True)
class QueuedRow:
    chat_id: UUID
    number: int
    client_id: str | None
    removed: bool


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One change of a chat's row: what it was, what it became, and who wrote it."""

    chat_id: UUID
    at: float
    writer: str
    snapshot: int
    history: int
    attempt: int
    status: str
    worker: UUID | None
    runner: UUID | None
    old_history: int | None
    old_attempt: int | None
    old_status: str | None
    old_worker: UUID | None
    old_runner: UUID | None
    old_writer: str | None
    """Whose replica the owner before was."""
    unseen: float | None
    """Seconds since the owner before last renewed its lease; None if it had left."""
    severed: bool
    """Whether its session at the database had ended."""


@dataclass(frozen=True, slots=True)
class StoredRow:
    """Parts of an answer in flight that were stored."""

    chat_id: UUID
    history: int
    attempt: int
    seq_from: int
    seq_to: int
    at: float


@dataclass(frozen=True, slots=True)
class SwitchoverRow:
    """When a server that took over first took a write."""

    kind: str
    at: float


@dataclass(frozen=True, slots=True)
class Evidence:
    taken: float
    """A moment before which everything that was committed is in it."""
    chats: tuple[ChatRow, ...]
    messages: tuple[MessageRow, ...]
    queued: tuple[QueuedRow, ...]
    changes: tuple[ChangeRow, ...]
    stored: tuple[StoredRow, ...] = ()
    switchovers: tuple[SwitchoverRow, ...] = ()


async def _connected(url: str, deadline: float) -> "Connection[Record]":
    while True:
        try:
            return await asyncpg.connect(url)
        except (OSError, asyncpg.PostgresError):
            if time.monotonic() > deadline:
                raise
        await asyncio.sleep(_RETRY)


async def gathered(url: str, *, patience: timedelta = timedelta(0)) -> Evidence:
    """Everything, as of one moment. Waits for a database that has just moved, if told to."""
    connection = await _connected(url, time.monotonic() + patience.total_seconds())
    taken = time.time()
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            return Evidence(
                taken,
                tuple([_chat(row) for row in await connection.fetch(sql("chats"))]),
                tuple([_message(row) for row in await connection.fetch(sql("messages"))]),
                tuple([_queued(row) for row in await connection.fetch(sql("queued"))]),
                tuple([_change(row) for row in await connection.fetch(sql("changes"))]),
                tuple([StoredRow(*row.values()) for row in await connection.fetch(sql("stored"))]),
                tuple([SwitchoverRow(*row.values()) for row in await connection.fetch(sql("switchovers"))]),
            )
    finally:
        await connection.close()


async def prepare(connection: "Connection[Record]") -> None:
    """Have every change written down from now on."""
    await connection.execute(sql("trail"))


def _chat(row: Record) -> ChatRow:
    return ChatRow(
        id=row["id"],
        status=row["status"],
        queue=tuple(row["queue"]),
        archived=row["archived"],
        owned=row["worker_id"] is not None,
        owner_lives=row["owner_lives"],
        open_calls=len(msgspec.json.decode(row["open_calls"])),
        next_message=row["next_message"],
        last_error=row["last_error"],
    )


def _message(row: Record) -> MessageRow:
    return MessageRow(
        chat_id=row["chat_id"],
        number=row["number"],
        revision=row["revision"],
        role=row["role"],
        visibility=row["visibility"],
        kind=row["kind"],
        parts=_parts.decode(row["parts"]),
        client_id=row["client_id"],
        queued_as=row["queued_as"],
        hidden_in=row["hidden_in"],
    )


def _queued(row: Record) -> QueuedRow:
    return QueuedRow(row["chat_id"], row["number"], row["client_id"], row["removed_in"] is not None)


def _change(row: Record) -> ChangeRow:
    return ChangeRow(
        chat_id=row["chat_id"],
        at=row["epoch"],
        writer=row["writer"],
        snapshot=row["snapshot"],
        history=row["history"],
        attempt=row["attempt"],
        status=row["status"],
        worker=row["worker"],
        runner=row["runner"],
        old_history=row["old_history"],
        old_attempt=row["old_attempt"],
        old_status=row["old_status"],
        old_worker=row["old_worker"],
        old_runner=row["old_runner"],
        old_writer=row["old_writer"],
        unseen=row["unseen_seconds"],
        severed=bool(row["severed"]),
    )
