"""The newest rows that this process wrote, so that it need not read what it knows."""

from perdure.core.chat import Chat
from perdure.core.ids import ChatId

ROWS = 1024


class RowCache:
    """As many chats as were changed last. A row may be old: the swap finds out."""

    def __init__(self, rows: int = ROWS) -> None:
        self._rows = rows
        self._chats: dict[ChatId, Chat] = {}

    def get(self, chat_id: ChatId) -> Chat | None:
        return self._chats.get(chat_id)

    def keep(self, chat: Chat) -> None:
        self._chats.pop(chat.id, None)
        self._chats[chat.id] = chat
        if len(self._chats) > self._rows:
            del self._chats[next(iter(self._chats))]

    def forget(self, chat_id: ChatId) -> None:
        self._chats.pop(chat_id, None)
