"""What a runner does to a chat: owns it, and records attempts, retries and steps while a turn goes on."""

from collections.abc import Mapping

from msgspec import Struct

from perdure.core.action import CallKind
from perdure.core.card import CardChange
from perdure.core.chat import Chat
from perdure.core.failure import RetryState
from perdure.core.ids import FileId, ReplicaId
from perdure.core.message import NewMessage
from perdure.machine.change import ALL_MARKERS, Change, Marker, Owner, refuse
from perdure.machine.planning import calls_after


class Acquire(Struct, frozen=True):
    """Take a chat from nobody, or from a replica that was seen expired by the database's clock."""

    owner: Owner
    expected: ReplicaId | None = None

    def plan(self, chat: Chat) -> Change:
        if chat.worker_id != self.expected:
            raise refuse(self, chat, "Another replica drives this chat.")
        return Change(owner=self.owner, keeps=ALL_MARKERS)


class Abandon(Struct, frozen=True):
    """Let go of a chat. Its state stays as it is."""

    def plan(self, chat: Chat) -> Change:
        if not chat.owned:
            raise refuse(self, chat, "Nobody drives this chat.")
        return Change(owner=None, keeps=ALL_MARKERS)


class RecordGenerationAttempt(Struct, frozen=True):
    """Count one more try at the current history, and set aside what it may cost."""

    reserve: int = 0

    def plan(self, chat: Chat) -> Change:
        return Change(attempt=True, reserve=self.reserve, keeps=ALL_MARKERS)


class RecordRetryState(Struct, frozen=True):
    """Tell everyone that the turn will try again, and when."""

    retry_state: RetryState

    def plan(self, chat: Chat) -> Change:
        return Change(retry_state=self.retry_state, keeps=ALL_MARKERS)


class CommitStep(Struct, frozen=True, kw_only=True):
    """Put a model's answer or a batch of results into the history."""

    messages: tuple[NewMessage, ...]
    continues: bool = True
    """Whether the turn goes on after this step. Only then are steer messages delivered."""
    consume_compaction: bool = False
    call_kinds: Mapping[str, CallKind] = {}
    spend: int = 0
    files: tuple[FileId, ...] = ()
    card: CardChange | None = None

    def plan(self, chat: Chat) -> Change:
        if not self.messages:
            raise refuse(self, chat, "A step has at least one message.")
        open_calls = calls_after(chat.open_calls, self.messages, self.call_kinds)
        delivers = self.continues and not open_calls
        return Change(
            append=self.messages,
            call_kinds=self.call_kinds,
            continuing=self.continues,
            keeps=frozenset({Marker.BUDGET} if self.consume_compaction else {Marker.BUDGET, Marker.COMPACTION}),
            spend=self.spend,
            reserve=0,
            made_files=self.files,
            promote=tuple(entry.number for entry in chat.queue if entry.steer) if delivers else (),
            starts_turn=False,
            card=self.card,
        )
