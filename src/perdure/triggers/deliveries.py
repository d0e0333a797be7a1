"""Bringing what programs sent to chats: each delivery once, those of one thread in their order."""

import asyncio
import logging
from typing import Protocol
from uuid import uuid4

import msgspec

from perdure.config.triggers import TriggerOptions, read_trigger
from perdure.core.errors import ChatNotFound, DatabaseFault, PerdureError, QueueFull, Refused, Unavailable
from perdure.core.ids import ChatId
from perdure.core.notice import TRIGGERS_CHANGED, Notice, Topic
from perdure.core.payload import BadPayload, Payload, read_payload
from perdure.core.timing import (
    IDEMPOTENCY_KEPT,
    SCHEDULE_PERIOD,
    SCHEDULE_TAKEN,
    TRIGGER_BOUND,
    TRIGGER_DELIVERIES_KEPT,
    TRIGGER_PURGE_PERIOD,
    Clock,
)
from perdure.observe.measures.work import TriggerMeasures
from perdure.store.pool import Pool
from perdure.store.tables import triggers
from perdure.store.tables.triggers import DeliveryState, TakenDelivery
from perdure.triggers.admission import Admission, Occasion
from perdure.triggers.content import Content, content_of, occasion_of
from perdure.triggers.speaking import UNEXPECTED, Later, Skip, message, new_chat

BATCH = 32
LATEST = IDEMPOTENCY_KEPT / 2
"""How old a delivery may get before it is brought to a chat: for so long it is certain whether it was already."""
_log = logging.getLogger(__name__)


class Channels(Protocol):
    """Receives messages from channels."""

    async def receive(
        self, occasion: Occasion, delivery: TakenDelivery, options: TriggerOptions, payload: Payload
    ) -> ChatId: ...


class DeliveryRunner:
    """Looks for deliveries, on every replica at once. Whoever takes one brings it to its chat."""

    def __init__(
        self,
        pool: Pool,
        admission: Admission,
        clock: Clock,
        measures: TriggerMeasures,
        channels: Channels | None = None,
    ) -> None:
        self._channels = channels
        self._pool = pool
        self._admission = admission
        self._clock = clock
        self._measures = measures
        self._some = asyncio.Event()
        self._purged_at = clock.monotonic()

    def heard(self, notice: Notice) -> None:
        if notice.topic is Topic.CONFIG and notice.name == TRIGGERS_CHANGED:
            self._some.set()

    async def run(self) -> None:
        while True:
            try:
                await self.once()
                if self._clock.monotonic() - self._purged_at >= TRIGGER_PURGE_PERIOD.total_seconds():
                    self._purged_at = self._clock.monotonic()
                    await triggers.purge(self._pool, TRIGGER_DELIVERIES_KEPT)
            except (Unavailable, DatabaseFault) as error:
                _log.warning("deliveries wait for the database: %s", error)
            await self._until_some()

    async def once(self) -> None:
        """Bring what is due to its chats."""
        while await triggers.waiting(self._pool) and await self._some_brought():
            pass

    async def _some_brought(self) -> int:
        taken = await triggers.take(self._pool, SCHEDULE_TAKEN, BATCH, TRIGGER_BOUND)
        await asyncio.gather(*(self._brought(delivery) for delivery in taken))
        return len(taken)

    async def _brought(self, delivery: TakenDelivery) -> None:
        try:
            chat_id = await self._admitted(delivery, read_trigger(delivery.options))
        except Later as later:
            await triggers.put_off(self._pool, delivery.id, str(later))
        except Skip as skip:
            await self._ended(delivery, DeliveryState.SKIPPED, str(skip))
        except (Unavailable, DatabaseFault) as error:
            _log.warning("a delivery is tried again: %s", error)
        except (PerdureError, BadPayload) as error:
            # One that was no JSON when it came can be replayed as well.
            await self._ended(delivery, DeliveryState.FAILED, str(error))
        except Exception:  # noqa: BLE001 - the edge of one of many: it holds up no other
            _log.exception("a delivery could not be brought to its chat")
            await self._ended(delivery, DeliveryState.FAILED, UNEXPECTED)
        else:
            await self._ended(delivery, DeliveryState.BEGUN, "", chat_id)

    async def _ended(
        self, delivery: TakenDelivery, state: DeliveryState, detail: str, chat_id: ChatId | None = None
    ) -> None:
        await triggers.settle(self._pool, delivery.id, state, detail, chat_id)
        self._measures.delivered(state.value)

    async def _admitted(self, delivery: TakenDelivery, options: TriggerOptions) -> ChatId:
        """The chat that the delivery went into, whoever brought it there."""
        occasion = occasion_of(delivery)
        if delivery.again and (begun := await self._admission.known(occasion)) is not None:
            return begun
        if delivery.age > LATEST:
            raise Skip("No server could take it in time.")
        if delivery.removed:
            raise Refused("The user who created the trigger was removed.")
        if delivery.before >= options.hourly_limit:
            raise Skip(f"More than {options.hourly_limit} deliveries came within an hour.")
        payload = read_payload(delivery.body, msgspec.json.decode(delivery.headers, type=dict[str, str]))
        options = options.of(payload)
        if options.channel is not None and self._channels is not None:
            return await self._channels.receive(occasion, delivery, options, payload)
        content = await content_of(self._pool, occasion, options, payload)
        if options.chat_id is not None:
            return await self._said(occasion, options.chat_id, options, content)
        if not delivery.thread:
            return await self._admission.begin(occasion, new_chat(options, content, options.name))
        return await self._into_thread(occasion, delivery, options, content)

    async def _into_thread(
        self,
        occasion: Occasion,
        delivery: TakenDelivery,
        options: TriggerOptions,
        content: Content,
    ) -> ChatId:
        trigger_id, thread = delivery.trigger_id, delivery.thread
        found = await triggers.chat_of_thread(self._pool, trigger_id, thread, uuid4())
        if not found.begun:
            title = f"{options.name}: {thread}"
            return await self._admission.begin(occasion, new_chat(options, content, title), found.chat_id)
        try:
            return await self._said(occasion, found.chat_id, options, content)
        except ChatNotFound:
            # It was deleted between the two looks.
            await triggers.forget_thread(self._pool, trigger_id, thread, found.chat_id)
            raise Later("The chat of its thread was deleted.") from None

    async def _said(self, occasion: Occasion, chat_id: ChatId, options: TriggerOptions, content: Content) -> ChatId:
        try:
            return await self._admission.say(occasion, chat_id, message(options, content, options.busy))
        except QueueFull:
            raise Later("The queue of its chat is full.") from None

    async def _until_some(self) -> None:
        try:
            async with asyncio.timeout(SCHEDULE_PERIOD.total_seconds()):
                await self._some.wait()
        except TimeoutError:
            pass
        self._some.clear()
