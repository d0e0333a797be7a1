"""Chats of people who were removed: they stop, and nothing that waits in them begins."""

from collections.abc import Sequence

from perdure.core.chat import Chat, State
from perdure.core.errors import ChatNotFound, Refused
from perdure.machine.machine import Machine
from perdure.machine.transitions import Transition
from perdure.machine.transitions.endings import Interrupt
from perdure.machine.transitions.queue import DeleteQueuedMessage
from perdure.store.pool import Pool
from perdure.store.tables import chats


async def stop_chats_of_removed(machine: Machine, pool: Pool, limit: int) -> None:
    for chat_id in await chats.of_removed_at_work(pool, limit):
        try:
            await machine.change_by(chat_id, ending)
        except (Refused, ChatNotFound):
            # It came to rest meanwhile.
            continue


def ending(chat: Chat) -> Sequence[Transition]:
    """Stop it, and empty its queue: its head would be the next turn."""
    if chat.state not in (State.R0, State.R1, State.I1):
        return ()
    stop = () if chat.state is State.I1 else (Interrupt(),)
    return *(DeleteQueuedMessage(entry.number) for entry in chat.queue), *stop
