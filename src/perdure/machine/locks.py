"""One lock per chat: its writers in this process go one after the other, instead of losing swaps to each other."""

import asyncio
from collections import deque

from perdure.core.ids import ChatId


class ChatLocks:
    """First come, first served. A lock that nobody holds costs a look into a dictionary."""

    def __init__(self) -> None:
        self._waiting: dict[ChatId, deque[asyncio.Future[None]]] = {}

    async def acquire(self, chat_id: ChatId) -> None:
        """Wait until nobody holds the chat's lock, and take it."""
        waiting = self._waiting.get(chat_id)
        if waiting is None:
            self._waiting[chat_id] = deque()
            return
        turn = asyncio.get_running_loop().create_future()
        waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                # Given the lock and cancelled at once: somebody else is next.
                self.release(chat_id)
            raise

    def release(self, chat_id: ChatId) -> None:
        """Give the lock to whoever waited longest."""
        waiting = self._waiting[chat_id]
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        del self._waiting[chat_id]
