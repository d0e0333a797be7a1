"""What this process knows of chats: the newest rows that it wrote, and one lock per chat for its writers."""

import asyncio
from collections import deque

from perdure.core.chat import Chat
from perdure.core.errors import Unavailable
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


class ChatLocks:
    """First come, first served. A lock that nobody holds costs a look into a dictionary."""

    def __init__(self) -> None:
        self._waiting: dict[ChatId, deque[asyncio.Future[None]]] = {}

    async def acquire(self, chat_id: ChatId, patience: float) -> float:
        """Wait until nobody holds the chat's lock, and take it. How many seconds of the patience are left then.

        Whoever holds it for long waits for the database, and for longer than others may want to.
        """
        waiting = self._waiting.get(chat_id)
        if waiting is None:
            self._waiting[chat_id] = deque()
            return patience
        loop = asyncio.get_running_loop()
        turn, until = loop.create_future(), loop.time() + patience
        waiting.append(turn)
        end = loop.call_at(until, _end_waiting, turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                # Given the lock and cancelled at once: somebody else is next.
                self.release(chat_id)
            raise
        finally:
            end.cancel()
        return max(0.0, until - loop.time())

    def release(self, chat_id: ChatId) -> None:
        """Give the lock to whoever waited longest."""
        waiting = self._waiting[chat_id]
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        del self._waiting[chat_id]


def _end_waiting(turn: "asyncio.Future[None]") -> None:
    if not turn.done():
        turn.set_exception(
            Unavailable("The database is unavailable: an earlier change of this chat is waiting for it.")
        )
