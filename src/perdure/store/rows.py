"""How values of the core become columns, and columns values again."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from asyncpg import Record

from perdure.core.action import Action, Asks, OpenCall
from perdure.core.author import Author
from perdure.core.chat import Chat, QueueEntry, Status
from perdure.core.events import QueuedMessage
from perdure.core.failure import ChatError, RetryState
from perdure.core.ids import QueuedNumber
from perdure.core.message import AnyPart, Effort, FinishReason, Kind, Message, NewMessage, Role, Usage, Visibility
from perdure.core.text import encodable

_encoder = msgspec.json.Encoder()
_parts = msgspec.json.Decoder(tuple[AnyPart, ...])
_errors = msgspec.json.Decoder(ChatError)
_retries = msgspec.json.Decoder(RetryState)
_actions = msgspec.json.Decoder(Action)
_calls = msgspec.json.Decoder(tuple[OpenCall, ...])
_authors = msgspec.json.Decoder(Author)


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The columns that only a model's answer has, stored as one."""

    usage: Usage | None = None
    cost: int | None = None
    runtime_ms: int | None = None
    context_limit: int | None = None
    finish_reason: FinishReason | None = None
    provider_response_id: str | None = None
    system_mark: str | None = None


_answers = msgspec.json.Decoder(Answer)
_NO_ANSWER = Answer()
ANSWER_FIELDS = Answer.__struct_fields__


def encoded(value: object) -> str:
    """A value as the JSON text that is stored."""
    try:
        return _encoder.encode(value).decode()
    except UnicodeEncodeError:
        # A lone surrogate somewhere inside: rare enough to pay for a walk over everything.
        return _encoder.encode(_mended(msgspec.to_builtins(value))).decode()


