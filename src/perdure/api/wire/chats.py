"""Chats on the wire."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from perdure.access.chats import Match
from perdure.api.wire.content import END, LINE, NAME, ClientId, Content
from perdure.config.settings import PROMPT_LIMIT
from perdure.core.action import Approvers
from perdure.core.card import ChatSettings
from perdure.core.chat import Busy
from perdure.core.events import ChatCard, PendingAction, QueuedMessage
from perdure.core.failure import ChatError, RetryState
from perdure.core.ids import ModelName, UserId, WorkspaceId
from perdure.core.message import Effort, Message

Title = Annotated[str, Meta(min_length=1, max_length=200, pattern=NAME)]
LabelKey = Annotated[str, Meta(max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]*" + END)]
LabelValue = Annotated[str, Meta(min_length=1, max_length=256, pattern=NAME)]
Labels = Annotated[dict[LabelKey, LabelValue], Meta(max_length=50)]
Prompt = Annotated[str, Meta(max_length=PROMPT_LIMIT)]
Micros = Annotated[int, Meta(ge=0, le=2**53)]
Name = Annotated[ModelName, Meta(min_length=1, max_length=200, pattern=LINE)]
Number = Annotated[int, Meta(ge=0, le=2**31 - 1)]
TemplateName = Annotated[str, Meta(min_length=1, max_length=100, pattern=LINE)]


class ClientTool(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A tool that runs on the client's side. Without a schema it takes no parameters."""

    name: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}" + END)]
    description: Annotated[str, Meta(max_length=10_000)] = ""
    schema: dict[str, Any] = {}


ClientTools = Annotated[tuple[ClientTool, ...], Meta(max_length=250)]


class WorkspaceWish(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A workspace to be made for the chat."""

    template: TemplateName = "blank"
    parameters: dict[str, str | int | bool] = {}


McpServers = Annotated[tuple[str, ...], Meta(max_length=100)]
Approvals = dict[str, Annotated[str, Meta(pattern="^(auto|ask|deny)" + END)]]


class CreateBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    content: Content
    model: Name | None = None
    effort: Effort | None = None
    title: Title | None = None
    labels: Labels = {}
    plan_mode: bool = False
    workspace: WorkspaceWish | None = None
    workspace_id: WorkspaceId | None = None
    system_prompt: Prompt | None = None
    client_tools: ClientTools = ()
    client_tool_deadline_s: Annotated[float, Meta(gt=0, le=86_400)] | None = None
    mcp_servers: McpServers | UnsetType = UNSET
    """By name. Without it, those that are on by themselves."""
    web_search: bool | UnsetType = UNSET
    approvals: Approvals | UnsetType = UNSET
    approvers: Approvers | UnsetType = UNSET
    """Who may approve calls, of those who may approve in this chat."""
    budget_limit: Micros | None = None
    client_id: ClientId | None = None


class SendBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    content: Content
    busy: Busy = Busy.QUEUE
    turn: Number | None = None
    """The turn that an interrupting message means: once it is over, the message is queued or runs."""
    model: Name | None = None
    effort: Effort | None = None
    plan_mode: bool | None = None
    mentions: Annotated[tuple[UserId, ...], Meta(max_length=20)] = ()
    """People of the chat whom the message names: their inbox and their browsers tell them."""
    client_id: ClientId | None = None


class FilesWish(StrEnum):
    """What becomes of the files that later turns changed."""

    KEEP = "keep"
    BACK = "back"


class EditBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    content: Content
    model: Name | None = None
    effort: Effort | None = None
    client_id: ClientId | None = None
    files: FilesWish = FilesWish.KEEP
    """`back` puts the workspace's files back to before the message, or refuses and changes nothing."""
    files_state: Annotated[str, Meta(max_length=100)] | None = None
    """The `state` of the preview that was shown: if files changed since, nothing goes back."""


class PatchBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is not named stays as it is. Null clears a model or an effort, so that the default holds, or a workspace."""

    title: Title | UnsetType = UNSET
    archived: bool | UnsetType = UNSET
    pin: Number | UnsetType = UNSET
    labels: Labels | UnsetType = UNSET
    plan_mode: bool | UnsetType = UNSET
    model: Name | UnsetType | None = UNSET
    effort: Effort | UnsetType | None = UNSET
    workspace_id: WorkspaceId | UnsetType | None = UNSET
    read: Number | UnsetType = UNSET
    client_tools: ClientTools | UnsetType = UNSET
    mcp_servers: McpServers | UnsetType = UNSET
    web_search: bool | UnsetType = UNSET
    """Whether the model's provider may search the web."""
    approvals: Approvals | UnsetType = UNSET
    approvers: Approvers | UnsetType = UNSET
    """Who may approve calls, of those who may approve in this chat."""


class Sent(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Where a message went: into the history, or into the queue."""

    chat: ChatCard
    message: Message | None = None
    queued: QueuedMessage | None = None


class Created(Struct, frozen=True, omit_defaults=True, kw_only=True):
    chat: ChatCard
    cursor: str
    message: Message | None = None


class Moved(Struct, frozen=True):
    chat: ChatCard


class ChatView(Struct, frozen=True, kw_only=True):
    """A chat and everything that is open in it. `cursor` starts a stream right after this."""

    chat: ChatCard
    queue: tuple[QueuedMessage, ...]
    action: PendingAction | None
    retry: RetryState | None
    error: ChatError | None
    settings: ChatSettings
    """What was chosen for this chat. Without a choice of MCP servers, those are used that are on by themselves."""
    cursor: str


class ListedCard(ChatCard, frozen=True, kw_only=True, omit_defaults=True):
    """A chat in a list, with where a search found it."""

    snippet: str | None = None
    match: Match | None = None


class ChatPage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Root chats; `related` holds the cards of their descendants."""

    items: tuple[ListedCard, ...]
    related: tuple[ChatCard, ...] = ()
    next_cursor: str | None = None


class ListQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    q: Annotated[str, Meta(max_length=1_000)] | None = None
    archived: bool | None = None
    unread: bool | None = None
    shared: bool | None = None
    label: Annotated[str, Meta(max_length=400)] | None = None
    cursor: Annotated[str, Meta(max_length=400)] | None = None
    limit: Annotated[int, Meta(ge=1, le=200)] = 50


class MessagesQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    before: Number | None = None
    after: Number | None = None
    limit: Annotated[int, Meta(ge=1, le=200)] = 50


class MessagePage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Messages, newest first; oldest first where only `after` is given. The queue comes only without either."""

    items: tuple[Message, ...]
    cursor: str
    queue: tuple[QueuedMessage, ...] | None = None


class MatchesQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    q: Annotated[str, Meta(max_length=200, pattern=r"^[^\u0000]*" + END)] = ""


class Matches(Struct, frozen=True):
    """The numbers of messages, oldest first."""

    items: tuple[int, ...]


class PromptsQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    limit: Annotated[int, Meta(ge=1, le=2_000)] = 500


class PromptText(Struct, frozen=True):
    number: int
    text: str
    created_at: datetime


class Prompts(Struct, frozen=True):
    items: tuple[PromptText, ...]


class Children(Struct, frozen=True):
    items: tuple[ChatCard, ...]
