"""What the streams beside chats tell: that a card in somebody's list changed, that something is in their inbox."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from perdure.core.events import ChatCard
from perdure.core.ids import ChatId


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
