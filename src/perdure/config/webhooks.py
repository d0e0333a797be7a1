"""Webhooks of one person: which programs are told what happens in their chats."""

from collections.abc import Sequence
from enum import StrEnum

from perdure.access.actor import ActorRows, record
from perdure.access.keyring import Keyring
from perdure.core.addresses import reachable
from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.core.ids import WebhookId
from perdure.store.tables import webhooks
from perdure.store.tables.webhooks import OutgoingRow, OutgoingState, WebhookRow

WEBHOOK_PURPOSE = "webhook"
TEST_EVENT = "webhook.test"
"""What a webhook is told when its owner tries it out. It is sent once."""
MOST_WEBHOOKS = 50
"""How many one person may have."""


class WebhookEvent(StrEnum):
    """What a program can be told of a chat."""

    MESSAGE = "chat.message"
    FINISHED = "chat.finished"
    FAILED = "chat.failed"
    NEEDS_YOU = "chat.needs_you"


class Webhooks:
    """The webhooks of the actor, as they may see and change them."""

    def __init__(self, rows: ActorRows, keyring: Keyring) -> None:
        self._rows = rows
        self._keyring = keyring

    async def all(self) -> list[WebhookRow]:
        return await webhooks.listed(self._rows)

    async def one(self, webhook_id: WebhookId) -> WebhookRow:
        return _there(next((row for row in await self.all() if row.id == webhook_id), None))

    async def add(self, name: str, url: str, events: Sequence[WebhookEvent], secret: str) -> WebhookRow:
        _check(url)
        sealed = self._keyring.seal(secret, WEBHOOK_PURPOSE)
        row = await webhooks.add(self._rows, name, url, list(events), sealed, MOST_WEBHOOKS)
        if row is None:
            raise InvalidInput(f"A person can have at most {MOST_WEBHOOKS} webhooks.")
        await record(self._rows, "webhook.add", row.id, url=url, events=events)
        return row

    async def change(
        self,
        webhook_id: WebhookId,
        *,
        name: str | None,
        url: str | None,
        events: Sequence[WebhookEvent] | None,
        enabled: bool | None,
    ) -> WebhookRow:
        if url is not None:
            _check(url)
        wanted = None if events is None else list(events)
        row = _there(await webhooks.change(self._rows, webhook_id, name, url, wanted, enabled))
        await record(self._rows, "webhook.change", webhook_id, enabled=row.enabled)
        return row

    async def delete(self, webhook_id: WebhookId) -> None:
        if await webhooks.delete(self._rows, webhook_id) is None:
            raise NotFound("Webhook not found.")
        await record(self._rows, "webhook.delete", webhook_id)

    async def deliveries(
        self, webhook_id: WebhookId, state: OutgoingState | None, *, before: int | None, limit: int
    ) -> list[OutgoingRow]:
        await self.one(webhook_id)
        return await webhooks.deliveries(self._rows, webhook_id, state, before, limit)

    async def replay(self, webhook_id: WebhookId, delivery_id: int) -> OutgoingRow:
        row = await webhooks.replay(self._rows, webhook_id, delivery_id)
        if row is None:
            raise NotFound("Delivery not found, or still in progress.")
        await record(self._rows, "webhook.replay", webhook_id, delivery=delivery_id)
        return row

    async def test(self, webhook_id: WebhookId) -> OutgoingRow:
        await self.one(webhook_id)
        row = await webhooks.test(self._rows, webhook_id, TEST_EVENT)
        if row is None:
            raise InvalidInput("The webhook is turned off.", Validation("enabled", "is false"))
        await record(self._rows, "webhook.test", webhook_id)
        return row


def _check(url: str) -> None:
    if reachable(url) is None:
        raise InvalidInput("The webhook cannot be reached.", Validation("url", "is not a valid address"))


def _there(row: WebhookRow | None) -> WebhookRow:
    if row is None:
        raise NotFound("Webhook not found.")
    return row