def _mended(value: Any) -> Any:
    match value:
        case str():
            return encodable(value)
        case dict():
            return {_mended(k): _mended(v) for k, v in value.items()}  # pyright: ignore[reportUnknownVariableType]
        case list() | tuple():
            return [_mended(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value


def _optional(value: object) -> str | None:
    return None if value is None else encoded(value)


CHAT_COLUMNS: Mapping[str, Callable[[Chat], object]] = {
    "status": lambda chat: chat.status.value,
    "archived": lambda chat: chat.archived,
    "worker_id": lambda chat: chat.worker_id,
    "runner_id": lambda chat: chat.runner_id,
    "last_error": lambda chat: _optional(chat.last_error),
    "retry_state": lambda chat: _optional(chat.retry_state),
    "action": lambda chat: _optional(chat.action),
    "action_kind": lambda chat: chat.action and chat.action.kind.value,
    "asks_owner": lambda chat: chat.asks_owner and chat.asks_owner.value,
    "action_deadline_at": lambda chat: chat.action_deadline_at,
    "compaction_requested_at": lambda chat: chat.compaction_requested_at,
    "budget_declined": lambda chat: chat.budget_declined,
    "turn": lambda chat: chat.turn,
    "turn_began_at": lambda chat: chat.turn_began_at,
    "asked_by": lambda chat: chat.asked_by,
    "stopped_by": lambda chat: _optional(chat.stopped_by),
    "continuing": lambda chat: chat.continuing,
    "newest_is_user": lambda chat: chat.newest_is_user,
    "last_assistant": lambda chat: chat.last_assistant,
    "open_calls": lambda chat: encoded(chat.open_calls),
    "queue": lambda chat: [-entry.number if entry.steer else entry.number for entry in chat.queue],
    "next_message": lambda chat: chat.next_message,
    "next_queued": lambda chat: chat.next_queued,
    "file_count": lambda chat: chat.file_count,
    "made_file_count": lambda chat: chat.made_file_count,
    "budget_limit": lambda chat: chat.budget_limit,
    "budget_spent": lambda chat: chat.budget_spent,
    "budget_reserved": lambda chat: chat.budget_reserved,
    "history_version": lambda chat: chat.history_version,
    "queue_version": lambda chat: chat.queue_version,
    "retry_version": lambda chat: chat.retry_version,
    "generation_attempt": lambda chat: chat.generation_attempt,
}


_STATUSES = {status.value: status for status in Status}
_NAMES = Chat.__struct_fields__


def _queue_of(numbers: list[int]) -> tuple[QueueEntry, ...]:
    return tuple(QueueEntry(QueuedNumber(abs(number)), number < 0) for number in numbers)


# Columns that are not their field's value. None stays None.
_READERS: Mapping[str, Callable[[Any], object]] = {
    "status": _STATUSES.__getitem__,
    "last_error": _errors.decode,
    "retry_state": _retries.decode,
    "action": _actions.decode,
    "asks_owner": Asks,
    "stopped_by": _authors.decode,
    "open_calls": lambda text: () if text == "[]" else _calls.decode(text),
    "queue": _queue_of,
}
_READ = tuple((_NAMES.index(name), read) for name, read in _READERS.items())


def chat_of(row: Record) -> Chat:
    """The chat of a row that has the columns of `chats`, whatever else it has."""
    return _chat([row[name] for name in _NAMES])


def leading_chat_of(row: Record) -> Chat:
    """The chat of a row that begins with the columns in the order of `chats.load`."""
    return _chat(list(row[: len(_NAMES)]))


def _chat(columns: list[Any]) -> Chat:
    for place, read in _READ:
        if columns[place] is not None:
            columns[place] = read(columns[place])
    return Chat(**dict(zip(_NAMES, columns, strict=True)))


def _answer_of(message: NewMessage) -> str | None:
    if message.role is not Role.ASSISTANT and message.usage is None:
        return None
    answer = Answer(*(getattr(message, field) for field in ANSWER_FIELDS))
    return None if answer == _NO_ANSWER else encoded(answer)


SAID_AT = "created_at"
"""Left to the database, but for messages that were said elsewhere."""

MESSAGE_COLUMNS: Mapping[str, tuple[str, Callable[[NewMessage], object]]] = {
    "role": ("text", lambda message: message.role.value),
    "visibility": ("text", lambda message: message.visibility.value),
    "kind": ("text", lambda message: message.kind.value),
    "parts": ("text", lambda message: encoded(message.parts)),
    "created_by": ("uuid", lambda message: message.created_by),
    "author": ("text", lambda message: message.author),
    "model": ("text", lambda message: message.model),
    "effort": ("text", lambda message: message.effort and message.effort.value),
    "answer": ("text", _answer_of),
    "client_id": ("text", lambda message: message.client_id),
    "queued_as": ("integer", lambda message: message.queued_as),
    "covers": ("integer", lambda message: message.covers),
    SAID_AT: ("timestamptz", lambda message: message.said_at),
}


def message_of(row: Record) -> Message:
    answer = _answers.decode(row["answer"]) if row["answer"] else _NO_ANSWER
    return Message(
        number=row["number"],
        revision=row["revision"],
        created_at=row["created_at"],
        role=Role(row["role"]),
        visibility=Visibility(row["visibility"]),
        kind=Kind(row["kind"]),
        parts=parts_of(row["parts"]),
        created_by=row["created_by"],
        author=row["author"],
        model=row["model"],
        effort=Effort(row["effort"]) if row["effort"] else None,
        usage=answer.usage,
        cost=answer.cost,
        runtime_ms=answer.runtime_ms,
        context_limit=answer.context_limit,
        finish_reason=answer.finish_reason,
        provider_response_id=answer.provider_response_id,
        system_mark=answer.system_mark,
        client_id=row["client_id"],
        queued_as=row["queued_as"],
        covers=row["covers"],
    )


def queued_of(row: Record) -> QueuedMessage:
    return QueuedMessage(
        number=row["number"],
        parts=parts_of(row["parts"]),
        steer=row["steer"],
        model=row["model"],
        effort=Effort(row["effort"]) if row["effort"] else None,
        created_by=row["created_by"],
        author=row["author"],
        created_at=row["created_at"],
        client_id=row["client_id"],
    )


def parts_of(text: str) -> tuple[AnyPart, ...]:
    return _parts.decode(text)
