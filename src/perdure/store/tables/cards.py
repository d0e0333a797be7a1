"""The cards of chats: what is shown of them, and what their owner says about them."""

from datetime import datetime, timedelta

from msgspec import Struct

from perdure.core.ids import ChatId, ModelName, OrganisationId, UserId, WorkspaceId
from perdure.core.message import Effort
from perdure.store.query import query
from perdure.store.scopes import Database


class CardRow(Struct, frozen=True):
    """A card as the view `cards` has it."""

    id: ChatId
    organisation_id: OrganisationId
    owner_id: UserId
    parent_id: ChatId | None
    root_id: ChatId | None
    agent_type: str | None
    title: str
    title_source: str
    labels: str
    source: str
    model: ModelName | None
    effort: Effort | None
    plan_mode: bool
    pin: int
    workspace_id: WorkspaceId | None
    client_tools: str
    client_tool_deadline: timedelta | None
    settings: str
    turn_label: str
    summary: str
    summarised_turns: int
    turns: int
    cost: int
    unpriced_calls: int
    context_tokens: int | None
    context_limit: int | None
    diff: str | None
    context_dirty: bool
    metadata_version: int
    created_at: datetime
    listed_at: datetime
    read_at: datetime
    children: tuple[ChatId, ...]
    shared: bool


class Described(Struct, frozen=True):
    """A description of a chat and one of its turns."""

    chat_id: ChatId
    turn: int
    title: str
    label: str
    summary: str
    by_model: bool
    cost: int | None
    history_version: int


class Undescribed(Struct, frozen=True):
    """A chat that nobody has described, and whose it is."""

    chat_id: ChatId
    owner_id: UserId


class Moved(Struct, frozen=True):
    """A chat whose card changed, and the card's new version."""

    chat_id: ChatId
    metadata_version: int


@query
async def charge_description(db: Database, chat_id: ChatId, cost: int | None) -> None: ...


@query
async def describe(db: Database, described: Described) -> int | None: ...


@query
async def owner(db: Database, chat_id: ChatId) -> UserId | None: ...


@query
async def take_undescribed(db: Database, fresh: timedelta, patience: timedelta, limit: int) -> list[Undescribed]: ...


@query
async def attach(db: Database, chat_id: ChatId, workspace_id: WorkspaceId) -> int: ...


@query
async def diff(db: Database, workspace_id: WorkspaceId, diff: str | None) -> list[Moved]: ...
