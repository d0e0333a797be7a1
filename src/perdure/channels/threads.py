"""Who takes part in the chat of a thread: whoever began it, and colleagues who speak there later."""

from uuid import uuid4

from perdure.access.actor import record
from perdure.access.roles import ShareRole
from perdure.api.caller import Caller
from perdure.config.triggers import TriggerOptions
from perdure.core.errors import ChatNotFound
from perdure.core.ids import ChatId
from perdure.store.pool import Pool
from perdure.store.tables import channels, links
from perdure.store.tables.triggers import TakenDelivery
from perdure.triggers.admission import Admission, Occasion
from perdure.triggers.speaking import Skip

_ALONE = "Only whoever started the chat of this thread can speak in it."


async def enter(
    pool: Pool, admission: Admission, occasion: Occasion, delivery: TakenDelivery, options: TriggerOptions
) -> tuple[Caller, ChatId] | None:
    """The chat of a thread, for somebody who speaks there; None where it has not begun."""
    chat_id = await channels.chat(pool, delivery.trigger_id, delivery.thread)
    if chat_id is None:
        return None
    caller = admission.caller(occasion)
    try:
        await caller.chats.read(chat_id)
    except ChatNotFound:
        await _join(pool, caller, delivery, options, chat_id)
    return caller, chat_id


async def _join(pool: Pool, caller: Caller, delivery: TakenDelivery, options: TriggerOptions, chat_id: ChatId) -> None:
    """Let a colleague into the chat, by a link that its owner sees, changes and takes back like any other."""
    if options.thread_role is not ShareRole.READ:
        await channels.share(pool, delivery.trigger_id, delivery.thread, uuid4(), options.thread_role.value)
    link = await channels.way_in(pool, delivery.trigger_id, delivery.thread)
    found = None if link is None else await links.follow(caller.rows, link)
    if found is None:
        raise Skip(_ALONE)
    if found.metadata_version is not None:
        await record(caller.rows, "chat.join", chat_id)
        caller.announcements.card_changed(chat_id, found.metadata_version)
        caller.announcements.shares_changed(chat_id)
        caller.announcements.make()
