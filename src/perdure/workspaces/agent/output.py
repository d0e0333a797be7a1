"""The place for a command's output: everything is counted, its head and its tail are kept, memory is bounded."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator
from typing import NamedTuple, Protocol

from perdure.workspaces.agent.limits import FOLLOW_PAUSE_SECONDS, PIPE_READ_BYTES


class Piece(NamedTuple):
    """Bytes of an output and the offset of the first one; `skipped` were lost before it."""

    offset: int
    content: bytes
    skipped: int


class Output:
    """The first bytes and the last bytes of a stream of any length."""

    def __init__(self, head: int, tail: int) -> None:
        self._head_size = head
        self._tail_size = tail
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def add(self, content: bytes) -> None:
        self.total += len(content)
        room = self._head_size - len(self._head)
        if room > 0:
            self._head += content[:room]
            content = content[room:]
        self._tail += content
        # Cutting only at twice the size keeps the cost of a flood linear.
        if len(self._tail) > 2 * self._tail_size:
            del self._tail[: len(self._tail) - self._tail_size]

    def since(self, offset: int, most: int) -> Piece:
        """What is kept from an offset on; where it was dropped, the next kept byte."""
        if offset < len(self._head):
            return Piece(offset, bytes(self._head[offset : offset + most]), 0)
        start = self.total - len(self._tail)
        at = max(offset, start)
        return Piece(at, bytes(self._tail[at - start : at - start + most]), at - offset)

    def ends(self, most: int) -> tuple[bytes, bytes, int]:
        """A head and a tail of at most so many bytes together, and how many bytes are missing between them."""
        if self.total <= most and self.total <= len(self._head) + len(self._tail):
            return bytes(self._head + self._tail), b"", 0
        head = bytes(self._head[: most // 2])
        tail_size = min(most - len(head), self.total - len(head), self._tail_size)
        tail = bytes((self._head + self._tail)[-tail_size:]) if tail_size else b""
        return head, tail, self.total - len(head) - len(tail)


class Followed(Protocol):
    """Something that prints until it is closed, and says each time that it moved."""

    output: Output
    moved: asyncio.Event

    @property
    def closed(self) -> bool: ...


async def frames(source: Followed, offset: int) -> AsyncIterator[bytes]:
    """All output from an offset on, as frames of offset, length and content, until the source is closed."""
    while True:
        moved = source.moved
        piece = source.output.since(offset, PIPE_READ_BYTES)
        if piece.content:
            offset = piece.offset + len(piece.content)
            yield struct.pack(">QI", piece.offset, len(piece.content)) + piece.content
            # What is printed meanwhile comes in one piece, or is dropped by the ring: a flood keeps nobody busy.
            await asyncio.sleep(FOLLOW_PAUSE_SECONDS)
        elif source.closed:
            return
        else:
            await moved.wait()
