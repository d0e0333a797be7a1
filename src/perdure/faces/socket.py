"""A WebSocket whose messages are requests, each answered by frames before the next one is looked at."""

import asyncio
from collections.abc import AsyncIterator, Callable, MutableMapping
from typing import Any

from perdure.api.http import Receive

PING = b"\x89\x00"
"""A ping of the WebSocket itself: its client reads nothing but answers."""
_WAITING = 16
"""How many messages may wait. A client that says more while it is answered is not listened to until then."""


class Socket:
    """One connection: what its client says is kept in order until it is its turn."""

    def __init__(self, answers: Callable[[bytes], AsyncIterator[bytes]], receive: Receive) -> None:
        self._answers = answers
        self._receive = receive
        self._said = asyncio.Queue[bytes](_WAITING)

    async def receive(self) -> MutableMapping[str, Any]:
        """What the client does, for whoever looks whether it is still there."""
        event = await self._receive()
        if event["type"] == "websocket.receive":
            text: str | None = event.get("text")
            await self._said.put(text.encode() if text is not None else event.get("bytes") or b"")
        return event

    async def frames(self) -> AsyncIterator[bytes]:
        # Nothing at first: the connection is accepted before anything is said.
        yield b""
        while True:
            async for frame in self._answers(await self._said.get()):
                yield frame
