"""Decisions about one call of one message."""

from perdure.api.routes.control import act
from perdure.api.wire.control import ActionBody, CallDecision
from perdure.channels.inbound import InboundDecision
from perdure.core.errors import Refused
from perdure.core.ids import ChatId
from perdure.store.pool import Pool
from perdure.store.tables import channels
from perdure.store.tables.triggers import TakenDelivery
from perdure.triggers.admission import Admission, Occasion
from perdure.triggers.speaking import Skip


async def decide(
    pool: Pool, admission: Admission, occasion: Occasion, delivery: TakenDelivery, inbound: InboundDecision
) -> ChatId:
    chat_id = await channels.chat(pool, delivery.trigger_id, delivery.thread)
    if chat_id is None:
        raise Skip("Its thread is no chat.")
    caller = admission.caller(occasion)
    seen = await caller.chats.shared(chat_id)
    call = seen.chat.call(inbound.call)
    if call is None or seen.chat.last_assistant != inbound.message:
        raise Skip("This has already been decided.")
    decision = CallDecision(call_id=call.call_id, decision=inbound.choice)
    try:
        await act(caller, chat_id, ActionBody(decisions=(decision,), message=inbound.message))
    except Refused as error:
        raise Skip(str(error)) from error
    caller.announcements.make()
    return chat_id
