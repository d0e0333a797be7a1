"""Reading families of chats: what a parent hands down, where its agents stand, which parents nobody woke."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import msgspec

from perdure.core.chat import AT_REST, Status
from perdure.core.errors import ChatNotFound
from perdure.core.failure import ChatError
from perdure.core.ids import ChatId, ModelName, WorkspaceId
from perdure.core.message import AnyPart, Effort, Text
from perdure.store.pool import Pool
from perdure.store.rows import parts_of
from perdure.store.tables import families
from perdure.store.tables.families import AgentRow

_errors = msgspec.json.Decoder(ChatError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parent:
    """What a chat hands down to its agents."""

    root_id: ChatId | None
    model: ModelName | None
    effort: Effort | None
    workspace_id: WorkspaceId | None
    client_tool_deadline: timedelta | None
    settings: str
    depth: int
    working: int
    """Agents of the whole tree that are not at rest."""
    system: tuple[tuple[AnyPart, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A chat that works on behalf of another."""

    id: ChatId
    parent_id: ChatId
    type: str
    title: str
    status: Status
    error: ChatError | None
    said: str
    """The last thing that it said."""
    cut_short: bool
    """Its newest message is not a finished answer."""

    @property
    def at_rest(self) -> bool:
        return self.status in AT_REST


async def parent(pool: Pool, chat_id: ChatId) -> Parent:
    row = await families.parent(pool, chat_id)
    if row is None:
        raise ChatNotFound
    return Parent(
        root_id=row.root_id,
        model=row.model,
        effort=row.effort,
        workspace_id=row.workspace_id,
        client_tool_deadline=row.client_tool_deadline,
        settings=row.settings,
        depth=row.depth,
        working=row.working,
        system=tuple(parts_of(parts) for parts in row.system),
    )


async def agents(pool: Pool, chat_id: ChatId, ids: Sequence[ChatId] | None = None) -> list[Agent]:
    """The agents below a chat: all of them, or those of the named that are."""
    return [_agent(row) for row in await families.agents(pool, chat_id, ids)]


def _agent(row: AgentRow) -> Agent:
    parts = parts_of(row.parts) if row.parts else ()
    return Agent(
        id=row.id,
        parent_id=row.parent_id,
        type=row.agent_type or "",
        title=row.title,
        status=row.status,
        error=_errors.decode(row.last_error) if row.last_error else None,
        said="\n\n".join(part.text for part in parts if isinstance(part, Text)),
        cut_short=row.cut_short,
    )


async def parent_of(pool: Pool, chat_id: ChatId) -> ChatId | None:
    return await families.parent_of(pool, chat_id)


async def planning(pool: Pool, chat_id: ChatId) -> bool:
    """Whether a chat only plans: it, or one of those that it works for."""
    return await families.planning(pool, chat_id)


async def unwoken(pool: Pool, limit: int) -> list[ChatId]:
    """Parked parents with an agent that rests."""
    return await families.unwoken(pool, limit)
