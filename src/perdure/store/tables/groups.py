"""Groups of people that chats are shared with."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from perdure.core.ids import UserId
from perdure.store.query import query
from perdure.store.scopes import OrganisationScope, PersonScope


class Group(Struct, frozen=True):
    id: UUID
    name: str
    created_at: datetime


class GroupWithMembers(Struct, frozen=True):
    id: UUID
    name: str
    created_at: datetime
    members: tuple[UserId, ...]


@query
async def listed(scope: PersonScope) -> list[GroupWithMembers]: ...


@query
async def add(scope: OrganisationScope, name: str) -> Group: ...


@query
async def rename(scope: OrganisationScope, group_id: UUID, name: str | None) -> Group | None: ...


@query
async def set_members(scope: OrganisationScope, group_id: UUID, members: Sequence[UserId]) -> list[UserId]: ...


@query
async def delete(scope: OrganisationScope, group_id: UUID) -> UUID | None: ...
