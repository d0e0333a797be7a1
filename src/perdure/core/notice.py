"""What is announced after a commit: a hint that a row moved. The row is the truth."""

from enum import StrEnum

from msgspec import Struct

from perdure.core.ids import ChatId

SCHEDULES_CHANGED = "schedules"
WEBHOOKS_CHANGED = "webhooks"
TRIGGERS_CHANGED = "triggers"
"""The names of the settings that changed where a schedule, a webhook or a trigger did."""
SHARES_CHANGED = "shares"
"""The name of the notice that a chat is shared with others than before, or for something else."""
DELETED = "deleted"
"""The name of the notice that a chat is gone."""
ACTORS_CHANGED = "actors"
"""The name of the notice that somebody's rights changed."""


class Topic(StrEnum):
    CHAT = "chat"
    """A chat's execution state or card moved."""
    WAKE = "wake"
    """A runnable chat has no driver."""
    CONFIG = "config"
    """A setting changed; `name` says which."""
    INBOX = "inbox"
    PRESENCE = "presence"
    """Who follows a chat on a replica, or that somebody types there: `name` says it."""
    DEAF = "deaf"
    """Notices are lost from now on. Whoever acts on what it knows looks first."""
    GAP = "gap"
    """Notices may have been lost up to now. Whoever follows something looks at it again."""


class Notice(Struct, frozen=True, array_like=True, omit_defaults=True):
    """A hint. It may be lost, doubled or reordered."""

    topic: Topic
    chat_id: ChatId | None = None
    snapshot_version: int = 0
    metadata_version: int = 0
    name: str = ""
