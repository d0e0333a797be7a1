"""What an edit replaces, read together with the chat."""

from perdure.core.chat import Chat
from perdure.core.errors import EditedMessageNotUser, MessageNotFound
from perdure.core.ids import ChatId, MessageNumber, QueuedNumber, UserId
from perdure.core.message import Role
from perdure.machine.transitions import Target
from perdure.store.execution import Execution
from perdure.store.tables.execution import LiveMessage


async def load_target(execution: Execution, chat_id: ChatId, number: MessageNumber) -> tuple[Chat, Target]:
    chat, message = await execution.load_with_message(chat_id, number)
    if message is None:
        raise MessageNotFound
    if message.role is not Role.USER:
        raise EditedMessageNotUser("EditMessage", chat.state.value, "Only a user message can be edited.")
    return chat, Target(
        number=number,
        visibility=message.visibility,
        model=message.model,
        effort=message.effort,
        authors=frozenset(message.authors),
        waiting=_by_author(message),
        versions=(chat.history_version, chat.queue_version),
    )


def _by_author(message: LiveMessage) -> dict[UserId | None, tuple[QueuedNumber, ...]]:
    waiting: dict[UserId | None, tuple[QueuedNumber, ...]] = {}
    for number, author in zip(message.waiting, message.waiting_by, strict=True):
        waiting[author] = (*waiting.get(author, ()), number)
    return waiting
