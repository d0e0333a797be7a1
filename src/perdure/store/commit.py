"""Everything that one commit writes, as values."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from msgspec import Struct

from perdure.core.card import CardChange
from perdure.core.chat import Chat, Fence
from perdure.core.ids import ChangeId, ChatId, FileId, MessageNumber, QueuedNumber, WorkspaceId
from perdure.core.message import NewMessage
from perdure.core.parts import AnyPart


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyKey:
    """The key of a request, and the answer that later ones with the same key get."""

    caller: object
    route: str
    key: str
    request_hash: bytes
    answer: str


@dataclass(frozen=True, slots=True)
class Guard:
    """Another chat whose fence must still hold: a parent that creates or addresses a child."""

    chat_id: ChatId
    fence: Fence


class Write(Struct, frozen=True, kw_only=True):
    """Everything that one commit writes."""

    base: Chat | None
    chat: Chat
    change_id: ChangeId
    action_deadline: timedelta | None = None
    compaction_requested: bool = False
    turn_began: bool = False
    cut_from: MessageNumber | None = None
    messages: Sequence[tuple[MessageNumber, NewMessage]] = ()
    enqueued: Sequence[tuple[QueuedNumber, NewMessage]] = ()
    removed: Sequence[QueuedNumber] = ()
    rewritten: Sequence[tuple[QueuedNumber, tuple[AnyPart, ...]]] = ()
    promoted: Sequence[tuple[QueuedNumber, MessageNumber]] = ()
    files: Sequence[FileId] = ()
    inbox: Sequence[str] = ()
    card: CardChange | None = None
    new_card: "NewCard | None" = None
    key: IdempotencyKey | None = None
    guard: Guard | None = None

    @property
    def named(self) -> bool:
        """Whether a row that this inserts carries the name of the change, so that it can be found again."""
        return bool(self.messages or self.enqueued)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCard:
    """The card of a chat that is about to exist."""

    organisation_id: object
    owner_id: object
    title: str
    title_source: str = "fallback"
    parent_id: ChatId | None = None
    root_id: ChatId | None = None
    agent_type: str | None = None
    labels: str = "{}"
    source: str = "api"
    model: str | None = None
    effort: str | None = None
    plan_mode: bool = False
    workspace_id: WorkspaceId | None = None
    client_tools: str = "[]"
    client_tool_deadline: timedelta | None = None
    settings: str = "{}"
