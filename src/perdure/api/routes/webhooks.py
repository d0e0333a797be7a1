"""Webhooks: programs that are told what happens in your chats, and what each was told."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from perdure.access.actor import Permission
from perdure.access.webhook_signatures import new_secret
from perdure.api.caller import Caller
from perdure.api.routes.hooks import Url
from perdure.api.routing import Routes
from perdure.api.wire.chats import Title
from perdure.api.wire.content import END, Named
from perdure.api.wire.control import Nothing
from perdure.api.wire.options import given
from perdure.config.webhooks import WebhookEvent, Webhooks
from perdure.core.ids import ChatId, WebhookId
from perdure.store.tables.webhooks import OutgoingRow, OutgoingState, WebhookRow

WebhookEvents = Annotated[tuple[WebhookEvent, ...], Meta(min_length=1, max_length=4)]
_BASE64 = r"([A-Za-z0-9+/]{4})+([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"
WebhookSecret = Annotated[str, Meta(min_length=38, max_length=100, pattern=r"^whsec_" + _BASE64 + END)]


class Webhook(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A program that is told what happens in your chats."""

    id: WebhookId
    name: str
    url: str
    events: tuple[WebhookEvent, ...]
    enabled: bool
    created_at: datetime
    secret: str | None = None
    """What it is signed with, only where it was just made here."""

    @classmethod
    def of(cls, row: WebhookRow, secret: str | None = None) -> "Webhook":
        events = tuple(WebhookEvent(event) for event in row.events)
        return cls(
            id=row.id,
            name=row.name,
            url=row.url,
            events=events,
            enabled=row.enabled,
            created_at=row.created_at,
            secret=secret,
        )


class ShownWebhooks(Struct, frozen=True):
    items: tuple[Webhook, ...]


class WebhookBody(Named, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    name: Title
    url: Url
    events: WebhookEvents = (WebhookEvent.FINISHED, WebhookEvent.FAILED, WebhookEvent.NEEDS_YOU)
    secret: WebhookSecret | None = None
    """What it is signed with, as Standard Webhooks writes it; without one it is made, and shown this once."""


class WebhookPatch(Named, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is not named stays as it is."""

    name: Title | UnsetType = UNSET
    url: Url | UnsetType = UNSET
    events: WebhookEvents | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET


class Outgoing(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that a webhook was told, or is to be told."""

    id: int
    name: UUID
    """What its `webhook-id` is made of: the same however often it is sent."""
    event: str
    """An event of a chat, or `webhook.test`."""
    state: OutgoingState
    """`dead` where it was given up."""
    attempts: int
    created_at: datetime
    due_at: datetime
    chat_id: ChatId | None = None
    number: int | None = None
    status: int | None = None
    detail: str = ""
    settled_at: datetime | None = None


class OutgoingPage(Struct, frozen=True, omit_defaults=True):
    items: tuple[Outgoing, ...]
    next_cursor: str | None = None


class OutgoingQuery(Struct, frozen=True, forbid_unknown_fields=True):
    state: OutgoingState | None = None
    cursor: Annotated[str, Meta(pattern=r"^[0-9]{0,18}" + END)] = ""
    limit: Annotated[int, Meta(ge=1, le=200)] = 50


routes = Routes("webhooks")


@routes.get("/webhooks")
async def list_webhooks(caller: Caller) -> ShownWebhooks:
    """Your webhooks, oldest first."""
    return ShownWebhooks(tuple(Webhook.of(row) for row in await _webhooks(caller).all()))


@routes.post("/webhooks", status=201, secret=True)
async def add_webhook(caller: Caller, body: WebhookBody) -> Webhook:
    """Add a webhook for what happens in your chats. Complete from five seconds later on."""
    caller.actor.require(Permission.CHAT)
    secret = body.secret or new_secret()
    row = await _webhooks(caller).add(body.name, body.url, body.events, secret)
    caller.announcements.webhooks_changed()
    return Webhook.of(row, None if body.secret else secret)


@routes.patch("/webhooks/{webhook_id}")
async def change_webhook(caller: Caller, webhook_id: WebhookId, body: WebhookPatch) -> Webhook:
    """Change a webhook, or turn it off: events in the meantime are not delivered later."""
    row = await _webhooks(caller).change(
        webhook_id,
        name=given(body.name),
        url=given(body.url),
        events=given(body.events),
        enabled=given(body.enabled),
    )
    caller.announcements.webhooks_changed()
    return Webhook.of(row)


@routes.delete("/webhooks/{webhook_id}")
async def remove_webhook(caller: Caller, webhook_id: WebhookId) -> None:
    """Remove a webhook and its deliveries."""
    await _webhooks(caller).delete(webhook_id)


@routes.get("/webhooks/{webhook_id}/deliveries")
async def list_outgoing(caller: Caller, webhook_id: WebhookId, query: OutgoingQuery) -> OutgoingPage:
    """A webhook's deliveries, newest first; `state=dead` are those given up on. Kept for a week."""
    before = int(query.cursor) if query.cursor else None
    rows = await _webhooks(caller).deliveries(webhook_id, query.state, before=before, limit=query.limit)
    more = str(rows[-1].id) if len(rows) == query.limit else None
    return OutgoingPage(tuple(_outgoing(row) for row in rows), more)


@routes.post("/webhooks/{webhook_id}/deliveries/{number}/replay", status=202)
async def replay_outgoing(caller: Caller, webhook_id: WebhookId, number: int, body: Nothing) -> Outgoing:  # noqa: ARG001
    """Send a delivery again, with the same ID."""
    row = await _webhooks(caller).replay(webhook_id, number)
    caller.announcements.webhooks_changed()
    return _outgoing(row)


@routes.post("/webhooks/{webhook_id}/test", status=202)
async def test_webhook(caller: Caller, webhook_id: WebhookId, body: Nothing) -> Outgoing:  # noqa: ARG001
    """Tell it `webhook.test` once, signed like everything else. Its deliveries show what it answered."""
    row = await _webhooks(caller).test(webhook_id)
    caller.announcements.webhooks_changed()
    return _outgoing(row)


def _webhooks(caller: Caller) -> Webhooks:
    return Webhooks(caller.rows, caller.services.keyring)


def _outgoing(row: OutgoingRow) -> Outgoing:
    return Outgoing(**structs.asdict(row))
