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
    subject_name: str | None
    detail: str
    at: datetime


class AuditFilter(Struct, frozen=True):
    """Which entries are wanted. What is not given does not matter."""

    before: int | None
    limit: int
    actor_id: UserId | None
    action: str | None
    since: datetime | None
    until: datetime | None


@query
async def record(scope: PersonScope, action: str, subject: str, detail: str) -> None: ...


@query
async def note(db: Database, organisation_id: OrganisationId, action: str, detail: str) -> None: ...


@query
async def note_sign_in(db: Database, user_id: UserId, action: str, detail: str) -> None: ...


@query
async def note_loss(db: Database, chat_id: ChatId, detail: str) -> None: ...


@query
async def note_lost_chat(db: Database, organisation_id: OrganisationId, chat_id: str, detail: str) -> None: ...


@query
async def page(scope: OrganisationScope, wanted: AuditFilter) -> list[AuditRow]: ...
