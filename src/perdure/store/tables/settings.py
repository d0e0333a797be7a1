"""What organisations and people have set, by name."""

from msgspec import Struct

from perdure.core.ids import UserId
from perdure.store.query import query
from perdure.store.scopes import Database, OrganisationScope, PersonScope


class SettingRow(Struct, frozen=True):
    name: str
    value: str


@query
async def put(scope: OrganisationScope, name: str, value: str) -> None: ...


@query
async def of_organisation(scope: OrganisationScope) -> list[SettingRow]: ...


@query
async def put_own(scope: PersonScope, name: str, value: str) -> None: ...


@query
async def of_person(db: Database, user_id: UserId) -> list[SettingRow]: ...
