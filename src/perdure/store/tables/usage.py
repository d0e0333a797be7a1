"""What was used, and what it cost."""

from datetime import datetime

from msgspec import Struct

from perdure.core.ids import ChatId
from perdure.store.query import query
from perdure.store.scopes import OrganisationScope, PersonScope


class UsageRow(Struct, frozen=True):
    name: str
    chat_id: ChatId | None
    calls: int
    cost: int
    unpriced_calls: int
    input: int
    output: int


@query
async def mine(scope: PersonScope, since: datetime, until: datetime, by: str) -> list[UsageRow]: ...


@query
async def of_organisation(scope: OrganisationScope, since: datetime, until: datetime, by: str) -> list[UsageRow]: ...
