"""What a delivery says, and whose it is."""

from typing import TypeAlias
from uuid import uuid5

from perdure.api.wire.content import AnyContent, FileContent, TextContent
from perdure.config.triggers import TriggerOptions
from perdure.core.card import ChatSource
from perdure.core.payload import ATTACHED, Payload, fill, text_of
from perdure.store.pool import Pool
from perdure.store.tables import files
from perdure.store.tables.files import HandedOver
from perdure.store.tables.triggers import TakenDelivery
from perdure.triggers.admission import Occasion
from perdure.triggers.speaking import Skip

Content: TypeAlias = tuple[AnyContent, ...]


def occasion_of(delivery: TakenDelivery) -> Occasion:
    return Occasion(
        Occasion.named("trigger-delivery", delivery.id, delivery.created_at),
        ChatSource.TRIGGER,
        delivery.owner_id,
        delivery.organisation_id,
        delivery.role,
        delivery.person,
    )


async def content_of(pool: Pool, occasion: Occasion, options: TriggerOptions, payload: Payload) -> Content:
    """What is said. A body that is too long for it is a file beside it."""
    filled = fill(options.template, payload)
    if not filled.text.strip():
        raise Skip("The message is empty.")
    text = TextContent(filled.text)
    if not filled.cut:
        return (text,)
    file_id = uuid5(occasion.user_id, occasion.name)
    whole = text_of(payload.body).encode(errors="replace")
    file = HandedOver(
        id=file_id,
        organisation_id=occasion.organisation_id,
        owner_id=occasion.user_id,
        name=ATTACHED,
        media_type="application/json",
        size=len(whole),
        content=whole,
    )
    await files.keep(pool, file)
    return (text, FileContent(file_id))
