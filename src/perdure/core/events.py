"""What a stream tells a client. The web page, the client library and the server share these words."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct

from perdure.core.action import ActionKind, Approvers, Asks, BudgetOwner, Verdict
from perdure.core.author import Author
from perdure.core.card import ChatSource
from perdure.core.chat import Status
from perdure.core.deltas import AnyDelta
from perdure.core.failure import ChatError, RetryState
from perdure.core.ids import ChatId, MessageNumber, ModelName, QueuedNumber, UserId, WorkspaceId
from perdure.core.message import AnyPart, Effort, Message, Role


class QueuedMessage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A message that waits for its turn."""

    number: QueuedNumber
    parts: tuple[AnyPart, ...]
    steer: bool = False
    model: ModelName | None = None
    effort: Effort | None = None
    created_by: UserId | None = None
    author: str | None = None
    created_at: datetime
    client_id: str | None = None


class PendingQuestion(Struct, frozen=True, omit_defaults=True):
    """What a call asks of a person."""

    key: str
    message: str
    schema: dict[str, Any] | None = None
    """The form to fill in, as JSON schema."""
    url: str = ""
    """A page to go to, instead of a form."""


class PendingCall(Struct, frozen=True, omit_defaults=True):
    """A call that somebody must answer or decide about."""

    call_id: str
    tool: str
    args: str
    decision: Verdict | None = None
    """What was decided about it while others still wait."""
    decided_by: tuple[Author, ...] = ()
    questions: tuple[PendingQuestion, ...] = ()
    """What the call asks before it goes on."""


class PendingAction(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a parked chat asks for."""

    kind: ActionKind
    calls: tuple[PendingCall, ...] = ()
    children: tuple[ChatId, ...] = ()
    deadline_at: datetime | None = None
    limit: int | None = None
    spent: int | None = None
    budget: BudgetOwner = BudgetOwner.CHAT
    """Whose limit it is."""
    approvers: Approvers = Approvers.ANYBODY
    asked_by: UserId | None = None
    """For whom the turn works: the author that `approvers` means."""


class DiffStatus(Struct, frozen=True, omit_defaults=True):
    """Where the workspace's repository stands."""

    branch: str | None = None
    origin: str | None = None
    files: int = 0
    added: int = 0
    removed: int = 0
    pull_request_url: str | None = None
    pull_request_state: str | None = None
    """open, closed or merged"""
    pull_request_number: int | None = None
    pull_request_title: str | None = None
    pull_request_draft: bool = False
    pull_request_checks: str | None = None
    """passed, failed or pending"""
    pull_request_review: str | None = None
    """approved or changes_requested"""


class ChatCard(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A chat as lists and headers show it: its metadata and where it stands."""

    id: ChatId
    owner_id: UserId
    title: str
    status: Status
    created_at: datetime
    updated_at: datetime
    archived: bool = False
    parent_id: ChatId | None = None
    root_id: ChatId | None = None
    source: ChatSource = ChatSource.API
    children: tuple[ChatId, ...] = ()
    model: ModelName | None = None
    effort: Effort | None = None
    plan_mode: bool = False
    labels: dict[str, str] = {}
    pin: int = 0
    unread: bool = False
    shared: bool = False
    turn_label: str | None = None
    summary: str | None = None
    workspace_id: WorkspaceId | None = None
    diff: DiffStatus | None = None
    context_dirty: bool = False
    cost: int = 0
    unpriced_calls: int = 0
    context_tokens: int | None = None
    context_limit: int | None = None
    last_error: ChatError | None = None
    action: ActionKind | None = None
    asks: Asks | None = None
    waiting_for_capacity: bool = False


class Event(Struct, frozen=True, kw_only=True, tag_field="type"):
    """One thing a client learns. `cursor` resumes the stream right after it."""

    cursor: str


class MessageEvent(Event, frozen=True, kw_only=True, tag="message"):
    message: Message


class MessagePart(Event, frozen=True, kw_only=True, tag="message_part", omit_defaults=True):
    """Pieces of the answer in flight. `seq_from` is set when several were merged: they end at `seq`."""

    role: Role
    part: AnyDelta
    history_version: int
    attempt: int
    seq: int
    seq_from: int | None = None


class StatusEvent(Event, frozen=True, kw_only=True, tag="status"):
    status: Status


class QueueUpdate(Event, frozen=True, kw_only=True, tag="queue_update"):
    queue: tuple[QueuedMessage, ...]


class RetryEvent(Event, frozen=True, kw_only=True, tag="retry"):
    retry: RetryState | None


class ErrorEvent(Event, frozen=True, kw_only=True, tag="error"):
    error: ChatError | None


class ActionRequired(Event, frozen=True, kw_only=True, tag="action_required"):
    action: PendingAction | None


class PreviewReset(Event, frozen=True, kw_only=True, tag="preview_reset"):
    """Forget the parts that are not committed."""


class HistoryReset(Event, frozen=True, kw_only=True, tag="history_reset"):
    """Forget the messages after this number; those up to it stay valid."""

    after: MessageNumber


class ChatEvent(Event, frozen=True, kw_only=True, tag="chat"):
    chat: ChatCard


class PresentPerson(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody who follows the chat right now."""

    id: UserId
    name: str
    typing: bool = False


class PresenceEvent(Event, frozen=True, kw_only=True, tag="presence"):
    """Who follows the chat right now; empty while that is one person."""

    people: tuple[PresentPerson, ...]


AnyEvent = (
    MessageEvent
    | MessagePart
    | StatusEvent
    | QueueUpdate
    | RetryEvent
    | ErrorEvent
    | ActionRequired
    | PreviewReset
    | HistoryReset
    | ChatEvent
    | PresenceEvent
)


class WatchKind(StrEnum):
    CREATED = "created"
    STATUS_CHANGE = "status_change"
    TITLE_CHANGE = "title_change"
    SUMMARY_CHANGE = "summary_change"
    """What describes it: its label and summary, and what people chose, such as labels, a pin or a model."""
    ACTION_REQUIRED = "action_required"
    DIFF_STATUS_CHANGE = "diff_status_change"
    CONTEXT_DIRTY = "context_dirty"
    READ_CHANGE = "read_change"
    ARCHIVED = "archived"
    UNARCHIVED = "unarchived"
    DELETED = "deleted"
    """Gone, or no longer shared."""
    WATCH_RESET = "watch_reset"
    """What was missed is not known: read the list again."""


class WatchEvent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A chat as it is now, and what about it changed. A client drops versions that it has seen."""

    type: WatchKind
    cursor: str
    chat_id: ChatId | None = None
    chat: ChatCard | None = None
    snapshot_version: int | None = None
    metadata_version: int | None = None


class InboxEntry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: int
    kind: str
    title: str
    text: str
    created_at: datetime
    chat_id: ChatId | None = None
    read_at: datetime | None = None


class InboxEvent(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="inbox"):
    """An entry that is new or was read, and how many are unread now. The first event of a stream has no entry."""

    cursor: str
    unread: int
    entry: InboxEntry | None = None
