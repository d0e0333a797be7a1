"""One lane per chat: its writers in this process go one after the other, instead of losing swaps to each other."""

import asyncio
from collections import deque

from perdure.core.ids import ChatId


class Lanes:
    """Who comes first goes first. An empty lane costs a look into a dictionary."""

    def __init__(self) -> None:
        self._waiting: dict[ChatId, deque[asyncio.Future[None]]] = {}

    async def enter(self, chat_id: ChatId) -> None:
        """Wait until the lane is free, and take it."""
        waiting = self._waiting.get(chat_id)
        if waiting is None:
            self._waiting[chat_id] = deque()
            return
        called = asyncio.get_running_loop().create_future()
        waiting.append(called)
        try:
            await called
        except asyncio.CancelledError:
            if not called.cancelled():
                # Called and cancelled at once: somebody else is next.
                self.leave(chat_id)
            raise

    def leave(self, chat_id: ChatId) -> None:
        """Let the next one in."""
        waiting = self._waiting[chat_id]
        while waiting:
            called = waiting.popleft()
            if not called.done():
                called.set_result(None)
                return
        del self._waiting[chat_id]
