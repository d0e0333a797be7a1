"""Encrypted keys for providers: the deployment's, and those that people brought."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from perdure.core.ids import ProviderId, UserId
from perdure.store.query import query
from perdure.store.scopes import Database, OrganisationScope, PersonScope


class KeyRow(Struct, frozen=True):
    """A key without its secret."""

    id: UUID
    hint: str
    created_at: datetime
    personal: bool


class PersonalKey(Struct, frozen=True):
    provider_id: ProviderId
    secret: bytes


@query
async def own(scope: PersonScope, provider_id: ProviderId) -> list[KeyRow]: ...


@query
async def put_own(scope: PersonScope, provider_id: ProviderId, secret: bytes, hint: str) -> KeyRow | None: ...


@query
async def delete_own(scope: PersonScope, provider_id: ProviderId) -> UUID | None: ...


@query
async def shared(scope: OrganisationScope, provider_id: ProviderId) -> list[KeyRow]: ...


@query
async def put_shared(scope: OrganisationScope, provider_id: ProviderId, secret: bytes, hint: str) -> KeyRow | None: ...


@query
async def delete_shared(scope: OrganisationScope, provider_id: ProviderId) -> UUID | None: ...


@query
async def of_person(db: Database, user_id: UserId) -> list[PersonalKey]: ...
