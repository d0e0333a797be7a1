"""Families of chats: who started whom, and where agents stand."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec import Struct

from perdure.core.chat import Status
from perdure.core.ids import ChatId, ModelName, WorkspaceId
from perdure.core.message import Effort
from perdure.store.query import query
from perdure.store.scopes import Database


class AgentRow(Struct, frozen=True):
    id: ChatId
    parent_id: ChatId
    agent_type: str | None
    title: str
    status: Status
    last_error: str | None
    parts: str | None
    cut_short: bool


class ParentRow(Struct, frozen=True):
    root_id: ChatId | None
    model: ModelName | None
    effort: Effort | None
    workspace_id: WorkspaceId | None
    client_tool_deadline: timedelta | None
    settings: str
    depth: int
    working: int
    system: tuple[str, ...]


@query
async def agents(db: Database, chat_id: ChatId, among: Sequence[ChatId] | None) -> list[AgentRow]: ...


@query
async def parent(db: Database, chat_id: ChatId) -> ParentRow | None: ...


@query
async def parent_of(db: Database, chat_id: ChatId) -> ChatId | None: ...


@query
async def unwoken(db: Database, limit: int) -> list[ChatId]: ...


@query
async def planning(db: Database, chat_id: ChatId) -> bool: ...
