"""Decisions about calls of one message."""

from perdure.api.caller import Caller
from perdure.api.routes.control import act
from perdure.api.wire.control import ActionBody, CallDecision
from perdure.channels.inbound import InboundDecision
from perdure.channels.threads import enter
from perdure.config.triggers import TriggerOptions
from perdure.core.errors import Refused
from perdure.core.ids import ChatId
from perdure.store.pool import Pool
from perdure.store.tables.triggers import TakenDelivery
from perdure.triggers.admission import Admission, Occasion
from perdure.triggers.speaking import Skip

_DECIDED = "This has already been decided."


async def decide(
    pool: Pool,
    admission: Admission,
    occasion: Occasion,
    delivery: TakenDelivery,
    options: TriggerOptions,
    inbound: InboundDecision,
) -> ChatId:
    entered = await enter(pool, admission, occasion, delivery, options)
    if entered is None:
        raise Skip("Its thread is no chat.")
    caller, chat_id = entered
    seen = await caller.chats.shared(chat_id)
    if seen.chat.last_assistant != inbound.message:
        raise Skip(_DECIDED)
    refused = list[str]()
    for place, choice in inbound.calls.items():
        call = seen.chat.call(place)
        decision = None if call is None else CallDecision(call_id=call.call_id, decision=choice)
        refused.append(_DECIDED if decision is None else await _refusal(caller, chat_id, inbound.message, decision))
    if all(refused):
        raise Skip(refused[0])
    caller.announcements.make()
    return chat_id


async def _refusal(caller: Caller, chat_id: ChatId, message: int, decision: CallDecision) -> str:
    """Why a decision comes to nothing, in words; nothing where it counts."""
    try:
        await act(caller, chat_id, ActionBody(decisions=(decision,), message=message))
    except Refused as error:
        return str(error)
    return ""
