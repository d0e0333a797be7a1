"""What a change makes of a chat: the one place that carries changes out. Pure to whoever asks for a plan."""

from collections.abc import Iterable, Mapping
from copy import copy
from datetime import timedelta

import msgspec
from msgspec.structs import force_setattr, replace

from perdure.core.action import Asks, CallKind, OpenCall
from perdure.core.card import CardChange
from perdure.core.chat import AT_REST, Chat, QueueEntry, Status
from perdure.core.commit import Commit, InboxKind, Mentions
from perdure.core.errors import InvalidInput
from perdure.core.ids import FileId, MessageNumber, QueuedNumber
from perdure.core.message import AnyPart, Kind, NewMessage, Role, ToolCall, ToolResult
from perdure.machine.change import AUTHOR_OF_QUEUED, KEEP, MOMENT_OF_COMMIT, Change, Marker

FILES_LIMIT = 50
"""How many files people may attach to a chat, and how many its tools may add."""


def calls_after(
    calls: tuple[OpenCall, ...], messages: Iterable[NewMessage], kinds: Mapping[str, CallKind]
) -> tuple[OpenCall, ...]:
    """The calls that are open once these messages are in the history, where these were open before."""
    for message in messages:
        calls = _calls_after_one(calls, message, kinds)
    return calls


def _calls_after_one(
    calls: tuple[OpenCall, ...], message: NewMessage, kinds: Mapping[str, CallKind]
) -> tuple[OpenCall, ...]:
    if message.kind is not Kind.ORDINARY:
        return calls
    if message.role is Role.ASSISTANT:
        return _calls_of(message, kinds)
    if message.role is Role.TOOL and calls:
        answered = {part.call_id for part in message.parts if isinstance(part, ToolResult)}
        return tuple(call for call in calls if call.call_id not in answered)
    return calls


def _calls_of(message: NewMessage, kinds: Mapping[str, CallKind]) -> tuple[OpenCall, ...]:
    calls = [part for part in message.parts if isinstance(part, ToolCall) and not part.provider_executed]
    if not calls:
        return ()
    answered = {part.call_id for part in message.parts if isinstance(part, ToolResult)}
    return tuple(
        OpenCall(index, call.call_id, call.tool, kinds.get(call.tool, CallKind.LOCAL))
        for index, call in enumerate(calls)
        if call.call_id not in answered
    )


def synthetic(call: OpenCall, reason: str) -> NewMessage:
    text = msgspec.json.encode(reason).decode()
    return NewMessage(role=Role.TOOL, parts=(ToolResult(call.call_id, call.tool, text, is_error=True),))


