"""Reads off commits what turns do: every change of this replica passes by here once."""

import msgspec

from perdure.core.chat import AT_REST, Chat, Status
from perdure.core.commit import Commit
from perdure.core.message import Kind, NewMessage, Role, ToolResult
from perdure.observe.measures.work import TurnMeasures


class _CompactionNotice(msgspec.Struct):
    """What a compaction tells people."""

    source: str = "other"


class Meter:
    """Follows commits. It remembers nothing: what began on another replica is on the row."""

    def __init__(self, measures: TurnMeasures) -> None:
        self._measures = measures

    def committed(self, committed: Commit) -> None:
        base, chat = committed.base, committed.chat
        for waited in committed.waited:
            self._measures.queue_wait.observe(waited.total_seconds())
        if base is not None and turn_ends(base, chat):
            self._ended(base, chat, edited=committed.hidden_from is not None)
        if base is not None and base.status is Status.RUNNING:
            self._step(base, chat, [message for _, message in committed.appended])
        if chat.generation_attempt and (base is None or _attempt(base) != _attempt(chat)):
            self._measures.attempts.inc()
        if chat.retry_state is not None and (base is None or base.retry_version != chat.retry_version):
            self._measures.retries.labels(chat.retry_state.kind.value).inc()
        if chat.action is not None and (base is None or base.action != chat.action):
            self._measures.actions.labels(chat.action.kind.value).inc()

    def _ended(self, base: Chat, chat: Chat, *, edited: bool) -> None:
        outcome = outcome_of(base, chat, edited=edited)
        self._measures.turns.labels(outcome).inc()
        if chat.status is Status.ERROR and chat.last_error is not None:
            self._measures.errors.labels(chat.last_error.kind.value).inc()
        if base.turn_began_at is not None and chat.updated_at is not None:
            took = chat.updated_at - base.turn_began_at
            self._measures.turn_seconds.labels(outcome).observe(took.total_seconds())

    def _step(self, base: Chat, chat: Chat, messages: list[NewMessage]) -> None:
        kind = step_kind(messages)
        if kind is None:
            return
        self._measures.steps.labels(kind).inc()
        if base.updated_at is not None and chat.updated_at is not None:
            self._measures.step_seconds.labels(kind).observe((chat.updated_at - base.updated_at).total_seconds())
        for result in _compactions(messages):
            source = msgspec.json.decode(result.result, type=_CompactionNotice).source
            self._measures.compactions.labels(source, "cut" if result.is_error else "summarised").inc()


def turn_ends(base: Chat, chat: Chat) -> bool:
    """Whether a turn was under way that no longer is: the chat rests, or is at another."""
    return base.status not in AT_REST and (chat.status in AT_REST or base.turn != chat.turn)


def _attempt(chat: Chat) -> tuple[int, int]:
    return chat.history_version, chat.generation_attempt


def outcome_of(base: Chat, chat: Chat, *, edited: bool) -> str:
    if edited:
        return "edited"
    if chat.status is Status.ERROR:
        return "failed"
    return "interrupted" if base.status is Status.INTERRUPTING else "finished"


def step_kind(messages: list[NewMessage]) -> str | None:
    """What kind of step brings these messages; None where a person does."""
    if any(message.kind is Kind.BOUNDARY for message in messages):
        return "compaction"
    roles = {message.role for message in messages if message.kind is Kind.ORDINARY}
    if Role.USER in roles or not roles:
        return None
    return "answer" if Role.ASSISTANT in roles else "tools"


def _compactions(messages: list[NewMessage]) -> list[ToolResult]:
    return [
        part
        for message in messages
        if message.kind is Kind.COMPACTION
        for part in message.parts
        if isinstance(part, ToolResult)
    ]
