"""Messages to the agent: into the chat of their thread, or a new one."""

from uuid import uuid4

from perdure.api.wire.content import TextContent
from perdure.channels.inbound import InboundMessage
from perdure.channels.threads import enter
from perdure.config.triggers import TriggerOptions
from perdure.core.errors import QueueFull
from perdure.core.ids import ChatId
from perdure.store.pool import Pool
from perdure.store.tables import triggers
from perdure.store.tables.triggers import TakenDelivery
from perdure.triggers.admission import Admission, Occasion
from perdure.triggers.speaking import Later, Skip, message, new_chat


async def deliver(
    pool: Pool,
    admission: Admission,
    occasion: Occasion,
    delivery: TakenDelivery,
    options: TriggerOptions,
    inbound: InboundMessage,
) -> ChatId:
    if (known := await admission.known(occasion)) is not None:
        return known
    entered = await enter(pool, admission, occasion, delivery, options)
    if entered is not None:
        try:
            body = message(options, (TextContent(inbound.text),), options.busy)
            return await admission.say(occasion, entered[1], body)
        except QueueFull:
            raise Later("The queue of its chat is full.") from None
    if not inbound.begins:
        raise Skip("It does not mention the agent, and its thread is no chat.")
    trigger_id, thread = delivery.trigger_id, delivery.thread
    named = await triggers.chat_of_thread(pool, trigger_id, thread, uuid4())
    text = "\n\n".join(each for each in (inbound.opening, inbound.text) if each)
    body = new_chat(options, (TextContent(text),), f"{options.name}: {thread}")
    return await admission.begin(occasion, body, named.chat_id)