class Draft:
    """A commit in the making. Its chat is a copy of its own, so that changes can be carried out in place."""

    __slots__ = (
        "_appended", "_asker", "_base", "_card", "_compaction", "_deadline", "_enqueued", "_files", "_hidden_from",
        "_inbox", "_mentions", "_promoted", "_removed", "_rewritten", "_unchanged", "chat",
    )  # fmt: skip

    def __init__(self, base: Chat | None, chat: Chat) -> None:
        self._base = base
        self.chat = copy(chat)
        self._set("snapshot_version", chat.snapshot_version + 1)
        self._unchanged = True
        self._hidden_from: MessageNumber | None = None
        self._appended: list[tuple[MessageNumber, NewMessage]] = []
        self._enqueued: list[tuple[QueuedNumber, NewMessage]] = []
        self._removed: list[QueuedNumber] = []
        self._rewritten: list[tuple[QueuedNumber, tuple[AnyPart, ...]]] = []
        self._promoted: list[tuple[QueuedNumber, MessageNumber]] = []
        self._files: tuple[FileId, ...] = ()
        self._inbox: tuple[InboxKind, ...] = ()
        self._card: CardChange | None = None
        self._deadline: timedelta | None = None
        self._compaction = False
        self._asker: QueuedNumber | None = None
        self._mentions: Mentions | None = None

    def commit(self) -> Commit:
        """What all the changes add up to."""
        if self._unchanged and self._base is not None:
            return Commit(base=self._base, chat=self._base)
        began = _turn_begins(self._base, self.chat)
        if began:
            self._set("turn_began_at", MOMENT_OF_COMMIT)
        return Commit(
            base=self._base,
            chat=self.chat,
            appended=tuple(self._appended),
            hidden_from=self._hidden_from,
            enqueued=tuple(self._enqueued),
            removed=tuple(self._removed),
            rewritten=tuple(self._rewritten),
            promoted=tuple(self._promoted),
            files=self._files,
            inbox=self._inbox,
            mentions=self._mentions,
            card=self._card,
            action_deadline=self._deadline,
            compaction_requested=self._compaction,
            turn_began=began,
            asker_queued=self._asker,
        )

    def apply(self, change: Change) -> None:
        """Carry out one more change."""
        self._unchanged = False
        next_message = self.chat.next_message
        self._change_history(change)
        self._change_queue(change)
        self._change_columns(change)
        if change.stopped_by is not None or self.chat.status is not Status.INTERRUPTING:
            self._set("stopped_by", change.stopped_by)
        self._change_marks(change)
        moved = change.touch_history or change.cut_from is not None or self.chat.next_message != next_message
        self._change_attempts(change, moved=moved)
        self._change_others(change)

    def _set(self, column: str, value: object) -> None:
        # The copy is ours alone until the plan is made.
        force_setattr(self.chat, column, value)

    def _change_history(self, change: Change) -> None:
        if change.cut_from is not None:
            assert not self._appended, "what a plan appends, it does not hide"
            self._hidden_from = change.cut_from
            self._set("open_calls", ())
            self._set("last_assistant", MessageNumber(0))
            self._set("asks_owner", None)
        for index in change.answer_calls:
            call = self.chat.call(index)
            if call is not None:
                self._append(synthetic(call, change.reason), change)
        for message in change.append:
            self._append(message, change)

    def _append(self, message: NewMessage, change: Change) -> None:
        self._appended.append((self.chat.next_message, message))
        self._count(message, change)

    def _count(self, message: NewMessage, change: Change) -> None:
        """Take notice of one more message: numbers, open calls, whose word was last."""
        number = self.chat.next_message
        self._set("next_message", MessageNumber(number + 1))
        if message.kind is Kind.NOTICE:
            # A model that said nothing is answered for by a notice: the turn may end with it.
            self._set("newest_is_user", False)
        if message.kind is not Kind.ORDINARY:
            return
        by_user = message.role is Role.USER
        self._set("newest_is_user", by_user)
        if by_user:
            self._asker = None
            self._set("asked_by", message.created_by)
        if by_user and change.starts_turn:
            self._set("turn", number)
            self._set("continuing", False)
        self._set("open_calls", _calls_after_one(self.chat.open_calls, message, change.call_kinds))
        if message.role is Role.ASSISTANT:
            self._set("last_assistant", number)
            self._set("asks_owner", _asked(self.chat.open_calls))

    def _change_queue(self, change: Change) -> None:
        before = self.chat.queue
        if change.enqueue is not None:
            self._enqueue(change.enqueue.message, steer=change.enqueue.steer)
        for number in change.remove:
            self._remove(number)
        if change.rewrite is not None:
            self._rewrite(*change.rewrite)
        if change.reorder is not None:
            modes = {entry.number: entry for entry in self.chat.queue}
            self._set("queue", tuple(modes[number] for number in change.reorder))
        for number in change.promote:
            self._promote(number, change)
        if change.rewrite is not None or self.chat.queue != before:
            self._set("queue_version", self.chat.snapshot_version)

    def _enqueue(self, message: NewMessage, *, steer: bool) -> None:
        number = self.chat.next_queued
        self._set("queue", (*self.chat.queue, QueueEntry(number, steer)))
        self._set("next_queued", QueuedNumber(number + 1))
        self._enqueued.append((number, message))

    def _leave_queue(self, number: QueuedNumber) -> NewMessage | None:
        """Take an entry out of the order. The result is its message if this very plan brought it."""
        self._set("queue", tuple(entry for entry in self.chat.queue if entry.number != number))
        self._rewritten = [item for item in self._rewritten if item[0] != number]
        fresh = next((message for new, message in self._enqueued if new == number), None)
        if fresh is not None:
            # A row that this plan would insert is not inserted at all.
            self._enqueued = [item for item in self._enqueued if item[0] != number]
        return fresh

    def _remove(self, number: QueuedNumber) -> None:
        if self._leave_queue(number) is None:
            self._removed.append(number)

    def _rewrite(self, number: QueuedNumber, parts: tuple[AnyPart, ...]) -> None:
        for place, (new, message) in enumerate(self._enqueued):
            if new == number:
                self._enqueued[place] = (new, replace(message, parts=parts))
                return
        self._rewritten = [*(item for item in self._rewritten if item[0] != number), (number, parts)]

    def _promote(self, number: QueuedNumber, change: Change) -> None:
        fresh = self._leave_queue(number)
        if fresh is not None:
            self._append(replace(fresh, queued_as=number), change)
            return
        self._promoted.append((number, self.chat.next_message))
        self._count(_SOMETHING_SAID, change)
        self._asker = number

    def _change_columns(self, change: Change) -> None:
        if change.status is not KEEP:
            self._set("status", change.status)
        if change.archived is not KEEP:
            self._set("archived", change.archived)
        if (owner := change.owner) is not KEEP:
            self._set("worker_id", owner and owner.worker_id)
            self._set("runner_id", owner and owner.runner_id)
        if change.last_error is not KEEP:
            self._set("last_error", change.last_error)
        if change.continuing is not KEEP:
            self._set("continuing", change.continuing)
        if change.budget_limit is not KEEP:
            self._set("budget_limit", change.budget_limit)
        if change.reserve is not KEEP:
            self._set("budget_reserved", change.reserve)
        if change.spend:
            self._set("budget_spent", self.chat.budget_spent + change.spend)
        if change.clear_calls:
            self._set("open_calls", tuple(_cleared(call, change, self.chat) for call in self.chat.open_calls))

    def _change_marks(self, change: Change) -> None:
        """Clear every mark that the change does not keep by name, and set those that it asks for."""
        if Marker.ACTION not in change.keeps:
            self._deadline = change.deadline
            self._set("action", change.action)
            self._set("action_deadline_at", MOMENT_OF_COMMIT if change.deadline else None)
        elif change.action is not None:
            # The same question with a part of its answer: its deadline stays.
            self._set("action", change.action)
        if change.request_compaction:
            self._compaction = True
            self._set("compaction_requested_at", MOMENT_OF_COMMIT)
        elif Marker.COMPACTION not in change.keeps:
            self._compaction = False
            self._set("compaction_requested_at", None)
        if change.decline_budget or Marker.BUDGET not in change.keeps:
            self._set("budget_declined", change.decline_budget)

    def _change_attempts(self, change: Change, *, moved: bool) -> None:
        """The versions that follow from what happened: history, attempts, retry state."""
        chat = self.chat
        retry_state = chat.retry_state if change.retry_state is KEEP else change.retry_state
        if moved:
            self._set("history_version", chat.snapshot_version)
            self._set("generation_attempt", 0)
            retry_state = None
        if change.attempt:
            self._set("generation_attempt", chat.generation_attempt + 1)
            retry_state = None
        if retry_state != chat.retry_state:
            self._set("retry_state", retry_state)
            self._set("retry_version", chat.snapshot_version)

    def _change_others(self, change: Change) -> None:
        if change.files:
            self._files += change.files
            self._set("file_count", _fitting(self.chat.file_count + len(change.files), "attached files"))
        if change.made_files:
            self._files += change.made_files
            made = self.chat.made_file_count + len(change.made_files)
            self._set("made_file_count", _fitting(made, "files of its tools"))
        if change.inbox is not None:
            self._inbox += (change.inbox,)
        self._mentions = change.mentions or self._mentions
        if change.card is not None:
            self._card = change.card if self._card is None else self._card + change.card


