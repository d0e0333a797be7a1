"""Frames of another protocol, sent like events of our own: pings, slow readers and lost rights are looked after."""

from collections.abc import AsyncIterator

from perdure.stream.batches import Batch
from perdure.stream.subscription import Ended

DONE = "done"


class Frames(Batch):
    """Server-sent events, or frames of a WebSocket, that are encoded already."""

    def __init__(self, encoded: bytes) -> None:
        super().__init__(())
        # In place of what is made of events.
        self.__dict__ |= {"sse": encoded, "frame": encoded}

    @property
    def empty(self) -> bool:
        return not self.__dict__["sse"]


class FrameSource:
    """Gives what an iterator yields, and ends with it."""

    def __init__(self, frames: AsyncIterator[bytes]) -> None:
        self._frames = frames

    async def next(self) -> Batch:
        try:
            return Frames(await anext(self._frames))
        except StopAsyncIteration:
            raise Ended(DONE) from None
