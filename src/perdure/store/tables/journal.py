"""What is known about tool calls in flight."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec import Struct

from perdure.core.chat import Status
from perdure.core.ids import ChatId, MessageNumber, ReplicaId, RunnerId
from perdure.store.query import query
from perdure.store.scopes import Database


class CallRun(Struct, frozen=True):
    """One run of one call of one message."""

    chat_id: ChatId
    message: MessageNumber
    index: int
    run: int = 0


class NewRun(Struct, frozen=True):
    """A run that is about to start, while its runner still drives the chat."""

    chat_id: ChatId
    worker_id: ReplicaId | None
    runner_id: RunnerId | None
    history_version: int | None
    message: MessageNumber
    index: int
    run: int
    tool: str
    effect: str
    incarnation: str | None
    status: Status


class Entry(Struct, frozen=True):
    """What the journal says about a run."""

    index: int
    run: int
    effect: str
    state: str
    runner_id: RunnerId
    incarnation: str | None
    result: str | None
    is_error: bool
    handle: str | None = None
    """By what its executor hands it back, where the executor gave it a name."""


class Failover(Struct, frozen=True):
    """When the calls of a message were asked for, and what of the chat is from before the database failed over."""

    asked_in: int
    last_before: int | None


class EarlierRun(Struct, frozen=True):
    """A run of a call that an earlier message asked for."""

    message: MessageNumber
    index: int
    run: int
    tool: str
    state: str
    handle: str | None = None


@query
async def start(db: Database, run: NewRun) -> int | None: ...


@query
async def enter(db: Database, call: CallRun, runner_id: RunnerId, incarnation: str) -> None: ...


@query
async def hand(db: Database, call: CallRun, runner_id: RunnerId, handle: str) -> int | None: ...


@query
async def adopt(db: Database, call: CallRun, runner_id: RunnerId) -> int | None: ...


@query
async def lose(db: Database, call: CallRun, runner_id: RunnerId) -> int | None: ...


@query
async def finish(db: Database, call: CallRun, runner_id: RunnerId, result: str, is_error: bool) -> int | None: ...


@query
async def load(db: Database, chat_id: ChatId, message: MessageNumber) -> list[Entry]: ...


@query
async def before(db: Database, chat_id: ChatId, message: MessageNumber) -> list[EarlierRun]: ...


@query
async def failover(db: Database, chat_id: ChatId, message: MessageNumber) -> Failover | None: ...


@query
async def restore(
    db: Database,
    chats: Sequence[ChatId],
    messages: Sequence[MessageNumber],
    indexes: Sequence[int],
    runs: Sequence[int],
    tools: Sequence[str],
    runners: Sequence[RunnerId],
) -> None: ...


@query
async def forget(
    db: Database,
    chats: Sequence[ChatId],
    messages: Sequence[MessageNumber],
    indexes: Sequence[int],
    runs: Sequence[int],
) -> list[CallRun]: ...


@query
async def sweep(db: Database, kept: timedelta) -> None: ...


@query
async def answered_late(db: Database) -> list[ChatId]: ...
