"""Programs that are told how one turn goes: webhooks of that turn alone."""

from msgspec import Struct

from perdure.core.ids import ChatId, OrganisationId, UserId, WebhookId
from perdure.store.query import query
from perdure.store.scopes import Database, PersonScope


class PushRow(Struct, frozen=True):
    name: str
    url: str
    secret: bytes


class PushPlace(Struct, frozen=True):
    """The turn that is told of, and in whose name it is read."""

    chat_id: ChatId
    turn: int
    owner_id: UserId
    organisation_id: OrganisationId
    role: str


@query
async def add(
    scope: PersonScope, chat_id: ChatId, turn: int, name: str, url: str, secret: bytes
) -> WebhookId | None: ...


@query
async def listed(scope: PersonScope, chat_id: ChatId, turn: int) -> list[PushRow]: ...


@query
async def remove(scope: PersonScope, chat_id: ChatId, turn: int, name: str) -> WebhookId | None: ...


@query
async def place(db: Database, webhook_id: WebhookId) -> PushPlace | None: ...


@query
async def over(db: Database, webhook_id: WebhookId) -> None: ...
