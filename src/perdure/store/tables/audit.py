"""What was done in an organisation, and by whom."""

from datetime import datetime

from msgspec import Struct

from perdure.core.ids import ChatId, OrganisationId, UserId
from perdure.store.query import query
from perdure.store.scopes import Database, OrganisationScope, PersonScope


class AuditRow(Struct, frozen=True):
    id: int
    actor_id: UserId | None
    actor: str | None
    action: str
    subject: str
    detail: str
    at: datetime


@query
async def record(scope: PersonScope, action: str, subject: str, detail: str) -> None: ...


@query
async def note(db: Database, organisation_id: OrganisationId, action: str, detail: str) -> None: ...


@query
async def note_sign_in(db: Database, user_id: UserId, action: str, detail: str) -> None: ...


@query
async def note_loss(db: Database, chat_id: ChatId, detail: str) -> None: ...


@query
async def page(scope: OrganisationScope, before: int | None, limit: int) -> list[AuditRow]: ...
