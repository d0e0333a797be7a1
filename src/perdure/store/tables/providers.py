"""Providers of models, as an organisation set them up."""

from msgspec import Struct

from perdure.core.ids import OrganisationId, ProviderId
from perdure.store.query import query
from perdure.store.scopes import Database, OrganisationScope


class ProviderRow(Struct, frozen=True):
    id: ProviderId
    name: str
    dialect: str
    base_url: str
    enabled: bool
    options: str
    secret: bytes | None
    """The deployment's key, encrypted."""


@query
async def listed(scope: OrganisationScope) -> list[ProviderRow]: ...


@query
async def add(
    scope: OrganisationScope, name: str, dialect: str, base_url: str, enabled: bool, options: str
) -> ProviderRow: ...


@query
async def change(
    scope: OrganisationScope,
    provider_id: ProviderId,
    name: str | None,
    base_url: str | None,
    enabled: bool | None,
    options: str | None,
) -> ProviderRow | None: ...


@query
async def delete(scope: OrganisationScope, provider_id: ProviderId) -> ProviderId | None: ...


@query
async def demo_url(db: Database, organisation_id: OrganisationId) -> str | None: ...


@query
async def put_demo(db: Database, organisation_id: OrganisationId, base_url: str) -> ProviderId | None: ...