# Stands for a queued message, whose contents never leave the database.
_SOMETHING_SAID = NewMessage(role=Role.USER, parts=(), created_by=AUTHOR_OF_QUEUED)


# The tools that end a turn with something that only its owner can answer, the first of them first.
_ASKING = {"ask_user_question": Asks.QUESTION, "propose_plan": Asks.PLAN}


def _asked(calls: tuple[OpenCall, ...]) -> Asks | None:
    if not calls:
        return None
    called = {call.tool for call in calls}
    return next((asks for tool, asks in _ASKING.items() if tool in called), None)


def _fitting(count: int, what: str) -> int:
    if count > FILES_LIMIT:
        raise InvalidInput(f"A chat holds at most {FILES_LIMIT} {what}.")
    return count


def _turn_begins(base: Chat | None, chat: Chat) -> bool:
    """Whether the chat works now and did not before, or works on another turn."""
    return chat.status not in AT_REST and (base is None or base.status in AT_REST or base.turn != chat.turn)


def _cleared(call: OpenCall, change: Change, chat: Chat) -> OpenCall:
    if call.index not in change.clear_calls:
        return call
    run, by = change.clear_calls[call.index], change.cleared_by.get(call.index, ())
    answers = change.answers.get(call.index, "")
    return replace(call, cleared=True, run=run, cleared_in=chat.snapshot_version, cleared_by=by, answers=answers)
