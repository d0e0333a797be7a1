"""What a change makes of a chat: the one interpreter of wishes. Pure."""

from collections.abc import Mapping
from datetime import datetime
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from perdure.core.chat import CallKind, Chat, OpenCall, QueueEntry
from perdure.core.failure import RetryState
from perdure.core.ids import MessageNumber, QueuedNumber
from perdure.core.message import Kind, NewMessage, Role
from perdure.core.parts import AnyPart, ToolCall, ToolResult
from perdure.machine.change import (
    KEEP,
    SOON,
    CardChange,
    Change,
    Enqueued,
    Keep,
    Marker,
    Owner,
    Plan,
    Promotion,
    Rows,
    Times,
)

T = TypeVar("T")


def apply(plan: Plan, change: Change) -> Plan:
    """The plan with one more change carried out."""
    version = plan.chat.snapshot_version
    chat, rows = _with_history(plan.chat, plan.rows, change)
    chat, rows = _with_queue(chat, rows, change)
    chat = _with_columns(chat, change)
    chat = _with_attempts(plan.chat, chat, change, version)
    rows = replace(
        rows,
        files=rows.files + change.files,
        inbox=rows.inbox + ((change.inbox,) if change.inbox else ()),
        card=_added(rows.card, change.card),
    )
    chat = replace(chat, file_count=chat.file_count + len(change.files))
    return replace(plan, chat=chat, rows=rows, times=_times(plan.times, change), empty=False)


def calls_after(chat: Chat, messages: tuple[NewMessage, ...], kinds: Mapping[str, CallKind]) -> tuple[OpenCall, ...]:
    """The calls that are open once these messages are in the history."""
    change = Change(append=messages, call_kinds=kinds)
    return _with_history(chat, Rows(), change)[0].open_calls


def _added(card: CardChange | None, more: CardChange | None) -> CardChange | None:
    if card is None or more is None:
        return card or more
    return CardChange(
        cost=card.cost + more.cost,
        unpriced_calls=card.unpriced_calls + more.unpriced_calls,
        turns=card.turns + more.turns,
        context_tokens=card.context_tokens if more.context_tokens is None else more.context_tokens,
        context_limit=card.context_limit if more.context_limit is None else more.context_limit,
        unpin=card.unpin or more.unpin,
    )


def _times(times: Times, change: Change) -> Times:
    keeps_action = Marker.ACTION in change.keeps
    return Times(
        action_deadline=times.action_deadline if keeps_action else change.deadline,
        compaction_requested=change.request_compaction
        or (times.compaction_requested and Marker.COMPACTION in change.keeps),
    )


def _with_history(chat: Chat, rows: Rows, change: Change) -> tuple[Chat, Rows]:
    if change.cut_from is not None:
        chat = replace(chat, open_calls=(), last_assistant=MessageNumber(0))
        rows = replace(rows, cut_from=change.cut_from)
    for index in change.answer_calls:
        call = chat.call(index)
        if call is not None:
            chat, rows = _appended(chat, rows, synthetic(call, change.reason), change)
    for message in change.append:
        chat, rows = _appended(chat, rows, message, change)
    return chat, rows


def synthetic(call: OpenCall, reason: str) -> NewMessage:
    text = msgspec.json.encode(reason).decode()
    return NewMessage(role=Role.TOOL, parts=(ToolResult(call.call_id, call.tool, text, is_error=True),))


def _appended(chat: Chat, rows: Rows, message: NewMessage, change: Change) -> tuple[Chat, Rows]:
    rows = replace(rows, messages=(*rows.messages, (chat.next_message, message)))
    return _counted(chat, message, change), rows


def _counted(chat: Chat, message: NewMessage, change: Change) -> Chat:
    """The chat after one more message: numbers, open calls, whose word was last."""
    number = chat.next_message
    chat = replace(chat, next_message=MessageNumber(number + 1))
    if message.kind is Kind.NOTICE:
        # A model that said nothing is answered for by a notice: the turn may end with it.
        return replace(chat, newest_is_user=False)
    if message.kind is not Kind.ORDINARY:
        return chat
    by_user = message.role is Role.USER
    chat = replace(
        chat,
        newest_is_user=by_user,
        turn=number if by_user and change.starts_turn else chat.turn,
        continuing=False if by_user and change.starts_turn else chat.continuing,
    )
    if message.role is Role.ASSISTANT:
        return replace(chat, last_assistant=number, open_calls=_calls(message, change.call_kinds))
    if message.role is Role.TOOL:
        answered = {part.call_id for part in message.parts if isinstance(part, ToolResult)}
        return replace(chat, open_calls=tuple(call for call in chat.open_calls if call.call_id not in answered))
    return chat


def _calls(message: NewMessage, kinds: Mapping[str, CallKind]) -> tuple[OpenCall, ...]:
    answered = {part.call_id for part in message.parts if isinstance(part, ToolResult)}
    calls = [part for part in message.parts if isinstance(part, ToolCall) and not part.provider_executed]
    return tuple(
        OpenCall(index, call.call_id, call.tool, kinds.get(call.tool, CallKind.LOCAL))
        for index, call in enumerate(calls)
        if call.call_id not in answered
    )


