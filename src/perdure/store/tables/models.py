"""The models that chats may use, as an organisation set them up."""

from uuid import UUID

from msgspec import Struct

from perdure.core.ids import ModelName, OrganisationId, ProviderId
from perdure.store.query import query
from perdure.store.scopes import Database, OrganisationScope


class ModelRow(Struct, frozen=True):
    name: ModelName
    provider_id: ProviderId
    model: str
    display_name: str
    enabled: bool
    chosen: bool
    options: str


class OptionsRow(Struct, frozen=True):
    name: ModelName
    options: str


@query
async def of_all(db: Database) -> list[OptionsRow]: ...


@query
async def listed(scope: OrganisationScope) -> list[ModelRow]: ...


@query
async def add(
    scope: OrganisationScope,
    name: ModelName,
    provider_id: UUID,
    model: str,
    display_name: str,
    enabled: bool,
    options: str,
) -> ModelName | None: ...


@query
async def change(
    scope: OrganisationScope,
    name: ModelName,
    model: str | None,
    display_name: str | None,
    enabled: bool | None,
    options: str | None,
) -> ModelName | None: ...


@query
async def choose(scope: OrganisationScope, name: ModelName) -> ModelName | None: ...


@query
async def choose_alone(scope: OrganisationScope) -> None: ...


@query
async def unchoose(scope: OrganisationScope) -> None: ...


@query
async def delete(scope: OrganisationScope, name: ModelName) -> ModelName | None: ...


@query
async def put_demo(db: Database, organisation_id: OrganisationId, provider_id: ProviderId, options: str) -> None: ...
