"""Messages that wait: change, drop, reorder, send now."""

from perdure.access.chats import Seen
from perdure.api.caller import Caller
from perdure.api.routes.messages import waits_for_agents
from perdure.api.routing import Routes
from perdure.api.wire.chats import Moved
from perdure.api.wire.control import OrderBody, QueuedEditBody, TurnBody
from perdure.core.errors import NotAllowed, QueuedMessageNotFound
from perdure.core.ids import ChatId, MessageNumber, QueuedNumber
from perdure.machine.transitions import (
    DeleteQueuedMessage,
    EditQueuedMessage,
    PromoteQueuedMessage,
    ReorderQueue,
    Transition,
)

routes = Routes("queue")


@routes.put("/chats/{chat_id}/queue", by_machine=True)
async def reorder_queue(caller: Caller, chat_id: ChatId, body: OrderBody) -> Moved:
    """Reorder the queue. Must name exactly the messages in it."""
    return await _follow(caller, await _waiting(caller, chat_id, *body.order), ReorderQueue(body.order))


@routes.put("/chats/{chat_id}/queue/{number}", by_machine=True)
async def edit_queued(caller: Caller, chat_id: ChatId, number: QueuedNumber, body: QueuedEditBody) -> Moved:
    """Edit a queued message."""
    seen = await _waiting(caller, chat_id, number)
    await _check_author(caller, seen, number)
    said = await caller.said(body.content, chat_id)
    caller.changes.allowed(seen, EditQueuedMessage(number, said.parts, said.files))
    said = await caller.submitted(said, chat_id)
    return await _follow(caller, seen, EditQueuedMessage(number, said.parts, said.files))


@routes.delete("/chats/{chat_id}/queue/{number}", by_machine=True)
async def delete_queued(caller: Caller, chat_id: ChatId, number: QueuedNumber) -> None:
    """Delete a queued message."""
    seen = await _waiting(caller, chat_id, number)
    if not seen.own:
        await _check_author(caller, seen, number)
    await caller.changes.follow(seen, DeleteQueuedMessage(number), answer=lambda _: None)


@routes.post("/chats/{chat_id}/queue/{number}/promote", by_machine=True)
async def promote_queued(caller: Caller, chat_id: ChatId, number: QueuedNumber, body: TurnBody) -> Moved:
    """Send it now: an idle chat takes it at once, a busy one is interrupted for it."""
    turn = None if body.turn is None else MessageNumber(body.turn)
    seen = await _waiting(caller, chat_id, number)
    moved = await _follow(caller, seen, PromoteQueuedMessage(number, turn))
    if waits_for_agents(seen):
        await caller.services.family.stop_all(chat_id)
    return moved


async def _waiting(caller: Caller, chat_id: ChatId, *numbers: QueuedNumber) -> Seen:
    """The chat, if these messages wait in its queue. An empty queue has none, whatever the chat is at."""
    seen = await caller.chats.shared(chat_id)
    if not set(numbers) <= {entry.number for entry in seen.chat.queue}:
        raise QueuedMessageNotFound
    return seen


async def _check_author(caller: Caller, seen: Seen, number: QueuedNumber) -> None:
    """Nobody puts words into somebody else's mouth."""
    if seen.own and not seen.row.shared:
        return
    queue = await caller.chats.queue(seen)
    author = next((queued.created_by for queued in queue if queued.number == number), caller.actor.user_id)
    if author != caller.actor.user_id:
        raise NotAllowed("Only the author can change this message.")


async def _follow(caller: Caller, seen: Seen, transition: Transition) -> Moved:
    return await caller.changes.follow(seen, transition, answer=lambda commit: Moved(seen.card_after(commit)))
