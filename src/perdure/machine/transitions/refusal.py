"""How a transition says no."""

from perdure.core.chat import QUEUE_LIMIT, Chat
from perdure.core.errors import QueuedMessageNotFound, QueueFull, TransitionNotAllowed
from perdure.core.ids import QueuedNumber


def refuse(transition: object, chat: Chat, reason: str) -> TransitionNotAllowed:
    return TransitionNotAllowed(type(transition).__name__, chat.state.value, reason)


def require_room(chat: Chat) -> None:
    if len(chat.queue) >= QUEUE_LIMIT:
        raise QueueFull(QUEUE_LIMIT)


def require_queued(chat: Chat, number: QueuedNumber) -> None:
    if all(entry.number != number for entry in chat.queue):
        raise QueuedMessageNotFound