def _with_queue(chat: Chat, rows: Rows, change: Change) -> tuple[Chat, Rows]:
    before = chat.queue
    if change.enqueue is not None:
        chat, rows = _enqueued(chat, rows, change.enqueue)
    for number in change.remove:
        chat, rows = _removed(chat, rows, number)
    if change.rewrite is not None:
        rows = _rewritten(rows, *change.rewrite)
    if change.reorder is not None:
        modes = {entry.number: entry.steer for entry in chat.queue}
        chat = replace(chat, queue=tuple(QueueEntry(number, modes[number]) for number in change.reorder))
    for number in change.promote:
        chat, rows = _promoted(chat, rows, number, change)
    if chat.queue != before or change.rewrite is not None:
        chat = replace(chat, queue_version=chat.snapshot_version)
    return chat, rows


def _enqueued(chat: Chat, rows: Rows, enqueued: Enqueued) -> tuple[Chat, Rows]:
    number = chat.next_queued
    entry = QueueEntry(number, enqueued.steer)
    chat = replace(chat, queue=(*chat.queue, entry), next_queued=QueuedNumber(number + 1))
    return chat, replace(rows, enqueued=(*rows.enqueued, (number, enqueued.message)))


def _without(chat: Chat, number: QueuedNumber) -> Chat:
    return replace(chat, queue=tuple(entry for entry in chat.queue if entry.number != number))


def _removed(chat: Chat, rows: Rows, number: QueuedNumber) -> tuple[Chat, Rows]:
    # A row that this very plan would insert is not inserted at all.
    if any(new == number for new, _ in rows.enqueued):
        kept = tuple(item for item in rows.enqueued if item[0] != number)
        return _without(chat, number), replace(rows, enqueued=kept)
    rewritten = tuple(item for item in rows.rewritten if item[0] != number)
    return _without(chat, number), replace(rows, removed=(*rows.removed, number), rewritten=rewritten)


def _rewritten(rows: Rows, number: QueuedNumber, parts: tuple[AnyPart, ...]) -> Rows:
    if any(new == number for new, _ in rows.enqueued):
        enqueued = tuple(
            (new, replace(message, parts=parts) if new == number else message) for new, message in rows.enqueued
        )
        return replace(rows, enqueued=enqueued)
    others = tuple(item for item in rows.rewritten if item[0] != number)
    return replace(rows, rewritten=(*others, (number, parts)))


_UNKNOWN_TEXT = NewMessage(role=Role.USER, parts=())


def _promoted(chat: Chat, rows: Rows, number: QueuedNumber, change: Change) -> tuple[Chat, Rows]:
    fresh = next((message for new, message in rows.enqueued if new == number), None)
    if fresh is not None:
        chat, rows = _removed(chat, rows, number)
        return _appended(chat, rows, replace(fresh, queued_as=number), change)
    promotion = Promotion(number, chat.next_message)
    chat = _counted(_without(chat, number), _UNKNOWN_TEXT, change)
    return chat, replace(rows, promoted=(*rows.promoted, promotion))


def _kept(value: T | Keep, old: T) -> T:
    return old if isinstance(value, Keep) else value


def _with_columns(chat: Chat, change: Change) -> Chat:
    keeps_action = Marker.ACTION in change.keeps
    owner: Owner | Keep | None = change.owner
    return replace(
        chat,
        status=_kept(change.status, chat.status),
        archived=_kept(change.archived, chat.archived),
        worker_id=chat.worker_id if owner is KEEP else owner and owner.worker_id,
        runner_id=chat.runner_id if owner is KEEP else owner and owner.runner_id,
        last_error=_kept(change.last_error, chat.last_error),
        continuing=_kept(change.continuing, chat.continuing),
        action=chat.action if keeps_action else change.action,
        action_deadline_at=chat.action_deadline_at if keeps_action else (SOON if change.deadline else None),
        compaction_requested_at=_compaction_mark(chat, change),
        budget_declined=change.decline_budget or (chat.budget_declined and Marker.BUDGET in change.keeps),
        budget_limit=_kept(change.budget_limit, chat.budget_limit),
        budget_spent=chat.budget_spent + change.spend,
        budget_reserved=_kept(change.reserve, chat.budget_reserved),
        open_calls=tuple(_cleared(call, change.clear_calls) for call in chat.open_calls),
    )


def _compaction_mark(chat: Chat, change: Change) -> datetime | None:
    if change.request_compaction:
        return SOON
    return chat.compaction_requested_at if Marker.COMPACTION in change.keeps else None


def _cleared(call: OpenCall, cleared: Mapping[int, int]) -> OpenCall:
    if call.index not in cleared:
        return call
    return replace(call, cleared=True, run=cleared[call.index])


def _with_attempts(before: Chat, chat: Chat, change: Change, version: int) -> Chat:
    """Versions that follow from what happened: history, attempts, retry state."""
    moved = change.touch_history or change.cut_from is not None or chat.next_message != before.next_message
    retry_state: RetryState | None = _kept(change.retry_state, chat.retry_state)
    attempt = chat.generation_attempt
    if moved:
        chat = replace(chat, history_version=version)
        attempt, retry_state = 0, None
    if change.attempt:
        attempt, retry_state = attempt + 1, None
    retry_version = chat.retry_version if retry_state == chat.retry_state else version
    return replace(chat, generation_attempt=attempt, retry_state=retry_state, retry_version=retry_version)
